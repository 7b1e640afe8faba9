package runtime_test

import (
	"context"
	"errors"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

var errBoom = errors.New("boom")

func TestResultArrives(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		for _, want := range []error{nil, errBoom} {
			body := func(runtime.Cx) (string, error) { return "value", want }
			h := runtime.Submit(rt, body)
			value, err := get(t, h)
			require.Equal(t, "value", value)
			require.Equal(t, want, err)
			<-h.Done()
			value, err, ok := h.TryJoin()
			require.True(t, ok)
			require.Equal(t, "value", value)
			require.Equal(t, want, err)
			run(t, rt, func(cx runtime.Cx) error {
				for range 2 {
					value, err := h.Join(cx)
					require.Equal(t, "value", value)
					require.Equal(t, want, err)
				}
				value, err := runtime.Spawn(cx, body).Join(cx)
				require.Equal(t, "value", value)
				require.Equal(t, want, err)
				value, err = runtime.SpawnWith(cx, func(_ runtime.Cx, s string) (string, error) {
					return s, want
				}, "argument").
					Join(cx)
				require.Equal(t, "argument", value)
				require.Equal(t, want, err)
				return nil
			})
		}
	})
}

// A spawns B and C, C joins A, A joins B. If a joiner helped by running whatever is queued, C would
// wait on top of A for what lies beneath it. (runtime/R2)
func TestChildJoinsItsParentWhichJoinsAnotherChild(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		for round := range 200 {
			var a atomic.Pointer[runtime.Handle[int]]
			var c *runtime.Handle[int]
			h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				for a.Load() == nil {
					cx.Yield()
				}
				var begun atomic.Bool
				b := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
					begun.Store(true)
					for range round % 4 {
						cx.Yield()
					}
					if round%3 == 0 {
						return 1, cx.Sleep(100 * time.Microsecond)
					}
					return 1, nil
				})
				// Then B waits, and C is queued, when A waits for B.
				for round%3 == 0 && !begun.Load() {
					cx.Yield()
				}
				c = runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
					v, err := a.Load().Join(cx)
					return v + 1, err
				})
				if round%2 == 0 {
					cx.Yield() // C waits for A before A waits for B
				}
				v, err := b.Join(cx)
				return v + 1, err
			})
			a.Store(h)
			v, err := get(t, h)
			require.NoError(t, err)
			require.Equal(t, 2, v)
			v, err = get(t, c)
			require.NoError(t, err)
			require.Equal(t, 3, v)
		}
	})
}

// Any number of tasks and goroutines may wait for one task. Each gets the result, once.
func TestSeveralJoinersOfOneTaskEachGetItsResult(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		for round := range 50 {
			free := make(chan struct{})
			target := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				for {
					select {
					case <-free:
						return round, nil
					default:
						cx.Yield()
					}
				}
			})
			var got atomic.Int32
			check := func(v int, err error) {
				if err == nil && v == round {
					got.Add(1)
				}
			}
			var joiners []*runtime.Handle[int]
			var outside sync.WaitGroup
			for i := range 4 {
				joiners = append(joiners, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					check(target.Join(cx))
					return 0, nil
				}))
				outside.Go(func() {
					if i%2 == 0 {
						<-target.Done()
						v, err, _ := target.TryJoin()
						check(v, err)
						return
					}
					check(target.Wait(context.Background()))
				})
			}
			if round%2 == 0 {
				time.Sleep(50 * time.Microsecond)
			}
			close(free)
			for _, j := range joiners {
				_, err := get(t, j)
				require.NoError(t, err)
			}
			outside.Wait()
			require.EqualValues(t, 8, got.Load())
		}
	})
}

func TestPanicIsTheResultAndIsReported(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		var reported atomic.Pointer[runtime.PanicError]
		rt := start(t, workers, runtime.OnPanic(func(e *runtime.PanicError) { reported.Store(e) }))
		bodies := map[string]func(cx runtime.Cx) (int, error){
			"at once":      func(cx runtime.Cx) (int, error) { panic(errBoom) },
			"after a wait": func(cx runtime.Cx) (int, error) { cx.Yield(); panic(errBoom) },
			"in a shield": func(cx runtime.Cx) (int, error) {
				cx.Shield(func() { panic(errBoom) })
				return 0, nil
			},
		}
		for name, body := range bodies {
			check := func(err error) {
				var p *runtime.PanicError
				require.ErrorAs(t, err, &p, name)
				require.Equal(t, errBoom, p.Value, name)
				require.ErrorIs(t, err, errBoom, name)
				require.Contains(t, string(p.Stack), "task_test.go", name)
				require.Contains(t, p.Error(), "surewake: task panicked: boom\n", name)
				require.Same(t, p, reported.Load(), name)
			}
			_, err := get(t, runtime.Submit(rt, body))
			check(err)
			run(t, rt, func(cx runtime.Cx) error {
				_, err := runtime.Spawn(cx, body).Join(cx) // inlined: the joiner goes on
				check(err)
				return nil
			})
		}
	})
	require.NoError(t, (&runtime.PanicError{Value: 1}).Unwrap())
}

// exits are ways to end a goroutine.
var exits = map[string]func(){
	"Goexit":  goruntime.Goexit,
	"FailNow": func() { new(testing.T).FailNow() },
}

// Goexit ends its task, and those that had inlined it in a join, and nothing else: no worker
// either.
func TestGoexitEndsItsTaskAndTheJoinersBeneathItAndNoWorker(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		for name, exit := range exits {
			for round := range 50 {
				_, err := get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					for range round % 3 {
						cx.Yield()
					}
					exit()
					return 1, nil
				}))
				require.ErrorIs(t, err, runtime.ErrGoexit, name)

				// A joins B, which joins C, which exits. Other tasks of the same worker go on.
				var b, c *runtime.Handle[int]
				var other *runtime.Handle[int]
				a := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					other = runtime.Spawn(cx,
						func(cx runtime.Cx) (int, error) { cx.Yield(); return 5, nil })
					b = runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
						c = runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
							exit()
							return 1, nil
						})
						return c.Join(cx)
					})
					return b.Join(cx)
				})
				_, err = get(t, a)
				require.ErrorIs(t, err, runtime.ErrGoexit)
				_, err = get(t, b)
				require.ErrorIs(t, err, runtime.ErrGoexit)
				_, err = get(t, c)
				require.ErrorIs(t, err, runtime.ErrGoexit)
				v, err := get(t, other)
				require.NoError(t, err)
				require.Equal(t, 5, v)
			}
		}
		allWork(t, rt, workers)
	})
}

// allWork holds that a runtime has that many workers: so many tasks can block one each at the same
// time.
func allWork(t *testing.T, rt *runtime.Runtime, workers int) {
	t.Helper()
	var in sync.WaitGroup
	in.Add(workers)
	all := make(chan struct{})
	var hs []*runtime.Handle[int]
	for range workers {
		hs = append(hs, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			in.Done()
			<-all
			return cx.Worker(), nil
		}))
	}
	go func() { in.Wait(); close(all) }()
	var seen []int
	for _, h := range hs {
		w, err := get(t, h)
		require.NoError(t, err)
		require.NotContains(t, seen, w)
		seen = append(seen, w)
	}
}

// A join that would nest too deeply suspends. So does a chain of them.
func TestJoinsNestAsDeepAsTheyAreAllowedTo(t *testing.T) {
	for _, depth := range []int{0, 1, 3, 256} {
		rt := start(t, 1, runtime.InlineDepth(depth), runtime.Seed(1))
		var down func(cx runtime.Cx, n int) (int, error)
		down = func(cx runtime.Cx, n int) (int, error) {
			if n == 0 {
				return 0, nil
			}
			v, err := runtime.SpawnWith(cx, down, n-1).Join(cx)
			return v + 1, err
		}
		v, err := get(t,
			runtime.Submit(rt, func(cx runtime.Cx) (int, error) { return down(cx, 1000) }))
		require.NoError(t, err)
		require.Equal(t, 1000, v)
	}
}

func TestDetachedTaskRunsOn(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		ran := make(chan int, 3)
		runtime.Submit(rt, func(runtime.Cx) (int, error) { ran <- 1; return 0, nil }).Detach()
		run(t, rt, func(cx runtime.Cx) error {
			runtime.Spawn(cx, func(runtime.Cx) (int, error) { ran <- 1; return 0, nil }).Detach()
			h := runtime.Spawn(cx, func(runtime.Cx) (int, error) { ran <- 1; return 0, nil })
			_, err := h.Join(cx)
			h.Detach()
			return err
		})
		for range 3 {
			receive(t, ran)
		}
	})
}

func TestCancelEndsWhatWaitsAndWhatHasNotBegun(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		h := runtime.Submit(rt, forever)
		time.Sleep(100 * time.Microsecond)
		h.Cancel()
		h.Cancel()
		_, err := get(t, h)
		require.ErrorIs(t, err, runtime.ErrCancelled)
		h.Cancel() // too late

		busy := make(chan struct{})
		for range workers {
			runtime.Submit(rt, func(runtime.Cx) (int, error) { <-busy; return 0, nil }).Detach()
		}
		queued := runtime.Submit(rt, func(runtime.Cx) (int, error) { return 0, errBoom })
		queued.Cancel()
		close(busy)
		_, err = get(t, queued)
		require.ErrorIs(t, err, runtime.ErrCancelled)

		run(t, rt, func(cx runtime.Cx) error {
			fresh := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) { return 0, errBoom })
			fresh.Cancel()
			_, err := fresh.Join(cx)
			require.ErrorIs(t, err, runtime.ErrCancelled)

			var begun atomic.Bool
			waits := runtime.Spawn(cx,
				func(cx runtime.Cx) (int, error) { begun.Store(true); return forever(cx) })
			for !begun.Load() { // so that it is not run on top of the next task
				cx.Yield()
			}
			joins := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) { return waits.Join(cx) })
			cx.Yield()
			joins.Cancel() // that does not cancel its target
			_, err = joins.Join(cx)
			require.ErrorIs(t, err, runtime.ErrCancelled)
			_, _, ended := waits.TryJoin()
			require.False(t, ended)
			waits.Cancel()
			_, err = waits.Join(cx)
			require.ErrorIs(t, err, runtime.ErrCancelled)
			return nil
		})
	})
}

func TestCancelledTaskMayHaveAValueAndIsShielded(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		begun, go1 := make(chan struct{}), make(chan struct{})
		h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			close(begun)
			<-go1
			require.ErrorIs(t, cx.Err(), runtime.ErrCancelled)
			cx.Shield(func() {
				require.NoError(t, cx.Err())
				require.NoError(t, cx.Sleep(time.Microsecond))
				cx.Shield(func() { require.NoError(t, cx.Sleep(time.Microsecond)) })
				require.NoError(t, cx.Err())
			})
			require.ErrorIs(t, cx.Sleep(time.Microsecond), runtime.ErrCancelled)
			return 9, nil
		})
		<-begun
		h.Cancel()
		close(go1)
		v, err := get(t, h)
		require.NoError(t, err)
		require.Equal(t, 9, v)
	})
}

func TestWaitEndsWithItsContext(t *testing.T) {
	rt := start(t, 1)
	h := runtime.Submit(rt, forever)
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errBoom)
	for range 100 { // each leaves a waiter that has given up, which the next one takes away
		_, err := h.Wait(ctx)
		require.ErrorIs(t, err, errBoom)
	}
	_, _, ended := h.TryJoin()
	require.False(t, ended)
	h.Cancel()
	_, err := get(t, h)
	require.ErrorIs(t, err, runtime.ErrCancelled)
}
