package runtime_test

import (
	"context"
	"errors"
	"math/rand/v2"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// submitters are the ways to start a task from outside; each starts one that calls fn.
var submitters = map[string]func(rt *runtime.Runtime, fn func()) (wait func() error){
	"Submit": func(rt *runtime.Runtime, fn func()) func() error {
		return waitOf(runtime.Submit(rt, calls(fn)))
	},
	"SubmitContext": func(rt *runtime.Runtime, fn func()) func() error {
		return waitOf(runtime.SubmitContext(context.Background(), rt, calls(fn)))
	},
	"Go": func(rt *runtime.Runtime, fn func()) func() error {
		return waitOf(rt.Go(func(runtime.Cx) { fn() }))
	},
	"SubmitFuture": func(rt *runtime.Runtime, fn func()) func() error {
		return waitOf(runtime.SubmitFuture[int](rt, readyFuture(fn)))
	},
	"SubmitBatch": func(rt *runtime.Runtime, fn func()) func() error {
		b := runtime.SubmitBatch(rt, 1, func(runtime.Cx, int) (int, error) { fn(); return 0, nil })
		return func() error { _, err := b.Wait(context.Background()); return err }
	},
	"SubmitBlocking": func(rt *runtime.Runtime, fn func()) func() error {
		return waitOf(runtime.SubmitBlocking(rt, func() (int, error) { fn(); return 0, nil }))
	},
	"SubmitBlockingContext": func(rt *runtime.Runtime, fn func()) func() error {
		return waitOf(runtime.SubmitBlockingContext(context.Background(), rt,
			func(context.Context) (int, error) { fn(); return 0, nil }))
	},
}

func calls(fn func()) func(runtime.Cx) (int, error) {
	return func(runtime.Cx) (int, error) { fn(); return 0, nil }
}

func waitOf[T any](h *runtime.Handle[T]) func() error {
	return func() error { _, err := h.Wait(context.Background()); return err }
}

// A readyFuture calls itself when it is polled first, and is ready.
type readyFuture func()

func (f readyFuture) Poll(runtime.Cx) (int, error, bool) { f(); return 0, nil, true }

// Never are there more tasks from outside than places, whatever starts them, and all run.
func TestEachWayFromOutsideNeedsAPlace(t *testing.T) {
	for name, submit := range submitters {
		t.Run(name, func(t *testing.T) {
			rt := start(t, 2, runtime.MaxTasks(2))
			var there, most, ran atomic.Int32
			over := make(chan error, 4)
			for range cap(over) {
				go func() {
					var err error
					for range 25 {
						err = errors.Join(err, submit(rt, func() {
							raise(&most, there.Add(1))
							goruntime.Gosched()
							ran.Add(1)
							there.Add(-1)
						})())
					}
					over <- err
				}()
			}
			for range cap(over) {
				require.NoError(t, receive(t, over))
			}
			require.LessOrEqual(t, most.Load(), int32(2))
			require.EqualValues(t, 100, ran.Load())
			require.Equal(t, 2, rt.Stats().Places)
		})
	}
}

// raise raises m to n, if it is less.
func raise(m *atomic.Int32, n int32) {
	for old := m.Load(); n > old && !m.CompareAndSwap(old, n); old = m.Load() {
	}
}

// occupy starts a task that has a place of rt until end is called.
func occupy(t testing.TB, rt *runtime.Runtime) (end func()) {
	t.Helper()
	gate := runtime.NewChannel[int](0)
	h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) { return gate.Receive(cx) })
	return func() {
		_ = gate.Close()
		_, err := get(t, h)
		require.ErrorIs(t, err, runtime.ErrChannelClosed)
	}
}

// When there is no place, a call waits until there is one, in the order of the calls; or until the
// runtime is closed. Its task is not lost. (runtime/R42)
func TestEachWayFromOutsideWaitsForAPlaceOrTheEnd(t *testing.T) {
	for name, submit := range submitters {
		for _, closes := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				rt := start(t, 1, runtime.MaxTasks(1))
				end := occupy(t, rt)
				var ran atomic.Bool
				over := make(chan error, 1)
				go func() { over <- submit(rt, func() { ran.Store(true) })() }()
				waits(t, func() bool { return rt.Stats().Submitting == 1 }, "it does not wait")
				require.False(t, ran.Load())
				if closes {
					require.NoError(t, rt.Close())
					require.ErrorIs(t, receive(t, over), runtime.ErrClosed)
				} else {
					end()
					require.NoError(t, receive(t, over))
				}
				require.Equal(t, !closes, ran.Load())
			})
		}
	}
}

// A context that ends while there is no place ends the task, with why it ended; the next in line
// gets the place. (runtime/R40)
func TestAContextEndsTheWaitForAPlace(t *testing.T) {
	for name, submit := range map[string]func(context.Context, *runtime.Runtime) func() error{
		"task": func(ctx context.Context, rt *runtime.Runtime) func() error {
			return waitOf(runtime.SubmitContext(ctx, rt, empty))
		},
		"blocking": func(ctx context.Context, rt *runtime.Runtime) func() error {
			return waitOf(runtime.SubmitBlockingContext(ctx, rt,
				func(context.Context) (int, error) { return 0, nil }))
		},
	} {
		t.Run(name, func(t *testing.T) {
			rt := start(t, 1, runtime.MaxTasks(1))
			end := occupy(t, rt)
			why := errors.New("why")
			ctx, cancel := context.WithCancelCause(t.Context())
			over, next := make(chan error, 1), make(chan error, 1)
			go func() { over <- submit(ctx, rt)() }()
			waits(t, func() bool { return rt.Stats().Submitting == 1 }, "it does not wait")
			go func() { next <- waitOf(runtime.Submit(rt, empty))() }()
			waits(t, func() bool { return rt.Stats().Submitting == 2 }, "it does not wait")
			cancel(why)
			err := receive(t, over)
			require.ErrorIs(t, err, runtime.ErrCancelled)
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorIs(t, err, why)
			end()
			require.NoError(t, receive(t, next))
			require.Equal(t, 1, rt.Stats().Places)
			drains(t, rt)
			s := rt.Stats()
			require.Equal(t, s.Spawned, s.Completed)
		})
	}
}

// A task is never made to wait for a place, on its goroutine or that of a blocking task: it might
// be for its own. (runtime/R41)
func TestATaskDoesNotWaitForAPlace(t *testing.T) {
	for name, submit := range submitters {
		t.Run(name, func(t *testing.T) {
			eachLimited(t, func(t *testing.T, rt *runtime.Runtime) {
				var ran atomic.Int32
				waitAll := make(chan func() error, 6)
				all := func() {
					for range 3 {
						waitAll <- submit(rt, func() { ran.Add(1) })
					}
				}
				over := make(chan error, 2)
				go func() { over <- waitOf(runtime.Submit(rt, calls(all)))() }()
				go func() {
					over <- waitOf(runtime.SubmitBlocking(rt,
						func() (int, error) { all(); return 0, nil }))()
				}()
				require.NoError(t, receive(t, over))
				require.NoError(t, receive(t, over))
				for range cap(waitAll) {
					require.NoError(t, (<-waitAll)())
				}
				require.EqualValues(t, 6, ran.Load())
				require.Equal(t, 1, rt.Stats().Places)
			})
		})
	}
}

// eachLimited runs a test on runtimes with one place, and 1 and 2 workers.
func eachLimited(t *testing.T, test func(t *testing.T, rt *runtime.Runtime)) {
	for _, workers := range []int{1, 2} {
		test(t, start(t, workers, runtime.MaxTasks(1)))
	}
}

// Nor does a function of a blocking task that has called Goexit on the goroutine before.
func TestAThreadThatGoesOnDoesNotWaitForAPlace(t *testing.T) {
	rt := start(t, 1, runtime.MaxTasks(1), runtime.BlockingThreads(1))
	exits := func() (int, error) { goruntime.Goexit(); return 0, nil }
	_, err := get(t, runtime.SubmitBlocking(rt, exits))
	require.ErrorIs(t, err, runtime.ErrGoexit)
	h := runtime.SubmitBlocking(rt, func() (*runtime.Handle[int], error) {
		return runtime.Submit(rt, empty), nil
	})
	inner, err := get(t, h)
	require.NoError(t, err)
	_, err = get(t, inner)
	require.NoError(t, err)
}

// What a task starts, and what a group starts, needs no place.
func TestWhatATaskStartsNeedsNoPlace(t *testing.T) {
	eachLimited(t, func(t *testing.T, rt *runtime.Runtime) {
		run(t, rt, func(cx runtime.Cx) error {
			n, err := fib(cx, 10)
			require.Equal(t, 55, n)
			return err
		})
		end := occupy(t, rt)
		g := runtime.NewGroup(t.Context(), rt)
		g.Go(noError)
		require.True(t, g.TryGo(noError))
		require.NoError(t, waitGroup(t, g))
		end()
	})
}

// A batch waits for places for all of its tasks, and is not overtaken; one that is larger than the
// limit has the runtime for itself. An empty one needs none.
func TestABatchTakesAllItsPlaces(t *testing.T) {
	rt := start(t, 2, runtime.MaxTasks(3))
	for _, n := range []int{2, 3, 7} {
		first, second := occupy(t, rt), occupy(t, rt)
		over := make(chan error, 1)
		go func() {
			_, err := runtime.SubmitBatch(rt, n, emptyOf).Wait(context.Background())
			over <- err
		}()
		waits(t, func() bool { return rt.Stats().Submitting == 1 }, "it does not wait")
		_, err := runtime.TrySubmit(rt, empty)
		require.Equal(t, runtime.ErrWouldWait, err, "it overtakes the batch")
		first()
		if n > 2 {
			require.Equal(t, 1, rt.Stats().Submitting)
		}
		second()
		require.NoError(t, receive(t, over))
		require.Equal(t, 3, rt.Stats().Places)
	}
	end := [3]func(){occupy(t, rt), occupy(t, rt), occupy(t, rt)}
	require.Zero(t, runtime.SubmitBatch(rt, 0, emptyOf).Len())
	for _, f := range end {
		f()
	}
}

// TrySubmit says at once that there is no place, or that the runtime is closed; the place of a task
// that has ended, however that was, is free. (runtime/R40)
func TestTrySubmitSaysWhetherThereIsAPlace(t *testing.T) {
	rt := start(t, 1, runtime.MaxTasks(1))
	for name, fn := range map[string]func(runtime.Cx) (int, error){
		"returns": empty,
		"fails":   func(runtime.Cx) (int, error) { return 0, errors.New("failed") },
		"panics":  func(runtime.Cx) (int, error) { panic("on purpose") },
		"exits":   func(runtime.Cx) (int, error) { goruntime.Goexit(); return 0, nil },
		"waits":   func(cx runtime.Cx) (int, error) { cx.Yield(); return 0, nil },
	} {
		for range 100 {
			h, err := runtime.TrySubmit(rt, fn)
			require.NoError(t, err, name)
			_, _ = get(t, h)
		}
	}
	gate := runtime.NewChannel[int](0)
	h, err := runtime.TrySubmit(rt, func(cx runtime.Cx) (int, error) { return gate.Receive(cx) })
	require.NoError(t, err)
	none, err := runtime.TrySubmit(rt, empty)
	require.Nil(t, none)
	require.Equal(t, runtime.ErrWouldWait, err)
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = runtime.TrySubmit(rt, empty) }))
	h.Cancel() // a task that was cancelled leaves its place, too
	_, err = get(t, h)
	require.ErrorIs(t, err, runtime.ErrCancelled)
	h, err = runtime.TrySubmit(rt, empty)
	require.NoError(t, err)
	h.Detach()
	closes(t, rt)
	none, err = runtime.TrySubmit(rt, empty)
	require.Nil(t, none)
	require.Equal(t, runtime.ErrClosed, err)
}

// Without a limit, TrySubmit is Submit that says that the runtime is closed.
func TestTrySubmitWithoutALimit(t *testing.T) {
	rt := start(t, 1)
	for range 1000 {
		h, err := runtime.TrySubmit(rt, empty)
		require.NoError(t, err)
		h.Detach()
	}
	closes(t, rt)
	h, err := runtime.TrySubmit(rt, empty)
	require.Nil(t, h)
	require.Equal(t, runtime.ErrClosed, err)
}

// Goroutines start tasks in all ways, some of which give up, and tasks that start others, until the
// runtime is closed in the midst: no task runs twice, or without its caller knowing, and all places
// are free at the end. (runtime/R40)
func TestPlacesInRandomWork(t *testing.T) {
	rounds := 20
	if testing.Short() {
		rounds = 4
	}
	for round := range rounds {
		rng := rand.New(rand.NewPCG(uint64(round), 0))
		limit := 1 + rng.IntN(4)
		rt := start(t, 1+rng.IntN(4), runtime.MaxTasks(limit))
		var called, accepted atomic.Int64
		var all sync.WaitGroup
		for range 6 {
			seed := rng.Uint64()
			all.Go(func() { submitAtRandom(rt, seed, &called, &accepted) })
		}
		time.Sleep(time.Duration(rng.IntN(5000)) * time.Microsecond)
		switch rng.IntN(3) {
		case 0:
			closes(t, rt)
		case 1:
			drains(t, rt)
		}
		allOver(t, &all)
		waits(t, func() bool { return rt.Stats().Places == limit }, "a place is missing")
		require.Zero(t, rt.Stats().Submitting)
		closesAnyway(rt)
		require.Equal(t, accepted.Load(), called.Load())
		s := rt.Stats()
		require.Equal(t, s.Spawned, s.Completed)
	}
}

func closesAnyway(rt *runtime.Runtime) {
	_ = rt.Close() // it may be closed
	<-rt.Done()
}

func allOver(t *testing.T, all *sync.WaitGroup) {
	t.Helper()
	over := make(chan struct{})
	go func() { all.Wait(); close(over) }()
	receive(t, over)
}

// submitAtRandom starts tasks that count themselves, and counts those that tell that they did.
func submitAtRandom(rt *runtime.Runtime, seed uint64, called, accepted *atomic.Int64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	count := func(h *runtime.Handle[int], err error) {
		if err != nil {
			return
		}
		if n, _ := h.Wait(context.Background()); n == 1 {
			accepted.Add(1)
		}
	}
	for range 60 {
		ending := rng.IntN(4)
		fn := func(cx runtime.Cx) (int, error) {
			called.Add(1)
			switch ending {
			case 0:
				cx.Yield()
			case 1:
				count := func(runtime.Cx) (int, error) { called.Add(1); return 1, nil }
				h := runtime.Submit(rt, count) // exceeds the limit
				cx.Shield(func() {
					n, _ := h.Join(cx)
					accepted.Add(int64(n))
				})
			}
			return 1, nil
		}
		switch rng.IntN(6) {
		case 0, 1:
			count(runtime.TrySubmit(rt, fn))
		case 2:
			count(runtime.Submit(rt, fn), nil)
		case 3:
			ctx, cancel := context.WithTimeout(context.Background(),
				time.Duration(rng.IntN(100))*time.Microsecond)
			count(runtime.SubmitContext(ctx, rt, fn), nil)
			cancel()
		case 4:
			b := runtime.SubmitBatch(rt, rng.IntN(6), func(cx runtime.Cx, _ int) (int, error) {
				return fn(cx)
			})
			for _, h := range b.All() {
				count(h, nil)
			}
		default:
			count(runtime.SubmitBlocking(rt, func() (int, error) {
				called.Add(1)
				return 1, nil
			}), nil)
		}
	}
}
