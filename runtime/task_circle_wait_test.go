package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// refusal requires that exactly one of errs is the panic of what, which would have closed a circle
// with so many lines, and returns its text.
func refusal(t *testing.T, what string, lines int, errs ...error) string {
	t.Helper()
	found := ""
	for _, err := range errs {
		var p *runtime.PanicError
		if errors.As(err, &p) && found == "" {
			found = fmt.Sprint(p.Value)
		}
	}
	require.Regexp(t, `^surewake: `+what+
		`: tasks must not wait for each other in a circle:(\n\t[^\n]+){`+
		fmt.Sprint(lines)+`}$`, found)
	return found
}

// noted returns how many tasks Debug notes that wait.
func noted(rt *runtime.Runtime) int {
	n, _ := runtime.JoinNotes(rt)
	return n
}

// firsts are the ways in which a task waits for the first end of several.
var firsts = map[string]func(runtime.Cx, ...*runtime.Handle[int]) error{
	"Select": func(cx runtime.Cx, hs ...*runtime.Handle[int]) error {
		cases := []runtime.Case{nil}
		for _, h := range hs {
			cases = append(cases, h.EndCase())
		}
		_, err := runtime.Select(cx, cases...)
		return err
	},
	"Next": func(cx runtime.Cx, hs ...*runtime.Handle[int]) error {
		_, err := runtime.Next(cx, hs...)
		return err
	},
	"AsEnded": func(cx runtime.Cx, hs ...*runtime.Handle[int]) error {
		for _, err := range runtime.AsEnded(cx, hs...) {
			return err
		}
		return nil
	},
}

// begun returns functions for tasks that wait until release is called, so that handles are there.
func begun() (gate func(runtime.Cx) error, release func()) {
	ready := make(chan struct{})
	return func(cx runtime.Cx) error {
		_, _, err := runtime.Receive(cx, ready)
		return err
	}, func() { close(ready) }
}

// Who waits for the first of several tasks, which all wait for it, waits for ever. (runtime/R57)
func TestDebugRefusesCirclesThroughTheFirstOfMany(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		for what, first := range firsts {
			rt := start(t, workers, runtime.Debug())
			gate, release := begun()
			var all [3]*runtime.Handle[int]
			for i, wait := range []func(cx runtime.Cx) error{
				func(cx runtime.Cx) error { return first(cx, all[1], all[2]) },
				func(cx runtime.Cx) error { _, err := all[0].Join(cx); return err },
				func(cx runtime.Cx) error { return first(cx, all[0]) },
			} {
				all[i] = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					return 0, errors.Join(gate(cx), wait(cx))
				})
			}
			release()
			var errs []error
			for _, h := range all {
				_, err := get(t, h)
				errs = append(errs, err)
			}
			refusal(t, "("+what+"|Join)", 3, errs...)
			waits, parts := runtime.JoinNotes(rt)
			require.Zero(t, waits)
			require.Zero(t, parts)
		}
	})
}

// It does not while one of them can end, or something else can end the wait.
func TestDebugAllowsAFirstOfManyThatEnds(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers, runtime.Debug())
		for what, first := range firsts {
			gate, release := begun()
			var whole *runtime.Handle[int]
			free := runtime.NewChannel[int](0)
			whole = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				if err := gate(cx); err != nil {
					return 0, err
				}
				back := runtime.Submit(rt,
					func(cx runtime.Cx) (int, error) { return whole.Join(cx) })
				ends := runtime.Submit(rt,
					func(cx runtime.Cx) (int, error) { return free.Receive(cx) })
				for noted(rt) == 0 {
					cx.Yield()
				}
				runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					for noted(rt) < 2 {
						cx.Yield()
					}
					return 0, free.Send(cx, 1)
				})
				if err := first(cx, back, ends); err != nil {
					return 0, err
				}
				if !hasEnded(ends) {
					return 0, errors.New(what)
				}
				_, err := runtime.Select(cx, back.EndCase(), runtime.AfterCase(time.Millisecond))
				return 1, err
			})
			release()
			v, err := get(t, whole)
			require.NoError(t, err)
			require.Equal(t, 1, v)
		}
	})
}

// AsEnded waits for those that have not come yet: the others are over.
func TestDebugRefusesACircleThroughTheLastThatEnds(t *testing.T) {
	rt := start(t, 1, runtime.Debug())
	gate, release := begun()
	var whole *runtime.Handle[int]
	whole = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		if err := gate(cx); err != nil {
			return 0, err
		}
		back := runtime.Submit(rt, func(cx runtime.Cx) (int, error) { return whole.Join(cx) })
		for noted(rt) == 0 {
			cx.Yield()
		}
		came := 0
		for _, err := range runtime.AsEnded(cx, runtime.Spawn(cx, returns(1)), back) {
			if err != nil {
				return 0, err
			}
			came++
		}
		return came, nil
	})
	release()
	_, err := get(t, whole)
	refusal(t, "AsEnded", 2, err)
}

// A context that never ends, or is the task's own, ends no circle; any other may.
func TestDebugRefusesCirclesOfJoinsWithAContext(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		for name, with := range map[string]struct {
			context func(cx runtime.Cx) (context.Context, func())
			refused bool
		}{
			"none": {func(runtime.Cx) (context.Context, func()) {
				return context.Background(), func() {}
			}, true},
			"own": {func(cx runtime.Cx) (context.Context, func()) {
				return cx.Context(), func() {}
			}, true},
			"deadline": {func(cx runtime.Cx) (context.Context, func()) {
				return context.WithTimeout(cx.Context(), 10*time.Millisecond)
			}, false},
			"other": {func(runtime.Cx) (context.Context, func()) {
				ctx, cancel := context.WithCancel(context.Background())
				time.AfterFunc(10*time.Millisecond, cancel)
				return ctx, cancel
			}, false},
		} {
			for call, join := range joinsWithAContext {
				rt := start(t, workers, runtime.Debug())
				gate, release := begun()
				var one, other *runtime.Handle[int]
				one = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					if err := gate(cx); err != nil {
						return 0, err
					}
					ctx, stop := with.context(cx)
					defer stop()
					return join(cx, other, ctx)
				})
				other = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					if err := gate(cx); err != nil {
						return 0, err
					}
					return one.Join(cx)
				})
				release()
				_, first := get(t, one)
				_, second := get(t, other)
				if with.refused {
					refusal(t, "(Join|"+call+")", 2, first, second)
				} else {
					require.ErrorIs(t, second, first, name)
					require.ErrorIs(t, first, ctxErr(name))
				}
			}
		}
	})
}

var joinsWithAContext = map[string]func(
	cx runtime.Cx, h *runtime.Handle[int], ctx context.Context,
) (int, error){
	"JoinContext": func(cx runtime.Cx, h *runtime.Handle[int], ctx context.Context) (int, error) {
		return h.JoinContext(cx, ctx)
	},
	"Select": func(cx runtime.Cx, h *runtime.Handle[int], ctx context.Context) (int, error) {
		i, err := runtime.Select(cx, h.EndCase(), runtime.DoneCase(ctx))
		if i == 1 {
			err = ctx.Err()
		}
		return i, err
	},
}

func ctxErr(name string) error {
	if name == "deadline" {
		return context.DeadlineExceeded
	}
	return context.Canceled
}

// A deadline ends a wait, also that of a child, or of a part, of what has it: there is no circle
// that lasts. In a shield it ends nothing.
func TestDebugAllowsACircleThatADeadlineEnds(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		for _, depth := range []int{0, 256} {
			for name, within := range map[string]func(cx runtime.Cx, h *runtime.Handle[int]) error{
				"join": func(cx runtime.Cx, h *runtime.Handle[int]) error {
					_, err := h.Join(cx)
					return err
				},
				"child": func(cx runtime.Cx, h *runtime.Handle[int]) error {
					_, err := runtime.Spawn(cx,
						func(cx runtime.Cx) (int, error) { return h.Join(cx) }).Join(cx)
					return err
				},
				"grandchild": func(cx runtime.Cx, h *runtime.Handle[int]) error {
					_, err := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
						return runtime.Spawn(cx,
							func(cx runtime.Cx) (int, error) { return h.Join(cx) }).Join(cx)
					}).Join(cx)
					return err
				},
				"scope": func(cx runtime.Cx, h *runtime.Handle[int]) error {
					return runtime.Scope(cx, func(cx runtime.Cx, _ *runtime.TaskScope) error {
						_, err := h.Join(cx)
						return err
					})
				},
				"group": func(cx runtime.Cx, h *runtime.Handle[int]) error {
					g := runtime.NewGroup(context.Background(), cx.Runtime())
					err := g.Spawn(cx, func(cx runtime.Cx) error {
						_, err := h.Join(cx)
						return err
					})
					return errors.Join(err, g.Join(cx))
				},
				"fork": func(cx runtime.Cx, h *runtime.Handle[int]) error {
					f := runtime.Fork(cx, func(cx runtime.Cx, _ int) error {
						_, err := h.Join(cx)
						return err
					}, 0)
					cx.Yield()
					return f.Join(cx)
				},
				"first": func(cx runtime.Cx, h *runtime.Handle[int]) error {
					_, err := runtime.Next(cx, h)
					return err
				},
			} {
				rt := start(t, workers, runtime.Debug(), runtime.InlineDepth(depth))
				gate, release := begun()
				var whole, other *runtime.Handle[int]
				whole = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					if err := gate(cx); err != nil {
						return 0, err
					}
					for noted(rt) == 0 {
						cx.Yield()
					}
					return runtime.Timeout(cx, 10*time.Millisecond,
						func(cx runtime.Cx) (int, error) { return 0, within(cx, other) })
				})
				other = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
					if err := gate(cx); err != nil {
						return 0, err
					}
					return whole.Join(cx)
				})
				release()
				_, err := get(t, whole)
				require.ErrorIs(t, err, runtime.ErrTimeout, name)
				_, err = get(t, other)
				require.ErrorIs(t, err, runtime.ErrTimeout, name)
			}
		}
	})
}

// So does the deadline of a context that the task was given.
func TestDebugAllowsACircleThatTheDeadlineOfAContextEnds(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		for what, first := range firsts {
			rt := start(t, workers, runtime.Debug())
			ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
			gate, release := begun()
			var whole, other *runtime.Handle[int]
			whole = runtime.SubmitContext(ctx, rt, func(cx runtime.Cx) (int, error) {
				if err := gate(cx); err != nil { // ctx has ended before it is released
					return 0, err
				}
				return 0, first(cx, other)
			})
			other = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				if err := gate(cx); err != nil {
					return 0, err
				}
				return whole.Join(cx)
			})
			release()
			_, err := get(t, other)
			require.ErrorIs(t, err, context.DeadlineExceeded, what)
			stop()
		}
	})
}

func TestDebugRefusesACircleInAShieldOfATaskWithADeadline(t *testing.T) {
	rt := start(t, 1, runtime.Debug())
	gate, release := begun()
	var whole, other *runtime.Handle[int]
	ctx, stop := context.WithTimeout(t.Context(), time.Hour)
	defer stop()
	whole = runtime.SubmitContext(ctx, rt, func(cx runtime.Cx) (v int, err error) {
		if err := gate(cx); err != nil {
			return 0, err
		}
		for noted(rt) == 0 {
			cx.Yield()
		}
		cx.Shield(func() { v, err = other.Join(cx) })
		return v, err
	})
	other = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		if err := gate(cx); err != nil {
			return 0, err
		}
		return whole.Join(cx)
	})
	release()
	_, err := get(t, whole)
	refusal(t, "Join", 2, err)
}

// A function of a group keeps its place until what it waits for has ended: that must not wait for a
// place, if all places are kept so. (runtime/R57)
func TestDebugRefusesToWaitForAPlaceThatWaits(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		for _, limit := range []int{1, 2} {
			rt := start(t, workers, runtime.Debug())
			g := runtime.NewGroup(t.Context(), rt)
			g.SetLimit(limit)
			called := false
			var here atomic.Int32
			for range limit {
				g.Go(func(cx runtime.Cx) error {
					here.Add(1)
					for int(here.Load()) < limit {
						cx.Yield()
					}
					_, err := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
						return 0, g.Spawn(cx, func(runtime.Cx) error { called = true; return nil })
					}).Join(cx)
					return err
				})
			}
			err := g.Wait()
			text := refusal(t, "(Group.Spawn|Join)", 2*limit, err)
			require.Contains(t, text, "waits for a place of a group in ")
			require.False(t, called)
			waits, parts := runtime.JoinNotes(rt)
			require.Zero(t, waits)
			require.Zero(t, parts)
		}
	})
}

// One place that will be free is enough.
func TestDebugAllowsToWaitForAPlaceThatEnds(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers, runtime.Debug())
		g := runtime.NewGroup(t.Context(), rt)
		g.SetLimit(2)
		over := make(chan struct{})
		called := 0
		g.Go(func(cx runtime.Cx) error {
			_, _, err := runtime.Receive(cx, over)
			return err
		})
		g.Go(func(cx runtime.Cx) error {
			h := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
				return 0, g.Spawn(cx, func(runtime.Cx) error { called++; return nil })
			})
			runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				defer close(over)
				return 0, cx.Sleep(5 * time.Millisecond) // h waits by then
			})
			_, err := h.Join(cx)
			return err
		})
		require.NoError(t, g.Wait())
		require.Equal(t, 1, called)
	})
}

// A blocking task that waits for a task which joins it is part of a circle as any other, whoever
// waits last. (runtime/R57)
func TestDebugRefusesCirclesThroughBlockingTasks(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		for _, last := range []string{"blocking", "task"} {
			rt := start(t, workers, runtime.Debug())
			gate, release := begun()
			var whole, part *runtime.Handle[int]
			whole = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				if err := gate(cx); err != nil {
					return 0, err
				}
				for last == "task" && noted(rt) == 0 {
					cx.Yield()
				}
				return part.Join(cx)
			})
			part = runtime.SubmitBlockingContext(t.Context(), rt,
				func(ctx context.Context) (int, error) {
					for last == "blocking" && noted(rt) == 0 {
						time.Sleep(time.Millisecond)
					}
					return whole.Wait(ctx)
				})
			release()
			_, first := get(t, whole)
			_, second := get(t, part)
			text := refusal(t, "(Wait|Join)", 2, first, second)
			require.Contains(t, text, "task_circle_wait_test.go:")
			require.Equal(t, last == "blocking", text[:14] == "surewake: Wait")
			waits, parts := runtime.JoinNotes(rt)
			require.Zero(t, waits)
			require.Zero(t, parts)
		}
	})
}

// So is one that waits for a blocking task for which there is no goroutine, since all of them wait;
// and one that waits for a group, or for a place of one.
func TestDebugRefusesCirclesThroughWhatBlockingTasksWaitFor(t *testing.T) {
	for what, wait := range map[string]func(rt *runtime.Runtime, g *runtime.Group) error{
		"Wait": func(rt *runtime.Runtime, _ *runtime.Group) error {
			_, err := runtime.SubmitBlocking(rt, one).Wait(context.Background())
			return err
		},
		"Group.Wait": func(_ *runtime.Runtime, g *runtime.Group) error { return g.Wait() },
		"Group.Go": func(_ *runtime.Runtime, g *runtime.Group) error {
			g.Go(func(runtime.Cx) error { return nil })
			return nil
		},
	} {
		t.Run(what, func(t *testing.T) {
			rt := start(t, 1, runtime.Debug(), runtime.BlockingThreads(1))
			g := runtime.NewGroup(t.Context(), rt)
			g.SetLimit(1)
			g.Go(func(cx runtime.Cx) error {
				var h *runtime.Handle[int]
				begin := make(chan struct{})
				h = runtime.SpawnBlocking(cx, func() (int, error) {
					<-begin
					for noted(rt) == 0 {
						time.Sleep(time.Millisecond)
					}
					return 0, wait(rt, g)
				})
				close(begin)
				_, err := h.Join(cx)
				return err
			})
			err := g.Wait()
			lines := map[string]int{"Wait": 2, "Group.Wait": 2, "Group.Go": 2}[what]
			text := refusal(t, what, lines, err)
			if what == "Wait" {
				require.Contains(t, text, "waits for a goroutine of BlockingThreads")
			}
		})
	}
}

// What a circle leads through that somebody else may end, a lock, is not refused, but shown.
// (runtime/R58)
func TestDumpShowsACircleThroughALock(t *testing.T) {
	rt := start(t, 1, runtime.Debug())
	gate, release := begun()
	var m runtime.Mutex
	var locked atomic.Bool
	var second *runtime.Handle[int]
	runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		if err := errors.Join(gate(cx), m.Lock(cx)); err != nil {
			return 0, err
		}
		locked.Store(true)
		defer m.Unlock()
		return second.Join(cx)
	})
	second = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		for !locked.Load() {
			cx.Yield()
		}
		return 0, m.Lock(cx)
	})
	require.NotContains(t, dumped(t, rt), "no task will end")
	release()
	waits(t, func() bool { return noted(rt) == 2 }, "they do not wait")
	const task = `TestDumpShowsACircleThroughALock\.func\d`
	const line = `in \S+/task_circle_wait_test.go:\d+`
	require.Regexp(t, `\nno task will end these waits:\n\t\S+`+task+` waits `+line+
		`\n\t\S+`+task+` waits `+line+
		`\n\tthe Mutex is held by \S+`+task+`, which locked it `+line+`\n$`, dumped(t, rt))
	m.Unlock() // anybody may
	_, err := get(t, second)
	require.NoError(t, err)
	require.NotContains(t, dumped(t, rt), "no task will end")
	m.TryLock() // for the first one
}

// A goroutine that is free will take what is queued, and a wait with another context can end.
func TestDebugAllowsBlockingTasksToWait(t *testing.T) {
	rt := start(t, 1, runtime.Debug(), runtime.BlockingThreads(2))
	h := runtime.SubmitBlocking(rt, func() (int, error) {
		return runtime.SubmitBlocking(rt, one).Wait(context.Background())
	})
	v, err := get(t, h)
	require.NoError(t, err)
	require.Equal(t, 1, v)

	gate, release := begun()
	ctx, cancel := context.WithCancel(t.Context())
	var part *runtime.Handle[int]
	whole := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		if err := gate(cx); err != nil {
			return 0, err
		}
		return part.Join(cx)
	})
	part = runtime.SubmitBlocking(rt, func() (int, error) { return whole.Wait(ctx) })
	release()
	waits(t, func() bool { return whole.Joiners() == 1 && part.Joiners() == 1 }, "they do not wait")
	cancel()
	_, err = get(t, whole)
	require.ErrorIs(t, err, context.Canceled)
}
