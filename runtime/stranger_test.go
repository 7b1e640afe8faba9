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
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// What somebody does who has read no more than the names of the functions.

// eachProcs runs a test at GOMAXPROCS 1, 2 and 8.
func eachProcs(t *testing.T, test func(t *testing.T)) {
	for _, n := range []int{1, 2, 8} {
		t.Run(fmt.Sprint("procs=", n), func(t *testing.T) {
			defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(n))
			test(t)
		})
	}
}

// many returns n, or less with -short.
func many(n int) int {
	if testing.Short() {
		return n / 50
	}
	return n
}

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
			n := many(20_000)
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

// A scope of very many children that wait is cancelled.
func TestAScopeOfManyIsCancelled(t *testing.T) {
	eachProcs(t, func(t *testing.T) {
		rt := start(t, 2)
		var begun, ended atomic.Int64
		_, err := get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			return 0, runtime.Scope(cx, func(cx runtime.Cx, s *runtime.TaskScope) error {
				for range many(20_000) {
					runtime.SpawnIn(cx, s, func(cx runtime.Cx) (int, error) {
						begun.Add(1)
						defer ended.Add(1)
						return forever(cx)
					})
				}
				for begun.Load() < int64(many(20_000))/2 {
					cx.Yield()
				}
				s.Cancel()
				return nil
			})
		}))
		require.ErrorIs(t, err, runtime.ErrCancelled)
		require.Equal(t, begun.Load(), ended.Load())
	})
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
