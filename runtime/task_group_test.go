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

// waitGroup waits for a group, but not for ever.
func waitGroup(t testing.TB, g *runtime.Group) error {
	t.Helper()
	over := make(chan error, 1)
	go func() { over <- g.Wait() }()
	return receive(t, over)
}

// starters are the ways to start a function of a group and to wait for it: from a goroutine, and
// from a task.
var starters = map[string]func(t *testing.T, rt *runtime.Runtime, body func(
	start func(*runtime.Group, func(runtime.Cx) error), wait func(*runtime.Group) error)){
	"outside": func(t *testing.T, _ *runtime.Runtime, body func(
		func(*runtime.Group, func(runtime.Cx) error), func(*runtime.Group) error),
	) {
		body((*runtime.Group).Go, func(g *runtime.Group) error { return waitGroup(t, g) })
	},
	"inside": func(t *testing.T, rt *runtime.Runtime, body func(
		func(*runtime.Group, func(runtime.Cx) error), func(*runtime.Group) error),
	) {
		run(t, rt, func(cx runtime.Cx) error {
			body(func(g *runtime.Group, fn func(runtime.Cx) error) { _ = g.Spawn(cx, fn) },
				func(g *runtime.Group) error { return g.Join(cx) })
			return nil
		})
	},
}

// eachStarter runs a test for each of them, with 1, 2 and 4 workers.
func eachStarter(t *testing.T, test func(t *testing.T, rt *runtime.Runtime,
	start func(*runtime.Group, func(runtime.Cx) error), wait func(*runtime.Group) error),
) {
	for name, with := range starters {
		t.Run(name, func(t *testing.T) {
			eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
				with(t, rt, func(start func(*runtime.Group, func(runtime.Cx) error),
					wait func(*runtime.Group) error,
				) {
					test(t, rt, start, wait)
				})
			})
		})
	}
}

func TestGroupRunsAllAndCanBeUsedAgain(t *testing.T) {
	eachStarter(t, func(t *testing.T, rt *runtime.Runtime,
		start func(*runtime.Group, func(runtime.Cx) error), wait func(*runtime.Group) error,
	) {
		g := runtime.NewGroup(t.Context(), rt)
		require.NoError(t, wait(g))
		var ran atomic.Int32
		for round := 1; round <= 3; round++ {
			for range 50 {
				start(g, func(cx runtime.Cx) error { cx.Yield(); ran.Add(1); return nil })
			}
			require.NoError(t, wait(g))
			require.EqualValues(t, 50*round, ran.Load())
		}
	})
}

// At most so many functions run at a time, in the order in which they were given.
func TestGroupKeepsItsLimit(t *testing.T) {
	eachStarter(t, func(t *testing.T, rt *runtime.Runtime,
		start func(*runtime.Group, func(runtime.Cx) error), wait func(*runtime.Group) error,
	) {
		for _, limit := range []int{1, 3} {
			g := runtime.NewGroup(t.Context(), rt)
			g.SetLimit(limit)
			var running, most atomic.Int32
			var order []int
			for i := range 40 {
				start(g, func(cx runtime.Cx) error {
					n := running.Add(1)
					for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
					}
					if limit == 1 {
						order = append(order, i)
					}
					cx.Yield()
					running.Add(-1)
					return nil
				})
			}
			require.NoError(t, wait(g))
			require.LessOrEqual(t, most.Load(), int32(limit))
			require.Zero(t, running.Load())
			for i, v := range order {
				require.Equal(t, i, v)
			}
		}
	})
}

// The first error is kept. It ends the functions that run; those for which there is no place are
// not called, nor those that come later.
func TestGroupEndsWithItsFirstError(t *testing.T) {
	eachStarter(t, func(t *testing.T, rt *runtime.Runtime,
		start func(*runtime.Group, func(runtime.Cx) error), wait func(*runtime.Group) error,
	) {
		first := errors.New("first")
		g := runtime.NewGroup(t.Context(), rt)
		g.SetLimit(2)
		started := make(chan struct{})
		start(g, func(cx runtime.Cx) error {
			close(started)
			_, err := forever(cx)
			return err
		})
		start(g, func(cx runtime.Cx) error {
			for {
				select {
				case <-started:
					return first
				default:
					cx.Yield()
				}
			}
		})
		start(g, func(runtime.Cx) error { t.Error("called"); return nil })
		require.ErrorIs(t, wait(g), first)
		start(g, func(runtime.Cx) error { t.Error("called"); return nil })
		require.False(t, g.TryGo(func(runtime.Cx) error { t.Error("called"); return nil }))
		g.Cancel()
		require.ErrorIs(t, wait(g), first)
	})
}

// A panic and a Goexit are errors.
func TestGroupEndsWithAPanic(t *testing.T) {
	rt := start(t, 1)
	for want, body := range map[error]func(){
		runtime.ErrGoexit:        goruntime.Goexit,
		context.Canceled:         func() { panic(context.Canceled) },
		errors.ErrUnsupported:    func() { panic(errors.ErrUnsupported) },
		runtime.ErrWouldWait:     func() { panic(runtime.ErrWouldWait) },
		runtime.ErrChannelClosed: func() { panic(runtime.ErrChannelClosed) },
	} {
		g := runtime.NewGroup(t.Context(), rt)
		g.Go(func(runtime.Cx) error { body(); return nil })
		require.ErrorIs(t, waitGroup(t, g), want)
	}
}

// Functions start others while the group is waited for: with a limit too, and although all places
// are taken by functions that do; in a timeout or a scope of them, too. (runtime/R27)
func TestFunctionsOfAGroupStartOthers(t *testing.T) {
	eachStarter(t, func(t *testing.T, rt *runtime.Runtime,
		start func(*runtime.Group, func(runtime.Cx) error), wait func(*runtime.Group) error,
	) {
		for _, limit := range []int{0, 1, 2} {
			g := runtime.NewGroup(t.Context(), rt)
			if limit > 0 {
				g.SetLimit(limit)
			}
			var ran atomic.Int32
			var tree func(depth int) func(cx runtime.Cx) error
			tree = func(depth int) func(cx runtime.Cx) error {
				return func(cx runtime.Cx) error {
					ran.Add(1)
					if depth == 0 {
						return nil
					}
					if err := g.Spawn(cx, tree(depth-1)); err != nil {
						return err
					}
					_, err := runtime.Timeout(cx, time.Hour, does(func(cx runtime.Cx) error {
						return runtime.Scope(cx, func(cx runtime.Cx, _ *runtime.TaskScope) error {
							return g.Spawn(cx, tree(depth-1))
						})
					}))
					return err
				}
			}
			start(g, tree(6))
			require.NoError(t, wait(g))
			require.EqualValues(t, 127, ran.Load())
		}
	})
}

// The context of a group ends its functions, with why it has ended; those see its values.
func TestGroupEndsWithItsContext(t *testing.T) {
	type key struct{}
	eachStarter(t, func(t *testing.T, rt *runtime.Runtime,
		start func(*runtime.Group, func(runtime.Cx) error), wait func(*runtime.Group) error,
	) {
		why := errors.New("enough")
		ctx, end := context.WithCancelCause(context.WithValue(t.Context(), key{}, 7))
		g := runtime.NewGroup(ctx, rt)
		g.SetLimit(1)
		start(g, func(cx runtime.Cx) error {
			require.Equal(t, 7, cx.Context().Value(key{}))
			end(why)
			_, err := forever(cx)
			return err
		})
		start(g, func(runtime.Cx) error { t.Error("called"); return nil })
		err := wait(g)
		require.ErrorIs(t, err, why)
		require.ErrorIs(t, err, runtime.ErrCancelled)

		late := runtime.NewGroup(ctx, rt)
		require.NoError(t, wait(late))
		start(late, func(runtime.Cx) error { t.Error("called"); return nil })
		require.ErrorIs(t, wait(late), why)
	})
}

// A context that ends after the functions changes nothing, and a group that has ended is not kept
// by a context that lives on. (runtime/R20)
func TestContextForgetsAGroupThatHasEnded(t *testing.T) {
	rt := start(t, 1)
	ctx, end := context.WithCancel(t.Context())
	counted := &countedContext{Context: ctx}
	g := runtime.NewGroup(counted, rt)
	for range 3 {
		held := int32(0)
		g.Go(func(runtime.Cx) error { held = counted.held.Load(); return nil })
		require.NoError(t, waitGroup(t, g))
		require.EqualValues(t, 1, held)
		require.Zero(t, counted.held.Load())
	}
	end()
	require.NoError(t, waitGroup(t, g))
}

// A countedContext counts the registrations with it.
type countedContext struct {
	context.Context
	held atomic.Int32
}

// Value hides that the context is one of package context, which would not call AfterFunc.
func (*countedContext) Value(any) any { return nil }

func (c *countedContext) AfterFunc(f func()) (stop func() bool) {
	c.held.Add(1)
	forget := context.AfterFunc(c.Context, f)
	return func() bool { c.held.Add(-1); return forget() }
}

// A task that joins a group and must end cancels it, and is told when the functions have ended.
func TestCancelledJoinOfAGroupEndsIt(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		g := runtime.NewGroup(t.Context(), rt)
		var ended atomic.Bool
		began := make(chan struct{})
		joins := runtime.Submit(rt, does(func(cx runtime.Cx) error {
			_ = g.Spawn(cx, func(cx runtime.Cx) error {
				close(began)
				_, err := forever(cx)
				cx.Shield(func() { _ = cx.Sleep(time.Millisecond) })
				ended.Store(true)
				return err
			})
			return g.Join(cx)
		}))
		receive(t, began)
		joins.Cancel()
		_, err := get(t, joins)
		require.ErrorIs(t, err, runtime.ErrCancelled)
		require.True(t, ended.Load())

		done := runtime.NewGroup(t.Context(), rt)
		_, err = cancelled(t, rt, does(func(cx runtime.Cx) error {
			require.ErrorIs(t, done.Spawn(cx, noError), runtime.ErrCancelled)
			return done.Join(cx)
		}))
		require.ErrorIs(t, err, runtime.ErrCancelled)
		require.NoError(t, waitGroup(t, done), "it is told twice")
	})
}

// A task that must end is told so by a join, also of a group of which nothing runs; the group goes
// on without an error.
func TestJoinOfAGroupInATaskThatIsToEnd(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		g := runtime.NewGroup(t.Context(), rt)
		r := runtime.NewResults[int](t.Context(), rt)
		r.Go(answer)
		_, err := cancelled(t, rt, does(func(cx runtime.Cx) error {
			require.ErrorIs(t, g.Join(cx), runtime.ErrCancelled)
			cx.Shield(func() { require.NoError(t, g.Join(cx)) })
			_, _ = r.Join(cx)
			got, err := r.Join(cx) // nothing runs any more
			require.Nil(t, got)
			return err
		}))
		require.ErrorIs(t, err, runtime.ErrCancelled)
		g.Go(noError)
		require.NoError(t, waitGroup(t, g))
	})
}

// A function that Spawn has refused, since its caller must end or was cancelled while it waited for
// a place, was not called: the next wait for the group tells, whoever waits, and the one after it
// does not.
func TestGroupTellsOfWhatSpawnHasRefused(t *testing.T) {
	rt := start(t, 2)
	g := runtime.NewGroup(t.Context(), rt)
	refused := func(cx runtime.Cx) error {
		err := g.Spawn(cx, func(runtime.Cx) error { t.Error("called"); return nil })
		require.ErrorIs(t, err, runtime.ErrCancelled)
		return nil
	}
	_, err := cancelled(t, rt, does(refused))
	require.NoError(t, err)
	require.ErrorIs(t, waitGroup(t, g), runtime.ErrCancelled)
	require.NoError(t, waitGroup(t, g))
	_, err = cancelled(t, rt, does(refused))
	require.NoError(t, err)
	run(t, rt, func(cx runtime.Cx) error {
		require.ErrorIs(t, g.Join(cx), runtime.ErrCancelled)
		return g.Join(cx)
	})

	g.SetLimit(1)
	gate := make(chan struct{})
	g.Go(func(runtime.Cx) error { <-gate; return nil })
	h := runtime.Submit(rt, does(refused))
	waits(t, func() bool { return runtime.GroupQueue(g) == 1 }, "it does not wait")
	h.Cancel()
	_, err = get(t, h)
	require.NoError(t, err)
	close(gate)
	require.ErrorIs(t, waitGroup(t, g), runtime.ErrCancelled)
	require.NoError(t, waitGroup(t, g))

	first := errors.New("first")
	_, err = cancelled(t, rt, does(refused))
	require.NoError(t, err)
	g.Go(func(runtime.Cx) error { return first })
	require.ErrorIs(t, waitGroup(t, g), first, "the error of a function comes first")
}

func noError(runtime.Cx) error { return nil }

// A task that waits for a place and is cancelled leaves the line; the others get their places.
func TestCancelledSpawnLeavesTheLine(t *testing.T) {
	rt := start(t, 2)
	g := runtime.NewGroup(t.Context(), rt)
	g.SetLimit(1)
	gate := make(chan struct{})
	g.Go(func(runtime.Cx) error { <-gate; return nil })
	var waiting [2]*runtime.Handle[struct{}]
	ran := make([]bool, 2)
	for i := range waiting {
		began := make(chan struct{})
		waiting[i] = runtime.Submit(rt, does(func(cx runtime.Cx) error {
			close(began)
			return g.Spawn(cx, func(runtime.Cx) error { ran[i] = true; return nil })
		}))
		receive(t, began)
	}
	waits(t, func() bool { return runtime.GroupQueue(g) == 2 }, "they do not wait")
	require.False(t, g.TryGo(noError))
	waiting[0].Cancel()
	_, err := get(t, waiting[0])
	require.ErrorIs(t, err, runtime.ErrCancelled)
	close(gate)
	_, err = get(t, waiting[1])
	require.NoError(t, err)
	require.ErrorIs(t, waitGroup(t, g), runtime.ErrCancelled, "one was not called")
	require.Equal(t, []bool{false, true}, ran)
	require.True(t, g.TryGo(noError))
	require.NoError(t, waitGroup(t, g))
}

// Close ends what runs, what waits for a place and what waits for the group; a closed runtime calls
// nothing.
func TestCloseEndsAGroup(t *testing.T) {
	for _, workers := range []int{1, 2} {
		rt := start(t, workers)
		g := runtime.NewGroup(t.Context(), rt)
		g.SetLimit(1)
		g.Go(func(cx runtime.Cx) error { _, err := forever(cx); return err })
		var callers sync.WaitGroup
		for range 3 {
			callers.Go(func() { g.Go(func(runtime.Cx) error { t.Error("called"); return nil }) })
		}
		waits(t, func() bool { return runtime.GroupQueue(g) == 3 }, "they do not wait")
		closes(t, rt)
		callers.Wait()
		require.ErrorIs(t, waitGroup(t, g), runtime.ErrClosed)
		g = runtime.NewGroup(t.Context(), rt)
		g.Go(func(runtime.Cx) error { t.Error("called"); return nil })
		require.ErrorIs(t, waitGroup(t, g), runtime.ErrClosed)
		require.Equal(t, "0+0", rt.Live())
	}
}

// A closed runtime calls no function, and whoever tries is told so at once.
func TestGroupOfAClosedRuntimeStartsNothing(t *testing.T) {
	rt := start(t, 1)
	closes(t, rt)
	g := runtime.NewGroup(context.Background(), rt)
	called := func(runtime.Cx) error { t.Error("called"); return nil }
	require.False(t, g.TryGo(called))
	require.ErrorIs(t, g.Wait(), runtime.ErrClosed)
	g = runtime.NewGroup(context.Background(), rt)
	g.Go(called)
	require.ErrorIs(t, g.Wait(), runtime.ErrClosed)
	r := runtime.NewResults[int](context.Background(), rt)
	require.False(t, r.TryGo(func(cx runtime.Cx) (int, error) { return 0, called(cx) }))
	_, err := r.Wait()
	require.ErrorIs(t, err, runtime.ErrClosed)
}

// Functions that wait for a place when Close ends those that run without an error are not called.
func TestCloseEndsAGroupWhoseFunctionsDoNotMind(t *testing.T) {
	rt := start(t, 1)
	g := runtime.NewGroup(t.Context(), rt)
	g.SetLimit(1)
	g.Go(func(cx runtime.Cx) error {
		for range 1000 {
			_ = g.Spawn(cx, func(runtime.Cx) error { t.Error("called"); return nil })
		}
		_, _ = forever(cx)
		return nil
	})
	waits(t, func() bool { return rt.Sleeping() == 1 }, "it does not wait")
	closes(t, rt)
	require.ErrorIs(t, waitGroup(t, g), runtime.ErrClosed)
	require.Equal(t, "0+0", rt.Live())
}

// Shutdown lets what has been given to a group come to its turn.
func TestShutdownRunsWhatWaitsInAGroup(t *testing.T) {
	rt := start(t, 1)
	g := runtime.NewGroup(t.Context(), rt)
	g.SetLimit(1)
	var ran atomic.Int32
	g.Go(func(cx runtime.Cx) error {
		for range 100 {
			if err := g.Spawn(cx, func(runtime.Cx) error { ran.Add(1); return nil }); err != nil {
				return err
			}
		}
		return cx.Sleep(time.Millisecond)
	})
	drains(t, rt)
	require.NoError(t, waitGroup(t, g))
	require.EqualValues(t, 100, ran.Load())
}

// What a task gives a group in a shield does not notice Close until the shield is left, also if it
// has waited for a place. (runtime/R15)
func TestGroupInAShieldDoesNotNoticeClose(t *testing.T) {
	rt := start(t, 1)
	begun := make(chan struct{})
	h := runtime.Submit(rt, does(func(cx runtime.Cx) (err error) {
		cx.Shield(func() {
			g := runtime.NewGroup(context.Background(), rt)
			g.SetLimit(1)
			close(begun)
			for range 3 {
				if err = g.Spawn(cx, func(cx runtime.Cx) error { return cx.Sleep(1) }); err != nil {
					return
				}
				for !runtime.Cancelling(rt) {
					cx.Yield()
				}
			}
			err = g.Join(cx)
		})
		return err
	}))
	receive(t, begun)
	closes(t, rt)
	_, err := get(t, h)
	require.NoError(t, err)
}

func TestMisuseOfGroupsPanics(t *testing.T) {
	rt, other := start(t, 1, runtime.Debug()), start(t, 1)
	fails := func(what string, call func()) {
		t.Helper()
		require.Equal(t, "surewake: "+what, panics(call))
	}
	fails("NewGroup: nil context", func() { runtime.NewGroup(noContext, rt) })
	fails("NewGroup: nil Runtime; New makes one", func() { runtime.NewGroup(t.Context(), nil) })
	g := runtime.NewGroup(t.Context(), rt)
	for _, none := range []*runtime.Group{nil, {}} {
		const rule = ": a nil or zero Group; NewGroup makes one"
		fails("Group.Go"+rule, func() { none.Go(noError) })
		fails("Group.TryGo"+rule, func() { none.TryGo(noError) })
		fails("Group.Spawn"+rule, func() { _ = none.Spawn(runtime.Cx{}, noError) })
		fails("Group.Wait"+rule, func() { _ = none.Wait() })
		fails("Group.Join"+rule, func() { _ = none.Join(runtime.Cx{}) })
		fails("Group.Cancel"+rule, func() { none.Cancel() })
		fails("Group.SetLimit"+rule, func() { none.SetLimit(1) })
	}
	fails("Group.Go: nil function", func() { g.Go(nil) })
	fails("Group.TryGo: nil function", func() { g.TryGo(nil) })
	fails("Group.SetLimit(0): must be 1 to 2147483647", func() { g.SetLimit(0) })
	run(t, other, func(cx runtime.Cx) error {
		fails("Group.Spawn: the group belongs to another runtime",
			func() { _ = g.Spawn(cx, noError) })
		fails("Group.Join: the group belongs to another runtime", func() { _ = g.Join(cx) })
		return nil
	})
	g.SetLimit(1)
	run(t, rt, func(cx runtime.Cx) error {
		fails("Group.Spawn: nil function", func() { _ = g.Spawn(cx, nil) })
		_ = g.Spawn(cx, func(cx runtime.Cx) error {
			fails("Group.Join: a task cannot wait for its own end", func() { _ = g.Join(cx) })
			return nil
		})
		const where = ": called in a task of the runtime, whose worker it would block; " +
			"a task calls "
		fails("Group.Go"+where+"Group.Spawn", func() { g.Go(noError) })
		fails("Group.Wait"+where+"Group.Join", func() { _ = g.Wait() })
		fails("Group.SetLimit(2): must be called before Go and Spawn, "+
			"or after Wait; 1 functions run", func() { g.SetLimit(2) })
		return g.Join(cx)
	})
}
