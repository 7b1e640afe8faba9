package runtime_test

import (
	"context"
	"os"
	goruntime "runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/park"
	"github.com/surewake/surewake/runtime"
)

// A runtime is closed while goroutines submit tasks that spawn, fail, panic and exit, and blocking
// ones: each handle ends, and nothing that was accepted is lost.
func TestCloseInAStorm(t *testing.T) {
	eachProcs(t, func(t *testing.T) {
		for round := range 6 {
			rt := start(t, 1+round%5, runtime.Ring(2<<(round%6)))
			var stop atomic.Bool
			var wg sync.WaitGroup
			handles := make([][]*runtime.Handle[int], 4)
			for g := range handles {
				wg.Go(func() {
					for i := 0; !stop.Load() && i < 5000; i++ {
						h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
							return 1, inAStorm(cx, i)
						})
						b := runtime.SubmitBlocking(rt, func() (int, error) { return 1, nil })
						handles[g] = append(handles[g], h, b)
					}
				})
			}
			time.Sleep(time.Duration(2*round) * time.Millisecond)
			if round%2 == 0 {
				closes(t, rt)
			} else {
				drains(t, rt)
			}
			stop.Store(true)
			wg.Wait()
			for _, h := range slices.Concat(handles...) {
				_, _, ended := h.TryJoin()
				require.True(t, ended)
			}
			s := rt.Stats()
			require.Equal(t, s.Spawned, s.Completed)
			require.Zero(t, s.Live)
		}
	})
}

func inAStorm(cx runtime.Cx, i int) error {
	for j := range 3 {
		c := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
			cx.Yield()
			return 1, cx.Sleep(time.Microsecond)
		})
		if (i+j)%2 == 0 {
			c.Detach()
		} else if _, err := c.Join(cx); err != nil {
			return err
		}
	}
	switch i % 50 {
	case 7:
		goruntime.Goexit()
	case 17:
		panic("in a storm")
	}
	return nil
}

// Nothing that is set for later holds up the end of a runtime: no timer, no goroutine that would be
// kept for blocking tasks, no rescue, no watchdog, no call that waits for a place.
func TestTheEndWaitsForNothingThatIsSetForLater(t *testing.T) {
	eachProcs(t, func(t *testing.T) {
		for _, workers := range []int{1, 2, 5} {
			for _, cancels := range []bool{false, true} {
				rt := start(t, workers, runtime.RescueInterval(time.Hour),
					runtime.BlockingKeepAlive(time.Hour), runtime.MaxTasks(2),
					runtime.Watchdog(time.Hour, func(runtime.Alarm) {}))
				_, err := get(t, runtime.SubmitBlocking(rt, one))
				require.NoError(t, err)
				if !cancels {
					drains(t, rt)
					continue
				}
				sleeps := runtime.Submit(rt, forever)
				waits(t, func() bool { return rt.Stats().Timers == 1 }, "it does not sleep")
				times := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					return runtime.Timeout(cx, time.Hour, func(cx runtime.Cx) (int, error) {
						return 0, cx.AwaitContext(context.Background())
					})
				})
				for range 3 {
					go runtime.Submit(rt, empty)
				}
				waits(t, func() bool { return rt.Stats().Submitting == 3 }, "they do not wait")
				closes(t, rt)
				for _, h := range []*runtime.Handle[int]{sleeps, times} {
					_, err, ended := h.TryJoin()
					require.True(t, ended)
					require.ErrorIs(t, err, runtime.ErrClosed)
				}
			}
		}
	})
}

// A runtime is closed while goroutines submit, and go on until it has ended. The end does not wait
// for the backlog to be run: once the runtime is being closed, each worker, or goroutine for
// blocking tasks, calls one further function at most. (runtime/R7)
func TestCloseRunsNoBacklog(t *testing.T) {
	const threads = 2
	eachProcs(t, func(t *testing.T) {
		for _, workers := range []int{1, 3} {
			for _, blocking := range []bool{false, true} {
				rt := start(t, workers, runtime.BlockingThreads(threads))
				var stop atomic.Bool
				var ran, late atomic.Int64
				call := func() {
					if runtime.Cancelling(rt) {
						late.Add(1)
					}
					ran.Add(1)
				}
				var storm sync.WaitGroup
				for range 2 {
					storm.Go(func() {
						for !stop.Load() {
							if blocking {
								runtime.SubmitBlocking(rt, func() (int, error) {
									call()
									return 1, nil
								}).Detach()
							} else {
								rt.Go(func(runtime.Cx) { call() }).Detach()
							}
						}
					})
				}
				waits(t, func() bool { return ran.Load() > 100 }, "nothing runs")
				closes(t, rt)
				stop.Store(true)
				storm.Wait()
				callers := workers
				if blocking {
					callers = threads
				}
				require.LessOrEqual(t, late.Load(), int64(callers), "blocking tasks: %v", blocking)
				s := rt.Stats()
				require.Equal(t, s.Spawned, s.Completed)
			}
		}
	})
}

// A runtime that nothing refers to any more keeps its workers and goes on: a task that waits is
// woken, and may close it, and then all of it ends, and is collected. Threads are used again.
func TestAForgottenRuntimeGoesOn(t *testing.T) {
	const rounds, runtimes, workers = 4, 10, 4
	eachProcs(t, func(t *testing.T) {
		var first, last int // threads after a round
		for round := range rounds {
			gate := make(chan struct{})
			var ended atomic.Int64
			var all []weak.Pointer[runtime.Runtime]
			for range runtimes {
				all = append(all, forget(t, workers, gate, &ended))
			}
			for range 3 {
				goruntime.GC()
			}
			for _, forgotten := range all {
				rt := forgotten.Value()
				require.NotNil(t, rt, "its workers have gone")
				waits(t, func() bool { return rt.Outsiders() == 1 }, "its task does not wait")
				require.EqualValues(t, workers, rt.Running())
			}
			close(gate)
			waits(t, func() bool { return ended.Load() == runtimes }, "they do not go on")
			for _, forgotten := range all {
				waits(t, func() bool {
					goruntime.GC()
					return forgotten.Value() == nil
				}, "it is kept after its end")
			}
			if entries, err := os.ReadDir("/proc/self/task"); err == nil {
				if last = len(entries); round == 0 {
					first = last
				}
			}
		}
		if park.Futex.Available() { // others may have started threads, too, but not that many
			require.Less(t, last, first+(rounds-1)*runtimes*workers/2,
				"threads are not used again")
		}
	})
}

// forget starts a runtime with a task that waits for the gate, closes the runtime and counts
// itself; and forgets it.
func forget(
	t *testing.T, workers int, gate <-chan struct{}, ended *atomic.Int64,
) weak.Pointer[runtime.Runtime] {
	rt, err := runtime.New(runtime.Workers(workers))
	require.NoError(t, err)
	rt.Go(func(cx runtime.Cx) {
		_, _, err := runtime.Receive(cx, gate)
		if err == nil && cx.Sleep(time.Millisecond) == nil && cx.Close() == nil {
			ended.Add(1)
		}
	}).Detach()
	return weak.Make(rt)
}
