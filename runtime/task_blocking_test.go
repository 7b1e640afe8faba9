package runtime_test

import (
	"context"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

func TestBlockingTaskBlocksNoWorker(t *testing.T) {
	rt := start(t, 1)
	free := make(chan int)
	h := runtime.SubmitBlocking(rt, func() (int, error) { return <-free, nil })
	run(t, rt, func(cx runtime.Cx) error {
		inside := runtime.SpawnBlocking(cx, func() (int, error) { return <-free + 1, nil })
		free <- 1
		free <- 1
		v, err := inside.Join(cx)
		require.Equal(t, 2, v)
		return err
	})
	v, err := get(t, h)
	require.NoError(t, err)
	require.Equal(t, 1, v)
	s := rt.BlockingStats()
	require.EqualValues(t, 2, s.Completed)
	require.EqualValues(t, 2, s.Spawned)
	require.LessOrEqual(t, s.Started, uint64(2))
}

// At the cap, tasks wait until a thread is done, and no longer.
func TestBlockingTaskAtTheCapIsNotStranded(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		for _, most := range []int{1, 2, 3} {
			rt := start(t, workers, runtime.BlockingThreads(most))
			var running, top atomic.Int32
			var hs []*runtime.Handle[int]
			var outside sync.WaitGroup
			var lock sync.Mutex
			for g := range 3 {
				outside.Go(func() {
					for i := range 40 {
						h := runtime.SubmitBlocking(rt, func() (int, error) {
							for n := running.Add(1); n > top.Load(); {
								top.Store(n)
							}
							if i%7 == 0 {
								time.Sleep(10 * time.Microsecond)
							}
							running.Add(-1)
							return g + i, nil
						})
						lock.Lock()
						hs = append(hs, h)
						lock.Unlock()
					}
				})
			}
			outside.Wait()
			for _, h := range hs {
				_, err := get(t, h)
				require.NoError(t, err)
			}
			require.LessOrEqual(t, int(top.Load()), most)
			s := rt.BlockingStats()
			require.LessOrEqual(t, s.Threads, most)
			require.Zero(t, s.Queued)
			require.EqualValues(t, 120, s.Completed)
			drains(t, rt)
			require.Equal(t,
				runtime.BlockingStats{Started: s.Started, Spawned: 120, Completed: 120},
				rt.BlockingStats())
		}
	})
}

// Each task comes when the only thread is about to sleep, or to end, after the one before.
func TestBlockingThreadThatGivesUpLosesNothing(t *testing.T) {
	for _, keep := range []time.Duration{0, 5 * time.Microsecond, time.Hour} {
		rt := start(t, 1, runtime.BlockingThreads(1), runtime.BlockingKeepAlive(keep))
		for i := range 300 {
			v, err := get(t, runtime.SubmitBlocking(rt, func() (int, error) { return i, nil }))
			require.NoError(t, err)
			require.Equal(t, i, v)
			if i%3 == 0 {
				goruntime.Gosched()
			}
		}
		if keep == time.Hour {
			s := rt.BlockingStats()
			require.EqualValues(t, 1, s.Started)
			require.Equal(t, 1, s.Threads)
		} else {
			waits(t, func() bool { return rt.BlockingStats().Threads == 0 }, "the thread stays")
			require.Zero(t, rt.BlockingStats().Idle)
		}
	}
}

func TestBlockingTaskFailsAlone(t *testing.T) {
	reported := make(chan *runtime.PanicError, 1)
	rt := start(t, 2, runtime.BlockingThreads(1),
		runtime.OnPanic(func(e *runtime.PanicError) { reported <- e }))
	for range 20 {
		_, err := get(t, runtime.SubmitBlocking(rt, func() (int, error) { panic(errBoom) }))
		require.ErrorIs(t, err, errBoom)
		require.Contains(t, string((<-reported).Stack), "task_blocking_test.go")
		for _, exit := range exits {
			_, err = get(t,
				runtime.SubmitBlocking(rt, func() (int, error) { exit(); return 0, nil }))
			require.ErrorIs(t, err, runtime.ErrGoexit)
		}
		_, err = get(t, runtime.SubmitBlocking(rt, func() (int, error) { return 0, errBoom }))
		require.Equal(t, errBoom, err)
	}
	require.EqualValues(t, 1, rt.BlockingStats().Started)
}

func TestBlockingTaskIsCancelledBeforeItBegins(t *testing.T) {
	rt := start(t, 1, runtime.BlockingThreads(1))
	free, begun := make(chan struct{}), make(chan struct{})
	first := runtime.SubmitBlocking(rt, func() (int, error) { close(begun); <-free; return 1, nil })
	second := runtime.SubmitBlocking(rt, func() (int, error) { return 2, nil })
	require.Equal(t, 1, rt.BlockingStats().Queued)
	<-begun
	first.Cancel() // too late
	second.Cancel()
	close(free)
	v, err := get(t, first)
	require.NoError(t, err)
	require.Equal(t, 1, v)
	_, err = get(t, second)
	require.ErrorIs(t, err, runtime.ErrCancelled)
}

// Shutdown waits for all of them; Close for those that run, and ends those that are queued.
func TestBlockingTasksAtTheEnd(t *testing.T) {
	for _, cancels := range []bool{false, true} {
		rt := start(t, 1, runtime.BlockingThreads(1))
		free, begun := make(chan struct{}), make(chan struct{})
		first := runtime.SubmitBlocking(rt,
			func() (int, error) { close(begun); <-free; return 1, nil })
		second := runtime.SubmitBlocking(rt, func() (int, error) { return 2, nil })
		<-begun
		over := make(chan error, 1)
		go func() {
			if cancels {
				over <- rt.Close()
			} else {
				over <- rt.Shutdown(context.Background())
			}
		}()
		want := error(nil)
		if cancels {
			want = runtime.ErrClosed
			_, err := get(t, second) // before the first one has ended
			require.ErrorIs(t, err, want)
		}
		waits(t, func() bool {
			_, err, ended := runtime.SubmitBlocking(rt, func() (int, error) { return 3, nil }).
				TryJoin()
			return ended && err == runtime.ErrClosed
		}, "the runtime accepts blocking tasks after the end")
		select {
		case <-over:
			t.Fatal("it has not waited for a blocking task")
		case <-time.After(time.Millisecond):
		}
		close(free)
		require.NoError(t, receive(t, over))
		v, err := get(t, first)
		require.NoError(t, err)
		require.Equal(t, 1, v)
		_, err = get(t, second)
		require.Equal(t, want, err)
	}
}

// A draining runtime accepts blocking tasks from its tasks. A cancelled one does not, outside of
// shields, and says so at once.
func TestBlockingTaskSpawnedDuringTheEnd(t *testing.T) {
	for _, cancels := range []bool{false, true} {
		rt := start(t, 1, runtime.BlockingThreads(1))
		free, begun := make(chan struct{}), make(chan struct{})
		busy := runtime.SubmitBlocking(rt,
			func() (int, error) { close(begun); <-free; return 0, nil })
		<-begun
		if !cancels {
			close(free)
		}
		h := runtime.Submit(rt, func(cx runtime.Cx) (v int, err error) {
			if cancels {
				require.NoError(t, cx.Close())
			} else {
				require.NoError(t, cx.Shutdown())
			}
			h := runtime.SpawnBlocking(cx, func() (int, error) { return 6, nil })
			cx.Shield(func() { v, err = h.Join(cx) })
			return v, err
		})
		v, err := get(t, h)
		if cancels {
			require.ErrorIs(t, err, runtime.ErrClosed)
			close(free)
		} else {
			require.NoError(t, err)
			require.Equal(t, 6, v)
		}
		_, err = get(t, busy)
		require.NoError(t, err)
		ends(t, rt)
	}
}

// A blocking task that calls Close or Shutdown of its runtime would wait for its own end; so would
// the hook that is told of its panic. Goroutines that it starts do not, nor does a blocking task of
// another runtime. (runtime/R18)
func TestABlockingTaskDoesNotWaitForItsOwnEnd(t *testing.T) {
	const rule = ": called in a blocking task of the runtime, which would wait for its own end; " +
		"a goroutine that is no task calls it"
	for name, options := range map[string][]runtime.Option{
		"plain": nil, "debug": {runtime.Debug()}, "limited": {runtime.MaxTasks(8)},
	} {
		t.Run(name, func(t *testing.T) {
			var rt *runtime.Runtime
			rt = start(t, 1, append(options, runtime.BlockingThreads(1),
				runtime.OnPanic(func(*runtime.PanicError) { _ = rt.Close() }))...)
			other := start(t, 1)
			refused := func() (int, error) {
				for range 2 { // it has changed nothing
					require.Equal(t, "surewake: Close"+rule, panics(func() { _ = rt.Close() }))
					require.Equal(t, "surewake: Shutdown"+rule, panics(func() {
						_ = rt.Shutdown(context.Background())
					}))
				}
				return 1, nil
			}
			blocking := func(fn func() (int, error)) (int, error) {
				return get(t, runtime.SubmitBlocking(rt, fn))
			}
			for range 2 { // the first task of a thread, and one that comes later
				_, err := blocking(refused)
				require.NoError(t, err)
			}
			_, err := blocking(func() (int, error) {
				defer func() { _, _ = refused() }()
				goruntime.Goexit()
				return 0, nil
			})
			require.ErrorIs(t, err, runtime.ErrGoexit)
			_, err = blocking(refused) // another goroutine continues the thread
			require.NoError(t, err)
			_, err = blocking(func() (int, error) { panic("first") })
			require.ErrorContains(t, err, "first")
			require.ErrorContains(t, err, "surewake: Close"+rule)

			_, err = blocking(func() (int, error) { return 0, other.Close() })
			require.NoError(t, err)
			closed := make(chan error, 1)
			_, err = blocking(func() (int, error) {
				go func() { closed <- rt.Close() }()
				return 0, nil
			})
			require.NoError(t, err)
			require.NoError(t, <-closed)
		})
	}
}
