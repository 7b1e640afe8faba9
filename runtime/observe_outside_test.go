package runtime_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// boundTasks are the ways in which a task that waits for a bell can end with a context.
var boundTasks = map[string]func(context.Context, *runtime.Runtime){
	"SubmitContext": func(ctx context.Context, rt *runtime.Runtime) {
		runtime.SubmitContext(ctx, rt, waitsForABell)
	},
	"SpawnContext": func(ctx context.Context, rt *runtime.Runtime) {
		runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			return runtime.SpawnContext(ctx, cx, waitsForABell).Join(cx)
		})
	},
	"Group": func(ctx context.Context, rt *runtime.Runtime) {
		g := runtime.NewGroup(ctx, rt)
		for range 3 {
			g.Go(func(cx runtime.Cx) error {
				_, err := waitsForABell(cx)
				return err
			})
		}
	},
	"AwaitContext": func(ctx context.Context, rt *runtime.Runtime) {
		runtime.Submit(rt, func(cx runtime.Cx) (int, error) { return 0, cx.AwaitContext(ctx) })
	},
	"Select": func(ctx context.Context, rt *runtime.Runtime) {
		runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			return runtime.Select(cx, new(runtime.Notify).WaitCase(), runtime.DoneCase(ctx))
		})
	},
}

// aWatchdog makes the alarms of a bubble those of a watchdog, which are as those of Debug.
func aWatchdog(all *[]anAlarm) runtime.Option {
	begin, lock := time.Now(), new(sync.Mutex)
	return runtime.Watchdog(10*time.Second, func(a runtime.Alarm) {
		lock.Lock()
		defer lock.Unlock()
		*all = append(*all, anAlarm{a, time.Since(begin)})
	})
}

// toldByBoth calls test with what Debug tells of body, and with what a watchdog does.
func toldByBoth(t *testing.T, body func(*runtime.Runtime), test func(*testing.T, []anAlarm)) {
	t.Helper()
	t.Run("Debug", func(t *testing.T) { test(t, toldIn(t, body)) })
	t.Run("Watchdog", func(t *testing.T) {
		var all []anAlarm
		synctest.Test(t, func(t *testing.T) {
			rt, err := runtime.New(runtime.Workers(2), aWatchdog(&all))
			require.NoError(t, err)
			body(rt)
			synctest.Wait()
			require.NoError(t, rt.Close())
		})
		test(t, all)
	})
}

// A task that a context may still end from outside is not told of. (runtime/R61)
func TestWhatAContextMayEndIsNotToldOf(t *testing.T) {
	for name, submit := range boundTasks {
		t.Run(name, func(t *testing.T) {
			toldByBoth(t, func(rt *runtime.Runtime) {
				ctx, cancel := context.WithCancel(context.Background())
				submit(ctx, rt)
				time.Sleep(time.Hour)
				cancel()
				time.Sleep(time.Hour)
				ctx, cancel = context.WithTimeout(context.Background(), time.Hour)
				defer cancel()
				submit(ctx, rt)
				time.Sleep(2 * time.Hour)
			}, func(t *testing.T, all []anAlarm) { require.Empty(t, all) })
		})
	}
}

// A context that never ends, or is that of a task of the same runtime, or of its values, ends
// nothing from outside. (runtime/R61)
func TestWhatNoContextEndsIsToldOf(t *testing.T) {
	type key struct{}
	for name, submit := range boundTasks {
		t.Run(name, func(t *testing.T) {
			for name, body := range map[string]func(*runtime.Runtime){
				"endless": func(rt *runtime.Runtime) { submit(context.Background(), rt) },
				"of a task": func(rt *runtime.Runtime) {
					runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
						submit(context.WithValue(cx.Context(), key{}, 1), rt)
						return waitsForABell(cx)
					})
				},
				"of a task that was bound": func(rt *runtime.Runtime) {
					ctx := context.WithValue(context.Background(), key{}, 2)
					runtime.SubmitContext(ctx, rt, func(cx runtime.Cx) (int, error) {
						submit(cx.Context(), rt)
						return waitsForABell(cx)
					})
				},
				"without its end": func(rt *runtime.Runtime) {
					ctx, cancel := context.WithCancel(context.Background())
					defer cancel()
					submit(context.WithoutCancel(ctx), rt)
				},
			} {
				t.Run(name, func(t *testing.T) {
					toldByBoth(t, func(rt *runtime.Runtime) {
						body(rt)
						time.Sleep(time.Hour)
					}, func(t *testing.T, all []anAlarm) {
						require.Len(t, all, 1)
						after := all[0].after.Truncate(10 * time.Second)
						require.Equal(t, 10*time.Second, after)
					})
				})
			}
		})
	}
}

// A context that is derived from that of a task may end before the task, and so may that of a task
// of another runtime. (runtime/R61)
func TestContextsOfTasksThatMayEndAnother(t *testing.T) {
	require.Empty(t, toldIn(t, func(rt *runtime.Runtime) {
		runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			ctx, cancel := context.WithTimeout(cx.Context(), time.Hour)
			defer cancel()
			return runtime.SpawnContext(ctx, cx, waitsForABell).Join(cx)
		})
		time.Sleep(2 * time.Hour)
		other, err := runtime.New(runtime.Workers(1), runtime.Debug())
		require.NoError(t, err)
		runtime.Submit(other, func(cx runtime.Cx) (int, error) {
			runtime.SubmitContext(cx.Context(), rt, waitsForABell)
			return 0, cx.Sleep(time.Hour)
		})
		time.Sleep(2 * time.Hour)
		require.NoError(t, other.Close())
	}))
}

// The end of a context that ends no task, as that is in a shield, wakes no worker. (runtime/R61)
func TestDebugTellsAfterTheEndOfAContext(t *testing.T) {
	toldByBoth(t, func(rt *runtime.Runtime) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		var bell runtime.Notify
		runtime.SubmitContext(ctx, rt, func(cx runtime.Cx) (int, error) {
			var err error
			cx.Shield(func() { err = bell.Wait(cx) })
			return 0, err
		})
		time.Sleep(time.Hour)
		bell.Signal() // Close does not end it either
	}, func(t *testing.T, all []anAlarm) {
		require.Len(t, all, 1)
		require.Equal(t, 70*time.Second, all[0].after.Truncate(10*time.Second))
	})
}

// What is left of a Run ends with its context, too, also after its function has returned.
// (runtime/R61)
func TestDebugTellsNothingOfARunThatMayEnd(t *testing.T) {
	for name, want := range map[string]int{"endless": 1, "may end": 0} {
		t.Run(name, func(t *testing.T) {
			var all []runtime.Alarm
			synctest.Test(t, func(t *testing.T) {
				ctx, bell := context.Background(), new(runtime.Notify)
				if want == 0 {
					var cancel func()
					ctx, cancel = context.WithCancel(ctx)
					defer cancel()
				}
				go func() {
					time.Sleep(time.Hour)
					bell.Signal()
				}()
				v, err := runtime.Run(ctx, func(cx runtime.Cx) (int, error) {
					runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
						return 0, bell.Wait(cx)
					}).Detach()
					return 1, nil
				}, runtime.Debug(), runtime.Alarms(func(a runtime.Alarm) { all = append(all, a) }))
				require.NoError(t, err)
				require.Equal(t, 1, v)
			})
			require.Len(t, all, want)
		})
	}
}

// A blocking task that waits for the end of tasks that wait for ever waits for ever, and so does
// what is queued behind it. (runtime/R61)
func TestABlockingTaskThatWaitsForTheEndOfOthersIsToldOf(t *testing.T) {
	for name, wait := range map[string]func(*runtime.Runtime, *runtime.Group) error{
		"Handle.Wait": func(rt *runtime.Runtime, _ *runtime.Group) error {
			_, err := runtime.Submit(rt, waitsForABell).Wait(context.Background())
			return err
		},
		"TaskBatch.Wait": func(rt *runtime.Runtime, _ *runtime.Group) error {
			b := runtime.SubmitBatch(rt, 2, func(cx runtime.Cx, _ int) (int, error) {
				return waitsForABell(cx)
			})
			_, err := b.Wait(context.Background())
			return err
		},
		"Group.Wait": func(_ *runtime.Runtime, g *runtime.Group) error { return g.Wait() },
		"Group.Go": func(_ *runtime.Runtime, g *runtime.Group) error {
			g.Go(func(runtime.Cx) error { return nil })
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			toldByBoth(t, func(rt *runtime.Runtime) {
				g := runtime.NewGroup(context.Background(), rt)
				g.SetLimit(1)
				g.Go(func(cx runtime.Cx) error {
					_, err := waitsForABell(cx)
					return err
				})
				for range 2 * 512 {
					runtime.SubmitBlocking(rt, func() (int, error) {
						time.Sleep(time.Minute)
						return 0, wait(rt, g)
					})
				}
				time.Sleep(time.Hour)
			}, func(t *testing.T, all []anAlarm) {
				require.Len(t, all, 1)
				require.Equal(t, 70*time.Second, all[0].after.Truncate(10*time.Second))
			})
		})
	}
}

// One that a context or another runtime may let go on is not told of. (runtime/R61)
func TestABlockingTaskThatMayGoOnIsNotToldOf(t *testing.T) {
	toldByBoth(t, func(rt *runtime.Runtime) {
		h := runtime.Submit(rt, waitsForABell)
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		runtime.SubmitBlocking(rt, func() (int, error) {
			_, err := h.Wait(ctx)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			other, err := runtime.New(runtime.Workers(1))
			require.NoError(t, err)
			foreign := runtime.Submit(other, func(cx runtime.Cx) (int, error) {
				return 1, cx.Sleep(time.Hour)
			})
			_, err = foreign.Wait(context.Background())
			h.Cancel()
			return 1, errors.Join(err, other.Close())
		})
		time.Sleep(3 * time.Hour)
	}, func(t *testing.T, all []anAlarm) { require.Empty(t, all) })
}

// A task that waits for the end of one of another runtime is not told of. (runtime/R61)
func TestWhatWaitsForATaskOfAnotherRuntimeIsNotToldOf(t *testing.T) {
	for name, wait := range map[string]func(cx runtime.Cx, h *runtime.Handle[int]) error{
		"Select": func(cx runtime.Cx, h *runtime.Handle[int]) error {
			_, err := runtime.Select(cx, h.EndCase())
			return err
		},
		"Next": func(cx runtime.Cx, h *runtime.Handle[int]) error {
			_, err := runtime.Next(cx, h)
			return err
		},
		"AsEnded": func(cx runtime.Cx, h *runtime.Handle[int]) error {
			for _, err := range runtime.AsEnded(cx, h) {
				return err
			}
			return errors.New("none")
		},
	} {
		t.Run(name, func(t *testing.T) {
			toldByBoth(t, func(rt *runtime.Runtime) {
				other, err := runtime.New(runtime.Workers(1))
				require.NoError(t, err)
				sleeps := func(cx runtime.Cx) (int, error) { return 0, cx.Sleep(time.Minute) }
				h := runtime.Submit(other, sleeps)
				_, err = runtime.Submit(rt, does(func(cx runtime.Cx) error {
					return wait(cx, h)
				})).Wait(context.Background())
				require.NoError(t, err)
				require.NoError(t, other.Close())
				runtime.Submit(rt, waitsForABell)
				time.Sleep(time.Hour)
			}, func(t *testing.T, all []anAlarm) {
				require.Len(t, all, 1, "of the last one")
				require.Greater(t, all[0].after, time.Minute)
			})
		})
	}
}

// A task in the line of a Limiter waits for a time, whoever is before it. (runtime/R61)
func TestWhatWaitsForALimiterIsNotToldOf(t *testing.T) {
	toldByBoth(t, func(rt *runtime.Runtime) {
		l := runtime.NewLimiter(1.0/60, 1)
		require.True(t, l.Allow())
		var first sync.WaitGroup
		first.Go(func() { require.NoError(t, l.WaitContext(context.Background())) })
		synctest.Wait()
		_, err := runtime.Submit(rt, does(func(cx runtime.Cx) error {
			return l.Wait(cx)
		})).Wait(context.Background())
		require.NoError(t, err)
		first.Wait()
		runtime.Submit(rt, waitsForABell)
		time.Sleep(time.Hour)
	}, func(t *testing.T, all []anAlarm) {
		require.Len(t, all, 1, "of the last one")
		require.Greater(t, all[0].after, 2*time.Minute)
	})
}
