package runtime_test

import (
	"context"
	"errors"
	goruntime "runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// everyPlace calls check with runtimes in which a child that is joined runs on the stack of the one
// that joins it; never does; or does so by chance. It stops at the first failure, which may take
// stuckAfter.
func everyPlace(t *testing.T, check func(t *testing.T, rt *runtime.Runtime)) {
	for _, procs := range []int{1, 2, 8} {
		for name, options := range map[string][]runtime.Option{
			"inlined":   {runtime.Workers(1)},
			"elsewhere": {runtime.Workers(1), runtime.InlineDepth(0)},
			"by chance": {runtime.Workers(3), runtime.InlineDepth(2)},
		} {
			if !t.Run(name, func(t *testing.T) {
				defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(procs))
				rt, err := runtime.New(options...)
				require.NoError(t, err)
				defer rt.Close()
				check(t, rt)
			}) {
				return
			}
		}
	}
}

// hour waits for an hour, and says when it begins.
func hour(begun chan<- struct{}) func(runtime.Cx) (int, error) {
	return func(cx runtime.Cx) (int, error) {
		close(begun)
		return 0, cx.Sleep(time.Hour)
	}
}

// A task that joins its child is cancelled: so is the child, also one that is further up, and all
// who wait for it are told the same. (runtime/R22)
func TestCancelReachesTheChildThatIsJoined(t *testing.T) {
	for name, deep := range map[string]int{
		"child": 1, "of a child": 2, "of many": 50, "of very many": 10_000,
	} {
		t.Run(name, func(t *testing.T) {
			everyPlace(t, func(t *testing.T, rt *runtime.Runtime) {
				begun, others := make(chan struct{}), make(chan *runtime.Handle[int], deep)
				var nest func(cx runtime.Cx, deep int) (int, error)
				nest = func(cx runtime.Cx, deep int) (int, error) {
					if deep == 0 {
						return hour(begun)(cx)
					}
					h := runtime.SpawnWith(cx, nest, deep-1)
					others <- h
					return h.Join(cx)
				}
				h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) { return nest(cx, deep) })
				receive(t, begun)
				h.Cancel()
				_, err := get(t, h)
				require.ErrorIs(t, err, runtime.ErrCancelled)
				for range deep {
					_, err = get(t, receive(t, others))
					require.ErrorIs(t, err, runtime.ErrCancelled)
				}
			})
		})
	}
}

// Every function that starts a child does so. (runtime/R22)
func TestCancelReachesChildrenOfEachKind(t *testing.T) {
	type spawn = func(cx runtime.Cx, fn func(runtime.Cx) (int, error)) *runtime.Handle[int]
	for name, spawn := range map[string]spawn{
		"Spawn": runtime.Spawn[int],
		"SpawnWith": func(cx runtime.Cx, fn func(runtime.Cx) (int, error)) *runtime.Handle[int] {
			call := func(cx runtime.Cx, _ int) (int, error) { return fn(cx) }
			return runtime.SpawnWith(cx, call, 0)
		},
		"SpawnContext": func(cx runtime.Cx, fn func(runtime.Cx) (int, error)) *runtime.Handle[int] {
			return runtime.SpawnContext(context.Background(), cx, fn)
		},
		"SpawnFuture": func(cx runtime.Cx, fn func(runtime.Cx) (int, error)) *runtime.Handle[int] {
			return runtime.SpawnFuture(cx, pollOnce(fn))
		},
	} {
		t.Run(name, func(t *testing.T) {
			everyPlace(t, func(t *testing.T, rt *runtime.Runtime) {
				begun := make(chan struct{})
				h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					return spawn(cx, hour(begun)).Join(cx)
				})
				receive(t, begun)
				h.Cancel()
				_, err := get(t, h)
				require.ErrorIs(t, err, runtime.ErrCancelled)
			})
		})
	}
}

// pollOnce is a future that calls a function.
type pollOnce func(runtime.Cx) (int, error)

func (fn pollOnce) Poll(cx runtime.Cx) (value int, err error, ready bool) {
	value, err = fn(cx)
	return value, err, true
}

// A task is cancelled that holds what its child waits for: both end. (runtime/R22)
func TestCancelEndsWhoHoldsAndWhoWaits(t *testing.T) {
	everyPlace(t, func(t *testing.T, rt *runtime.Runtime) {
		s := runtime.NewSemaphore(1)
		begun := make(chan *runtime.Handle[int], 1)
		h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			if err := s.Acquire(cx, 1); err != nil {
				return 0, err
			}
			defer s.ReleaseFrom(cx, 1)
			c := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) { return 7, s.Acquire(cx, 1) })
			begun <- c
			return c.Join(cx)
		})
		c := receive(t, begun)
		h.Cancel()
		for _, h := range []*runtime.Handle[int]{h, c} {
			_, err := get(t, h)
			require.ErrorIs(t, err, runtime.ErrCancelled)
		}
		require.True(t, s.TryAcquire(1))
	})
}

// What gives a task up does not wait for the child that it joins. (runtime/R22)
func TestTimeoutAndScopeReachTheChildThatIsJoined(t *testing.T) {
	joins := func(cx runtime.Cx) (int, error) {
		return runtime.Spawn(cx, hour(make(chan struct{}))).Join(cx)
	}
	failed := errors.New("failed")
	for name, c := range map[string]struct {
		body func(runtime.Cx) (int, error)
		want error
	}{
		"timeout": {func(cx runtime.Cx) (int, error) {
			return runtime.Timeout(cx, time.Millisecond, joins)
		}, runtime.ErrTimeout},
		"deadline": {func(cx runtime.Cx) (int, error) {
			return runtime.Deadline(cx, time.Now().Add(time.Millisecond), joins)
		}, runtime.ErrTimeout},
		"scope": {func(cx runtime.Cx) (int, error) {
			return 0, runtime.Scope(cx, func(cx runtime.Cx, s *runtime.TaskScope) error {
				runtime.SpawnIn(cx, s, joins)
				cx.Yield()
				return failed
			})
		}, failed},
		"body of a scope": {func(cx runtime.Cx) (int, error) {
			return 0, runtime.Scope(cx, func(cx runtime.Cx, s *runtime.TaskScope) error {
				runtime.SpawnIn(cx, s, func(cx runtime.Cx) (int, error) {
					cx.Yield()
					return 0, failed
				})
				_, err := joins(cx)
				return err
			})
		}, failed},
	} {
		t.Run(name, func(t *testing.T) {
			everyPlace(t, func(t *testing.T, rt *runtime.Runtime) {
				_, err := get(t, runtime.Submit(rt, c.body))
				require.ErrorIs(t, err, c.want)
			})
		})
	}
}

// The context of a child ends with that of the task that joins it, also if the child waits for
// nothing of the runtime. (runtime/R22)
func TestCancelEndsTheContextOfTheChildThatIsJoined(t *testing.T) {
	everyPlace(t, func(t *testing.T, rt *runtime.Runtime) {
		begun := make(chan context.Context, 1)
		h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			return runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
				ctx := cx.Context()
				begun <- ctx
				for ctx.Err() == nil {
					cx.Yield() // the one that has been cancelled may have to run
				}
				return 0, context.Cause(ctx)
			}).Join(cx)
		})
		receive(t, begun)
		h.Cancel()
		_, err := get(t, h)
		require.ErrorIs(t, err, runtime.ErrCancelled)
	})
}

// A child that does not look is not stopped, and the join returns its result. (runtime/R22)
func TestJoinOfAChildReturnsWithItsResult(t *testing.T) {
	everyPlace(t, func(t *testing.T, rt *runtime.Runtime) {
		begun, goOn := make(chan struct{}), make(chan int, 1)
		h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			return runtime.Spawn(cx, func(cx runtime.Cx) (v int, err error) {
				cx.Shield(func() {
					close(begun)
					v, _, err = runtime.Receive(cx, goOn)
				})
				return v, err
			}).Join(cx)
		})
		receive(t, begun)
		h.Cancel()
		goOn <- 7
		v, err := get(t, h)
		require.NoError(t, err)
		require.Equal(t, 7, v)
	})
}

// A task that joins its child in a shield is cancelled after it. (runtime/R22)
func TestShieldKeepsACancelFromTheChildThatIsJoined(t *testing.T) {
	everyPlace(t, func(t *testing.T, rt *runtime.Runtime) {
		s, begun := runtime.NewSemaphore(1), make(chan struct{})
		s.TryAcquire(1)
		h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			var v int
			var err error
			cx.Shield(func() {
				v, err = runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
					close(begun)
					return 7, s.Acquire(cx, 1)
				}).Join(cx)
			})
			if err != nil {
				return 0, err
			}
			return v, cx.Err()
		})
		receive(t, begun)
		h.Cancel()
		s.Release(1)
		v, err := get(t, h)
		require.ErrorIs(t, err, runtime.ErrCancelled)
		require.Equal(t, 7, v)
	})
}

// A join of a task that is not a child of the calling one gives up, and leaves the target alone.
// (runtime/R22)
func TestJoinOfATaskThatIsNoChildGivesUp(t *testing.T) {
	everyPlace(t, func(t *testing.T, rt *runtime.Runtime) {
		s := runtime.NewSemaphore(1)
		s.TryAcquire(1)
		begun, targets := make(chan struct{}), make(chan *runtime.Handle[int], 1)
		h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			target := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				close(begun)
				return 7, s.Acquire(cx, 1)
			})
			targets <- target
			return target.Join(cx)
		})
		receive(t, begun)
		h.Cancel()
		_, err := get(t, h)
		require.ErrorIs(t, err, runtime.ErrCancelled)
		s.Release(1)
		v, err := get(t, receive(t, targets))
		require.NoError(t, err)
		require.Equal(t, 7, v)
	})
}

// A child that calls Goexit ends the task that joins it, also if it has ended before the join; it
// does not end others that join it. (runtime/R22)
func TestGoexitOfAChildEndsWhoJoinsIt(t *testing.T) {
	for name, first := range map[string]func(cx runtime.Cx){
		"during the join": func(runtime.Cx) {},
		"before the join": func(cx runtime.Cx) { cx.Yield(); cx.Yield() },
	} {
		t.Run(name, func(t *testing.T) {
			everyPlace(t, func(t *testing.T, rt *runtime.Runtime) {
				var after atomic.Bool
				children := make(chan *runtime.Handle[int], 1)
				h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					c := runtime.Spawn(cx, func(runtime.Cx) (int, error) {
						goruntime.Goexit()
						return 0, nil
					})
					children <- c
					first(cx)
					c.Join(cx)
					after.Store(true)
					return 0, nil
				})
				_, err := get(t, h)
				require.ErrorIs(t, err, runtime.ErrGoexit)
				require.False(t, after.Load())
				c := receive(t, children)
				_, err = get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					_, err := c.Join(cx)
					return 0, err
				}))
				require.ErrorIs(t, err, runtime.ErrGoexit)
			})
		})
	}
}
