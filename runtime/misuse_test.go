package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	goruntime "runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

func TestNilFunctionsPanic(t *testing.T) {
	rt := start(t, 1)
	var (
		body     func(runtime.Cx) (int, error)
		with     func(runtime.Cx, int) (int, error)
		blocking func() (int, error)
		scoped   func(runtime.Cx, *runtime.TaskScope) error
		future   runtime.Future[int]
	)
	for what, misuse := range map[string]func(cx runtime.Cx){
		"Submit: nil function":         func(runtime.Cx) { runtime.Submit(rt, body) },
		"Spawn: nil function":          func(cx runtime.Cx) { runtime.Spawn(cx, body) },
		"SpawnWith: nil function":      func(cx runtime.Cx) { runtime.SpawnWith(cx, with, 1) },
		"SubmitBatch: nil function":    func(runtime.Cx) { runtime.SubmitBatch(rt, 1, with) },
		"SpawnBatch: nil function":     func(cx runtime.Cx) { runtime.SpawnBatch(cx, 1, with) },
		"SubmitBlocking: nil function": func(runtime.Cx) { runtime.SubmitBlocking(rt, blocking) },
		"SpawnBlocking: nil function":  func(cx runtime.Cx) { runtime.SpawnBlocking(cx, blocking) },
		"SubmitFuture: nil future":     func(runtime.Cx) { runtime.SubmitFuture(rt, future) },
		"SpawnFuture: nil future":      func(cx runtime.Cx) { runtime.SpawnFuture(cx, future) },
		"Scope: nil function":          func(cx runtime.Cx) { _ = runtime.Scope(cx, scoped) },
		"SpawnIn: nil function": func(cx runtime.Cx) {
			runtime.SpawnIn(cx, &runtime.TaskScope{}, body)
		},
		"Shield: nil function":     func(cx runtime.Cx) { cx.Shield(nil) },
		"Cx.Go: nil function":      func(cx runtime.Cx) { cx.Go(nil) },
		"Runtime.Go: nil function": func(runtime.Cx) { rt.Go(nil) },
	} {
		run(t, rt, func(cx runtime.Cx) error {
			require.PanicsWithValue(t, "surewake: "+what, func() { misuse(cx) })
			return nil
		})
	}
}

// uses are functions that take a Cx, by the name that a panic gives them.
var uses = map[string]func(cx runtime.Cx, rt *runtime.Runtime, h *runtime.Handle[int]){
	"Runtime": func(cx runtime.Cx, _ *runtime.Runtime, _ *runtime.Handle[int]) {
		cx.Runtime()
	},
	"Worker": func(cx runtime.Cx, _ *runtime.Runtime, _ *runtime.Handle[int]) {
		cx.Worker()
	},
	"Err": func(cx runtime.Cx, _ *runtime.Runtime, _ *runtime.Handle[int]) {
		_ = cx.Err()
	},
	"Shield": func(cx runtime.Cx, _ *runtime.Runtime, _ *runtime.Handle[int]) {
		cx.Shield(func() {})
	},
	"SetName": func(cx runtime.Cx, _ *runtime.Runtime, _ *runtime.Handle[int]) {
		cx.SetName("")
	},
	"Yield": func(cx runtime.Cx, _ *runtime.Runtime, _ *runtime.Handle[int]) { cx.Yield() },
	"Sleep": func(cx runtime.Cx, _ *runtime.Runtime, _ *runtime.Handle[int]) {
		_ = cx.Sleep(1)
	},
	"Shutdown": func(cx runtime.Cx, _ *runtime.Runtime, _ *runtime.Handle[int]) {
		_ = cx.Shutdown()
	},
	"Close": func(cx runtime.Cx, _ *runtime.Runtime, _ *runtime.Handle[int]) {
		_ = cx.Close()
	},
	"Cx.Go": func(cx runtime.Cx, _ *runtime.Runtime, _ *runtime.Handle[int]) {
		cx.Go(func(runtime.Cx) {})
	},
	"Join": func(cx runtime.Cx, _ *runtime.Runtime, h *runtime.Handle[int]) {
		_, _ = h.Join(cx)
	},
	"Waker": func(cx runtime.Cx, _ *runtime.Runtime, _ *runtime.Handle[int]) { cx.Waker() },
	"WakeFrom": func(cx runtime.Cx, _ *runtime.Runtime, _ *runtime.Handle[int]) {
		runtime.Waker{}.WakeFrom(cx)
	},
	"Spawn": func(cx runtime.Cx, _ *runtime.Runtime, _ *runtime.Handle[int]) {
		runtime.Spawn(cx, returns(1))
	},
	"SpawnWith": func(cx runtime.Cx, _ *runtime.Runtime, _ *runtime.Handle[int]) {
		runtime.SpawnWith(cx, fib, 1)
	},
	"SpawnBatch": func(cx runtime.Cx, _ *runtime.Runtime, _ *runtime.Handle[int]) {
		runtime.SpawnBatch(cx, 1, fib)
	},
	"SpawnFuture": func(cx runtime.Cx, _ *runtime.Runtime, _ *runtime.Handle[int]) {
		runtime.SpawnFuture(cx, &bell{})
	},
	"SpawnBlocking": func(cx runtime.Cx, _ *runtime.Runtime, _ *runtime.Handle[int]) {
		runtime.SpawnBlocking(cx, one)
	},
	"Scope": func(cx runtime.Cx, _ *runtime.Runtime, _ *runtime.Handle[int]) {
		_ = runtime.Scope(cx, func(runtime.Cx, *runtime.TaskScope) error { return nil })
	},
	"SpawnIn": func(cx runtime.Cx, _ *runtime.Runtime, _ *runtime.Handle[int]) {
		runtime.SpawnIn(cx, &runtime.TaskScope{}, returns(1))
	},
}

func one() (int, error) { return 1, nil }

// Whatever takes a Cx refuses the zero one, that of a task that has ended, that of a task that is
// suspended, and that of a task beneath the running one.
func TestWrongCxPanics(t *testing.T) {
	rt := start(t, 1)
	h := runtime.Submit(rt, forever)
	for what, use := range uses {
		panics := func(rule string, cx runtime.Cx) {
			t.Helper()
			require.PanicsWithValue(t, "surewake: "+what+": "+rule, func() { use(cx, rt, h) })
		}
		panics("the zero Cx; a Cx is what a task's function is given", runtime.Cx{})

		var finished, suspended runtime.Cx
		run(t, rt, func(cx runtime.Cx) error {
			finished = cx //cxcheck:ignore it is refused
			return nil
		})
		panics("the Cx of a task that has ended", finished)

		sleeps := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			suspended = cx //cxcheck:ignore it is refused
			return forever(cx)
		})
		waits(t, func() bool { return rt.Sleeping() == 1 }, "it does not sleep")
		run(t, rt, func(cx runtime.Cx) error {
			panics("the Cx of a task that has ended", finished)     //cxcheck:ignore it is refused
			panics("the Cx of a task that is suspended", suspended) //cxcheck:ignore it is refused
			_, err := runtime.Spawn(cx, func(runtime.Cx) (int, error) {
				panics("the Cx of another task; a task uses the one that its function was given",
					cx) //cxcheck:ignore it is refused
				return 0, nil
			}).Join(cx)
			return err
		})
		sleeps.Cancel()
		_, err := get(t, sleeps)
		require.ErrorIs(t, err, runtime.ErrCancelled)
	}
}

func TestDetachedHandlePanics(t *testing.T) {
	rt := start(t, 1)
	for _, ended := range []bool{false, true} {
		h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			if ended {
				return 1, nil
			}
			return forever(cx)
		})
		if ended {
			_, err := get(t, h)
			require.NoError(t, err)
		}
		h.Detach()
		run(t, rt, func(cx runtime.Cx) error {
			for what, misuse := range map[string]func(){
				"Join":      func() { _, _ = h.Join(cx) },
				"Wait":      func() { _, _ = h.Wait(context.Background()) },
				"TryJoin":   func() { _, _, _ = h.TryJoin() },
				"Done":      func() { h.Done() },
				"WakeOnEnd": func() { h.WakeOnEnd(cx.Waker()) },
				"Detach":    func() { h.Detach() },
			} {
				require.PanicsWithValue(t, "surewake: "+what+": the handle has been detached",
					misuse)
			}
			return nil
		})
	}
	b := runtime.SubmitBatch(rt, 1, fib)
	b.Handle(0).Detach()
	run(t, rt, func(cx runtime.Cx) error {
		require.PanicsWithValue(t, "surewake: Join: the handle has been detached",
			func() { _, _ = b.Join(cx) })
		return nil
	})
	require.PanicsWithValue(t, "surewake: Wait: the handle has been detached",
		func() { _, _ = b.Wait(context.Background()) })
}

func TestHandleOfAnotherRuntimePanics(t *testing.T) {
	rt, other := start(t, 1), start(t, 1)
	h := runtime.Submit(other, forever)
	b := runtime.SubmitBatch(other, 2, fib)
	var foreign *runtime.TaskScope
	begun := make(chan struct{})
	runtime.Submit(other, func(cx runtime.Cx) (int, error) {
		return 0, runtime.Scope(cx, func(cx runtime.Cx, s *runtime.TaskScope) error {
			foreign = s
			close(begun)
			_, err := forever(cx)
			return err
		})
	})
	<-begun
	run(t, rt, func(cx runtime.Cx) error {
		require.PanicsWithValue(t, "surewake: Join: the handle belongs to another runtime",
			func() { _, _ = h.Join(cx) })
		require.PanicsWithValue(t, "surewake: Join: the batch belongs to another runtime",
			func() { _, _ = b.Join(cx) })
		require.PanicsWithValue(t, "surewake: SpawnIn: the scope belongs to another runtime",
			func() { runtime.SpawnIn(cx, foreign, returns(1)) })
		return nil
	})
	h.Cancel()
	_, err := get(t, h)
	require.ErrorIs(t, err, runtime.ErrCancelled)
	run(t, rt, func(cx runtime.Cx) error { // what has ended may be asked by anybody
		_, err := h.Join(cx)
		require.ErrorIs(t, err, runtime.ErrCancelled)
		return nil
	})
}

// A task or a future that would wait for itself is told so, however it does. (runtime/R16)
func TestTaskThatWaitsForItselfPanics(t *testing.T) {
	rt := start(t, 1)
	for what, wait := range map[string]func(runtime.Cx, *runtime.Handle[int]) (int, error){
		"Join": func(cx runtime.Cx, h *runtime.Handle[int]) (int, error) { return h.Join(cx) },
		"JoinTimeout": func(cx runtime.Cx, h *runtime.Handle[int]) (int, error) {
			return h.JoinTimeout(cx, time.Hour)
		},
		"JoinContext": func(cx runtime.Cx, h *runtime.Handle[int]) (int, error) {
			return h.JoinContext(cx, context.Background())
		},
		"WakeOnEnd": func(cx runtime.Cx, h *runtime.Handle[int]) (int, error) {
			h.WakeOnEnd(cx.Waker())
			return 0, nil
		},
	} {
		var h *runtime.Handle[int]
		ready := make(chan struct{})
		h = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			<-ready
			return wait(cx, h)
		})
		close(ready)
		_, err := get(t, h)
		var p *runtime.PanicError
		require.ErrorAs(t, err, &p, what)
		require.Equal(t, "surewake: "+what+": a task cannot wait for its own end", p.Value)
	}
}

// So is a fork that would wait for the end of its task, or of one of which that is a fork, wherever
// it runs: that waits for the fork. (runtime/R44)
func TestAForkDoesNotWaitForItsTask(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		var h *runtime.Handle[int]
		ready := make(chan struct{})
		h = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			<-ready
			refused := func(cx runtime.Cx) error {
				for what, wait := range map[string]func(){
					"Join":        func() { _, _ = h.Join(cx) },
					"JoinTimeout": func() { _, _ = h.JoinTimeout(cx, time.Hour) },
					"JoinContext": func() { _, _ = h.JoinContext(cx, t.Context()) },
					"Select":      func() { _, _ = runtime.Select(cx, h.EndCase()) },
				} {
					require.Equal(t, "surewake: "+what+": a task cannot wait for its own end",
						panics(wait))
				}
				return nil
			}
			a, b := runtime.Both(cx, refused, refused)
			return 1, errors.Join(a, b, taken(cx, refused)(),
				taken(cx, func(cx runtime.Cx) error {
					other := runtime.Submit(rt, returns(1)) // no part of it
					_, err := other.Join(cx)
					return errors.Join(err, taken(cx, refused)())
				})())
		})
		close(ready)
		v, err := get(t, h)
		require.NoError(t, err)
		require.Equal(t, 1, v)
	})
}

// A task that calls Close or Shutdown of its runtime would wait for its own end; with Debug, a Wait
// that would block its worker is refused too. (runtime/R18)
func TestCallsThatBlockATaskOfTheRuntimePanic(t *testing.T) {
	rt := start(t, 1, runtime.Debug())
	other := start(t, 1, runtime.Debug())
	const where = ": called in a task of the runtime, "
	const own = where + "which would wait for its own end; a task calls "
	for _, depth := range []int{0, 200} {
		run(t, rt, func(cx runtime.Cx) error {
			cx.Yield()
			child := runtime.Spawn(cx, forever)
			defer child.Cancel()
			deep(depth, func() {
				for want, call := range map[string]func(){
					"Close" + own + "Cx.Close": func() { _ = rt.Close() },
					"Shutdown" + own + "Cx.Shutdown": func() {
						_ = rt.Shutdown(t.Context())
					},
					"Wait" + where + "whose worker it would block; a task calls " +
						"Handle.Join": func() { _, _ = child.Wait(t.Context()) },
				} {
					require.Equal(t, "surewake: "+want, panics(call))
				}
				_, err := runtime.Submit(other, returns(1)).Wait(t.Context())
				require.NoError(t, err)
			})
			return nil
		})
	}
	// Other goroutines may, and tasks of other runtimes, and coroutines that are none of a task.
	run(t, rt, func(runtime.Cx) error { return other.Close() })
	next, stop := iter.Pull(func(yield func(error) bool) { yield(rt.Close()) })
	err, _ := next()
	stop()
	require.NoError(t, err)
}

// A hook that calls Close in a task's goroutine panics too, after one task has called Goexit, too.
func TestCloseInAHookPanics(t *testing.T) {
	var rt *runtime.Runtime
	rt = start(t, 1, runtime.OnPanic(func(*runtime.PanicError) { _ = rt.Close() }))
	for range 2 {
		_, err := get(t, runtime.Submit(rt, func(runtime.Cx) (int, error) { panic("first") }))
		require.ErrorContains(t, err, "first")
		require.ErrorContains(t, err, "surewake: Close: called in a task of the runtime")
		_, err = get(t, runtime.Submit(rt, func(runtime.Cx) (int, error) {
			goruntime.Goexit()
			return 0, nil
		}))
		require.ErrorIs(t, err, runtime.ErrGoexit)
	}
}

// deep calls fn on a stack that is so many functions deeper.
func deep(by int, fn func()) {
	if by == 0 {
		fn()
		return
	}
	deep(by-1, fn)
}

func TestMisuseOfScopesAndBatchesPanics(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		require.PanicsWithValue(t,
			"surewake: SpawnIn: the TaskScope is none; it is what Scope gives its body",
			func() { runtime.SpawnIn(cx, nil, returns(1)) })
		require.PanicsWithValue(t,
			"surewake: SpawnIn: the TaskScope is none; it is what Scope gives its body",
			func() { runtime.SpawnIn(cx, &runtime.TaskScope{}, returns(1)) })
		var over *runtime.TaskScope
		require.NoError(
			t,
			runtime.Scope(cx,
				func(_ runtime.Cx, s *runtime.TaskScope) error { over = s; return nil }),
		)
		require.PanicsWithValue(t, "surewake: SpawnIn: the scope has ended",
			func() { runtime.SpawnIn(cx, over, returns(1)) })
		over.Cancel()
		require.PanicsWithValue(t, "surewake: SpawnBatch: -1 tasks; there must be 0 or more",
			func() { runtime.SpawnBatch(cx, -1, fib) })
		b := runtime.SpawnBatch(cx, 2, fib)
		for _, i := range []int{-1, 2} {
			require.PanicsWithValue(t, fmt.Sprintf("surewake: Handle(%d) of a batch of 2 tasks", i),
				func() { b.Handle(i) })
		}
		require.PanicsWithValue(t, "surewake: WakeOnEnd: the zero Waker",
			func() { b.Handle(0).WakeOnEnd(runtime.Waker{}) })
		return nil
	})
	require.PanicsWithValue(t, "surewake: SubmitBatch: -7 tasks; there must be 0 or more",
		func() { runtime.SubmitBatch(rt, -7, fib) })
}

// A runtime is closed once; Close ends what Shutdown has begun.
func TestSecondCloseSaysSo(t *testing.T) {
	rt := start(t, 1)
	closes(t, rt)
	require.ErrorIs(t, rt.Close(), runtime.ErrClosed)
	require.ErrorIs(t, rt.Shutdown(context.Background()), runtime.ErrClosed)

	rt = start(t, 1)
	h := runtime.Submit(rt, forever)
	ctx, stop := context.WithTimeout(context.Background(), time.Millisecond)
	defer stop()
	require.ErrorIs(t, rt.Shutdown(ctx), context.DeadlineExceeded)
	require.ErrorIs(t, rt.Shutdown(ctx), runtime.ErrClosed)
	_, err := get(t, runtime.Submit(rt, returns(1)))
	require.ErrorIs(t, err, runtime.ErrClosed)
	closes(t, rt)
	_, err = get(t, h)
	require.ErrorIs(t, err, runtime.ErrClosed)

	rt = start(t, 1)
	_, err = get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		require.NoError(t, cx.Shutdown())
		require.ErrorIs(t, cx.Shutdown(), runtime.ErrClosed)
		require.NoError(t, cx.Close())
		require.ErrorIs(t, cx.Close(), runtime.ErrClosed)
		return 0, nil
	}))
	require.NoError(t, err)
	ends(t, rt)
}

// locks are tasks that break a rule which Go checks, by ending the process.
func locks() map[string]func(cx runtime.Cx) (int, error) {
	return map[string]func(cx runtime.Cx) (int, error){
		"waits": func(cx runtime.Cx) (int, error) {
			goruntime.LockOSThread()
			defer goruntime.UnlockOSThread()
			return 0, cx.Sleep(1)
		},
		"ends": func(runtime.Cx) (int, error) { goruntime.LockOSThread(); return 0, nil },
		"exits": func(runtime.Cx) (int, error) {
			goruntime.LockOSThread()
			goruntime.Goexit()
			return 0, nil
		},
	}
}

// With Debug, a task that waits while it has locked its thread is told of the rule, and one that
// ends is reported.
func TestDebugRefusesLockedThreads(t *testing.T) {
	for name, body := range locks() {
		reports := make(chan *runtime.PanicError, 9)
		rt := start(t, 1, runtime.Debug(),
			runtime.OnPanic(func(e *runtime.PanicError) { reports <- e }))
		for range 3 {
			_, err := get(t, runtime.Submit(rt, body))
			if name == "ends" {
				require.NoError(t, err)
			} else if name == "exits" {
				require.ErrorIs(t, err, runtime.ErrGoexit)
			}
			require.Contains(t, receive(t, reports).Value,
				"surewake: a task that waits must not have locked its thread "+
					"(runtime.LockOSThread)", name)
			_, err = get(t,
				runtime.Submit(rt, func(cx runtime.Cx) (int, error) { cx.Yield(); return 0, nil }))
			require.NoError(t, err)
		}
	}
}

// A thread may be locked for as long as the task does not wait, and in blocking tasks.
func TestThreadMayBeLockedBetweenWaits(t *testing.T) {
	for _, options := range [][]runtime.Option{nil, {runtime.Debug()}} {
		rt := start(t, 2, options...)
		run(t, rt, func(cx runtime.Cx) error {
			for range 10 {
				goruntime.LockOSThread()
				goruntime.UnlockOSThread()
				cx.Yield()
			}
			_, err := runtime.SpawnBlocking(cx, func() (int, error) {
				goruntime.LockOSThread()
				return 0, nil
			}).
				Join(cx)
			return err
		})
	}
}
