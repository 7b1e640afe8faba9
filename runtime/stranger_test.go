package runtime_test

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"math"
	goruntime "runtime"
	"runtime/debug"
	"runtime/pprof"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// What somebody does who has read no more than the names of the functions.

// The collector runs all the time, and the runtime lets go of nothing that it needs.
func TestACollectorThatRunsAllTheTimeCollectsNoTask(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(2))
	eachProcs(t, func(t *testing.T) {
		rt := start(t, 4)
		var sum atomic.Int64
		run(t, rt, func(cx runtime.Cx) error {
			return runtime.Scope(cx, func(cx runtime.Cx, s *runtime.TaskScope) error {
				for i := range many(2000) {
					runtime.SpawnIn(cx, s, func(cx runtime.Cx) (int, error) {
						if i%3 == 0 {
							cx.Yield()
						}
						if i%5 == 0 {
							if err := cx.Sleep(time.Microsecond); err != nil {
								return 0, err
							}
						}
						n, err := fork(cx, 5)
						sum.Add(int64(n + len(make([]byte, 1000))))
						return 0, err
					})
				}
				return nil
			})
		})
		require.EqualValues(t, many(2000)*1005, sum.Load())
	})
}

// A runtime may be made on a thread that is locked.
func TestARuntimeIsMadeOnALockedThread(t *testing.T) {
	eachProcs(t, func(t *testing.T) {
		goruntime.LockOSThread()
		defer goruntime.UnlockOSThread()
		rt := start(t, 2)
		run(t, rt, func(cx runtime.Cx) error {
			if err := cx.Sleep(time.Millisecond); err != nil {
				return err
			}
			n, err := fork(cx, 12)
			require.Equal(t, 144, n)
			return err
		})
		closes(t, rt)
	})
}

// Each task joins the next of a long chain, inlined or not.
func TestALongChainOfJoins(t *testing.T) {
	eachProcs(t, func(t *testing.T) {
		for _, depth := range []int{0, 1, 256, 100_000} {
			n := manyGoroutines(20_000)
			rt := start(t, 2, runtime.InlineDepth(depth))
			v, err := get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				return chainOf(cx, n)
			}))
			require.NoError(t, err)
			require.Equal(t, n, v)
			closes(t, rt)
		}
	})
}

func chainOf(cx runtime.Cx, n int) (int, error) {
	if n == 0 {
		return 0, nil
	}
	v, err := runtime.SpawnWith(cx, chainOf, n-1).Join(cx)
	return v + 1, err
}

// Very many futures rest, and all end.
func TestManyFuturesThatRestEnd(t *testing.T) {
	eachProcs(t, func(t *testing.T) {
		rt := start(t, 2)
		n := many(200_000)
		for range n {
			runtime.SubmitFuture[int](rt, neverReady{}).Detach()
		}
		closes(t, rt)
		s := rt.Stats()
		require.EqualValues(t, n, s.Completed)
		require.Zero(t, s.Live)
	})
}

// Very many tasks sleep, until their times have come, or until the runtime is closed.
func TestVeryManySleepersEnd(t *testing.T) {
	eachProcs(t, func(t *testing.T) {
		rt := start(t, 2)
		n := manyGoroutines(30_000)
		var woke atomic.Int64
		var sleepers []*runtime.Handle[int]
		for i := range n {
			rt.Go(func(cx runtime.Cx) {
				if cx.Sleep(time.Duration(i*7919%100)*time.Millisecond) == nil {
					woke.Add(1)
				}
			}).Detach()
			sleepers = append(sleepers, runtime.Submit(rt, forever))
		}
		waits(t, func() bool { return woke.Load() == int64(n) && rt.Stats().Timers == n },
			"they do not all wake, or not all others sleep")
		closes(t, rt)
		for _, h := range sleepers {
			_, err, ended := h.TryJoin()
			require.True(t, ended)
			require.ErrorIs(t, err, runtime.ErrClosed)
		}
		require.Zero(t, runtime.Timers(rt))
	})
}

type neverReady struct{}

func (neverReady) Poll(runtime.Cx) (int, error, bool) { return 0, nil, false }

// Times may be of any length, negative ones too: what is over returns at once, and what is far away
// ends by a cancellation.
func TestTimesOfAnyLength(t *testing.T) {
	eachProcs(t, func(t *testing.T) {
		rt := start(t, 2)
		sleeps := map[string]func(cx runtime.Cx) error{}
		over := map[string]bool{}
		for _, d := range []time.Duration{
			math.MinInt64, -1, 0, 1, math.MaxInt64 - 1, math.MaxInt64,
		} {
			name := fmt.Sprint("Sleep ", int64(d))
			sleeps[name] = func(cx runtime.Cx) error { return cx.Sleep(d) }
			over[name] = d < 2
			name = fmt.Sprint("Select ", int64(d))
			sleeps[name] = func(cx runtime.Cx) error {
				_, err := runtime.Select(cx, runtime.AfterCase(d))
				return err
			}
			over[name] = d < 2
			name = fmt.Sprint("Timeout ", int64(d))
			sleeps[name] = func(cx runtime.Cx) error {
				_, err := runtime.Timeout(cx, d, forever)
				if err == runtime.ErrTimeout {
					return nil
				}
				return err
			}
			over[name] = d < 2
		}
		for i, u := range []time.Time{
			{}, time.Unix(-1<<40, 0), time.Now(), time.Now().Add(math.MaxInt64),
			time.Unix(1<<40, 0),
		} {
			name := fmt.Sprint("SleepUntil ", u.Year())
			sleeps[name] = func(cx runtime.Cx) error { return cx.SleepUntil(u) }
			over[name] = i < 3
		}
		for name, sleep := range sleeps {
			h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) { return 0, sleep(cx) })
			if !over[name] {
				time.Sleep(time.Millisecond)
				_, _, ended := h.TryJoin()
				require.False(t, ended, name)
				h.Cancel()
			}
			_, err := get(t, h)
			if over[name] {
				require.NoError(t, err, name)
			} else {
				require.ErrorIs(t, err, runtime.ErrCancelled, name)
			}
		}
	})
}

// Any number of workers does the work.
func TestAnyNumberOfWorkers(t *testing.T) {
	eachProcs(t, func(t *testing.T) {
		for _, n := range []int{1, 63, 64, 65, 128, 129, 1000} {
			rt := start(t, n)
			var hs []*runtime.Handle[int]
			for range 20 {
				hs = append(hs, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					if err := cx.Sleep(time.Millisecond); err != nil {
						return 0, err
					}
					return fork(cx, 10)
				}))
			}
			for _, h := range hs {
				v, err := get(t, h)
				require.NoError(t, err)
				require.Equal(t, 55, v)
			}
			closes(t, rt)
			s := rt.Stats()
			require.Equal(t, s.Spawned, s.Completed)
		}
	})
}

// With Debug, a task that sleeps in a function of iter.Pull, which is another goroutine, is told
// so.
func TestDebugRefusesACxInAPulledIterator(t *testing.T) {
	eachProcs(t, func(t *testing.T) {
		rt := start(t, 1, runtime.Debug())
		run(t, rt, func(cx runtime.Cx) error {
			next, stop := iter.Pull(func(yield func(any) bool) {
				defer func() { yield(recover()) }()
				_ = cx.Sleep(time.Millisecond)
			})
			defer stop()
			told, _ := next()
			require.Equal(t, "surewake: a Cx must be used on the goroutine of its task only", told)
			return cx.Sleep(time.Microsecond) // the task goes on
		})
	})
}

// A scope of very many children that wait is cancelled.
func TestAScopeOfManyIsCancelled(t *testing.T) {
	eachProcs(t, func(t *testing.T) {
		n := manyGoroutines(20_000)
		cancelsScope(t, n, n/2)
	})
	if !testing.Short() {
		n := manyGoroutines(100_000)
		t.Logf("%d children: %v from Cancel to the end", n, cancelsScope(t, n, n))
	}
}

// cancelsScope cancels a scope of so many children when some of them have begun, and returns how
// long that took. Those that have begun wait until then, and all end.
func cancelsScope(t *testing.T, children, begin int) (took time.Duration) {
	t.Helper()
	rt := start(t, 2)
	var begun, ended atomic.Int64
	var at time.Time
	_, err := get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		return 0, runtime.Scope(cx, func(cx runtime.Cx, s *runtime.TaskScope) error {
			for range children {
				runtime.SpawnIn(cx, s, func(cx runtime.Cx) (int, error) {
					begun.Add(1)
					defer ended.Add(1)
					return forever(cx)
				})
			}
			for begun.Load() < int64(begin) {
				cx.Yield()
			}
			at = time.Now()
			s.Cancel()
			return nil
		})
	}))
	require.ErrorIs(t, err, runtime.ErrCancelled)
	require.GreaterOrEqual(t, begun.Load(), int64(begin))
	require.Equal(t, begun.Load(), ended.Load())
	waits(t, func() bool { return rt.Stats().Live == 0 }, "children are left")
	require.Zero(t, runtime.Timers(rt))
	return time.Since(at)
}

// Go's own profile of goroutines names the function in which a task waits.
func TestGoroutineProfileNamesWhatWaits(t *testing.T) {
	eachProcs(t, func(t *testing.T) {
		rt := start(t, 2)
		s := runtime.NewSemaphore(1)
		require.True(t, s.TryAcquire(1))
		h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			return waitsForASemaphore(cx, s)
		})
		waits(t, func() bool { return runtime.Waiting(s) == 1 }, "nobody waits")
		var text bytes.Buffer
		waits(t, func() bool { // once it has left the worker's goroutine
			text.Reset()
			require.NoError(t, pprof.Lookup("goroutine").WriteTo(&text, 2))
			return bytes.Contains(text.Bytes(), []byte("runtime_test.waitsForASemaphore("))
		}, "the profile does not name it")
		s.Release(1)
		_, err := get(t, h)
		require.NoError(t, err)
	})
}

func waitsForASemaphore(cx runtime.Cx, s *runtime.Semaphore) (int, error) {
	return 0, s.Acquire(cx, 1)
}

// A request's context that ends while its task runs ends the task, and gives it its values.
func TestATaskOfARequestEndsWithIt(t *testing.T) {
	type key struct{}
	eachProcs(t, func(t *testing.T) {
		rt := start(t, 2)
		ctx, stop := context.WithTimeout(
			context.WithValue(context.Background(), key{}, "request 7"), 5*time.Millisecond)
		defer stop()
		h := runtime.SubmitContext(ctx, rt, func(cx runtime.Cx) (string, error) {
			name, _ := cx.Context().Value(key{}).(string)
			return name, cx.Sleep(time.Hour)
		})
		name, err := get(t, h)
		require.Equal(t, "request 7", name)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, runtime.ErrTimeout)
	})
}

// Two tasks talk to each other, whatever the number of workers and of processors.
func TestTwoTasksTalk(t *testing.T) {
	eachProcs(t, func(t *testing.T) {
		for _, workers := range []int{1, 4, 16} {
			rt := start(t, workers)
			there, back := runtime.NewChannel[int](0), runtime.NewChannel[int](0)
			n := many(10_000)
			asks := runtime.Submit(rt, func(cx runtime.Cx) (sum int, err error) {
				defer there.Close()
				for i := range n {
					if err := there.Send(cx, i); err != nil {
						return sum, err
					}
					v, err := back.Receive(cx)
					if err != nil {
						return sum, err
					}
					sum += v - 2*i
				}
				return sum, nil
			})
			answers := runtime.Submit(rt, func(cx runtime.Cx) (answered int, err error) {
				for i, err := range there.All(cx) {
					if err == nil {
						err = back.Send(cx, 2*i+1)
					}
					if err != nil {
						return answered, err
					}
					answered++
				}
				return answered, nil
			})
			for _, h := range []*runtime.Handle[int]{asks, answers} {
				v, err := get(t, h)
				require.NoError(t, err)
				require.Equal(t, n, v)
			}
			closes(t, rt)
		}
	})
}

// rescued is when a task that is the next one of a blocked worker has begun for certain: after two
// rescue intervals, which are 20 ms by default, and what a slow machine takes.
const rescued = 5 * time.Second

// A task blocks its worker until its child has run, which is the next one there. Another worker
// takes it soon; where there is none, a watchdog tells of the task, which waits for ever.
func TestATaskThatBlocksItsWorkerForItsChild(t *testing.T) {
	eachProcs(t, func(t *testing.T) {
		for _, workers := range []int{1, 2} {
			alarms := make(chan runtime.Alarm, 100)
			rt := start(t, workers, runtime.Watchdog(5*time.Millisecond, func(a runtime.Alarm) {
				alarms <- a
			}))
			ran, letGo := make(chan struct{}), make(chan struct{})
			var late <-chan time.Time
			if workers > 1 {
				late = time.After(rescued)
			}
			h := runtime.Submit(rt, func(cx runtime.Cx) (bool, error) {
				cx.Go(func(runtime.Cx) { close(ran) }).Detach()
				select {
				case <-ran:
					return true, nil
				case <-letGo:
					return false, nil
				case <-late:
					return false, nil
				}
			})
			if workers == 1 {
				a := receive(t, alarms)
				require.Zero(t, a.Worker)
				require.Contains(t, a.String(), "holds worker 0")
				require.Contains(t, a.Stack(), "TestATaskThatBlocksItsWorkerForItsChild")
				require.False(t, hasEnded(h))
				close(letGo)
			}
			during, err := get(t, h)
			require.NoError(t, err)
			require.Equal(t, workers > 1, during, "%d workers", workers)
			receive(t, ran)
		}
	})
}

// Numbers that nobody can mean are refused by a message that has the number and the range, or do
// what they say.
func TestAbsurdNumbers(t *testing.T) {
	const most = math.MaxInt
	eachProcs(t, func(t *testing.T) {
		rt := start(t, 2, runtime.RescueInterval(math.MaxInt64),
			runtime.BlockingKeepAlive(math.MaxInt64), runtime.MaxTasks(math.MaxInt32))
		_, err := get(t, runtime.SubmitBlocking(rt, one))
		require.NoError(t, err)
		_, err = runtime.New(runtime.Workers(most))
		require.EqualError(t, err, fmt.Sprintf("surewake: Workers(%d): must be 1 to 65536", most))
		run(t, rt, func(cx runtime.Cx) error {
			for want, call := range map[string]func(){
				"NewChannel(%d): must be 0 to 1073741824": func() {
					runtime.NewChannel[struct{}](most)
				},
				"Semaphore.Acquire(%d): must be 1 to 3, the number of permits": func() {
					_ = runtime.NewSemaphore(3).Acquire(cx, most)
				},
				"Semaphore.Release(%d): no permit is taken": func() {
					runtime.NewSemaphore(3).Release(most)
				},
				"Handle(%d) of a batch of 2 tasks": func() {
					runtime.SpawnBatch(cx, 2, emptyOf).Handle(most)
				},
			} {
				require.Equal(t, "surewake: "+fmt.Sprintf(want, most), panics(call))
			}
			if big := most; big > math.MaxInt32 {
				const want = "surewake: %s: %d tasks; there must be at most 2147483647"
				require.Equal(t, fmt.Sprintf(want, "SubmitBatch", big),
					panics(func() { runtime.SubmitBatch(rt, big, emptyOf) }))
				require.Equal(t, fmt.Sprintf(want, "SpawnBatch", big),
					panics(func() { runtime.SpawnBatch(cx, big, emptyOf) }))
			}
			for _, lo := range []int{math.MinInt, most - 3} {
				var calls atomic.Int64
				require.NoError(t, runtime.For(cx, lo, lo+3, func(runtime.Cx, int) {
					calls.Add(1)
				}))
				require.NoError(t, runtime.ForErr(cx, lo, lo+3, func(runtime.Cx, int) error {
					calls.Add(1)
					return nil
				}))
				require.EqualValues(t, 6, calls.Load())
			}
			require.NoError(t, runtime.For(cx, most, math.MinInt,
				func(runtime.Cx, int) { t.Error("called") }))
			i, err := runtime.Select(cx, nil, runtime.AfterCase(math.MinInt64))
			require.Equal(t, 1, i)
			return err
		})
		closes(t, rt)
	})
}
