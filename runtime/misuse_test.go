package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	goruntime "runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/park"
	"github.com/surewake/surewake/runtime"
)

// Every option is validated, with the value and the range in the error.
func TestOptionsOutOfRangeAreRefused(t *testing.T) {
	for _, c := range []struct {
		option runtime.Option
		want   string
	}{
		{nil, "surewake: New: an option is nil"},
		{runtime.Workers(0), "surewake: Workers(0): must be 1 to 65536"},
		{runtime.Workers(-1), "surewake: Workers(-1): must be 1 to 65536"},
		{runtime.Workers(65537), "surewake: Workers(65537): must be 1 to 65536"},
		{runtime.Parker(park.Kind(77)),
			fmt.Sprintf("surewake: Parker(%v): not available on %s", park.Kind(77), goruntime.GOOS)},
		{runtime.InjectorBatch(0, runtime.LocalRing),
			"surewake: InjectorBatch(0, _): must be 1 to 256"},
		{runtime.InjectorBatch(257, runtime.LocalRing),
			"surewake: InjectorBatch(257, _): must be 1 to 256"},
		{runtime.InjectorBatch(1, 9),
			"surewake: InjectorBatch(_, 9): must be LocalRing or PrivateBuffer"},
		{runtime.IdleBatch(0), "surewake: IdleBatch(0): must be 1 to 32768"},
		{runtime.IdleBatch(32769), "surewake: IdleBatch(32769): must be 1 to 32768"},
		{runtime.InjectorInterval(0, 8, 255),
			"surewake: InjectorInterval(0s, _, _): must be 1ns to 1h"},
		{runtime.InjectorInterval(2*time.Hour, 8, 255),
			"surewake: InjectorInterval(2h0m0s, _, _): must be 1ns to 1h"},
		{runtime.InjectorInterval(1, 0, 255), "surewake: InjectorInterval(_, 0, 255): must be " +
			"1 to 1000000, the first not above the second"},
		{runtime.InjectorInterval(1, 9, 8), "surewake: InjectorInterval(_, 9, 8): must be " +
			"1 to 1000000, the first not above the second"},
		{runtime.InjectorInterval(1, 9, 1_000_001), "surewake: InjectorInterval(_, 9, 1000001): " +
			"must be 1 to 1000000, the first not above the second"},
		{runtime.Ring(1), "surewake: Ring(1): must be a power of two from 2 to 32768"},
		{runtime.Ring(3), "surewake: Ring(3): must be a power of two from 2 to 32768"},
		{runtime.Ring(65536), "surewake: Ring(65536): must be a power of two from 2 to 32768"},
		{runtime.LIFOCap(-1), "surewake: LIFOCap(-1): must be 0 to 1000000"},
		{runtime.MaxTasks(0), "surewake: MaxTasks(0): must be 1 to 2147483647"},
		{runtime.MaxTasks(-1), "surewake: MaxTasks(-1): must be 1 to 2147483647"},
		{runtime.TickBudget(0), "surewake: TickBudget(0): must be 1 to 1000000"},
		{runtime.TaskBudget(0), "surewake: TaskBudget(0): must be 1 to 1000000"},
		{runtime.InlineDepth(-1), "surewake: InlineDepth(-1): must be 0 to 100000"},
		{runtime.SpareCoroutines(0), "surewake: SpareCoroutines(0): must be 1 to 100000"},
		{runtime.Searches(0), "surewake: Searches(0): must be 1 to 1000"},
		{runtime.RescueInterval(-1), "surewake: RescueInterval(-1ns): must be 0 or more"},
		{runtime.OnPanic(nil), "surewake: OnPanic: nil function"},
		{runtime.Watchdog(time.Microsecond, func(runtime.Alarm) {}),
			"surewake: Watchdog(1µs, _): must be 1ms to 24h0m0s"},
		{runtime.Watchdog(25*time.Hour, func(runtime.Alarm) {}),
			"surewake: Watchdog(25h0m0s, _): must be 1ms to 24h0m0s"},
		{runtime.Watchdog(time.Second, nil), "surewake: Watchdog: nil function"},
		{runtime.BlockingThreads(0), "surewake: BlockingThreads(0): must be 1 to 1000000"},
		{runtime.BlockingKeepAlive(-time.Second),
			"surewake: BlockingKeepAlive(-1s): must be 0 or more"},
	} {
		rt, err := runtime.New(c.option)
		require.EqualError(t, err, c.want)
		require.Nil(t, rt)
	}
}

func TestEveryOptionWorks(t *testing.T) {
	rt := start(
		t,
		2,
		runtime.Parker(park.Portable),
		runtime.InjectorBatch(7, runtime.PrivateBuffer),
		runtime.IdleBatch(9),
		runtime.InjectorInterval(time.Second, 1, 2),
		runtime.Ring(4),
		runtime.LIFOCap(0),
		runtime.TickBudget(1),
		runtime.TaskBudget(1),
		runtime.InlineDepth(1),
		runtime.SpareCoroutines(1),
		runtime.Searches(1),
		runtime.RescueInterval(time.Millisecond),
		runtime.Seed(7),
		runtime.OnPanic(func(*runtime.PanicError) {}),
		runtime.BlockingThreads(1),
		runtime.BlockingKeepAlive(time.Millisecond),
		runtime.Watchdog(time.Hour, func(runtime.Alarm) {}),
		runtime.Debug(),
	)
	v, err := get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) { return fib(cx, 12) }))
	require.NoError(t, err)
	require.Equal(t, 144, v)
}

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

// uses are all functions of this file that take a Cx, by the name that a panic gives them.
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
	for _, depth := range []int{0, 200} {
		run(t, rt, func(cx runtime.Cx) error {
			cx.Yield()
			child := runtime.Spawn(cx, forever)
			defer child.Cancel()
			deep(depth, func() {
				for want, call := range map[string]func(){
					"Close" + where + "which would wait for its own end; a task calls Cx.Close": func() {
						_ = rt.Close()
					},
					"Shutdown" + where +
						"which would wait for its own end; a task calls Cx.Shutdown": func() {
						_ = rt.Shutdown(t.Context())
					},
					"Wait" + where + "whose worker it would block; a task calls Handle.Join": func() {
						_, _ = child.Wait(t.Context())
					},
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
var locks = map[string]func(cx runtime.Cx) (int, error){
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

// With Debug, a task that waits while it has locked its thread is told of the rule, and one that
// ends is reported.
func TestDebugRefusesLockedThreads(t *testing.T) {
	for name, body := range locks {
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
				"surewake: a task that waits must not have locked its thread (runtime.LockOSThread)",
				name)
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

// misuses end the process: they are run in one of their own, the name of the misuse in its
// environment.
var misuses = map[string]func(){
	"goroutine": func() {
		rt, err := runtime.New(runtime.Workers(1), runtime.Debug())
		if err != nil {
			panic(err)
		}
		_, err = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			done := make(chan any)
			go func() {
				defer func() { done <- recover() }()
				cx.Yield() //cxcheck:ignore it is refused
			}()
			panic(<-done)
		}).Wait(context.Background())
		panic(err)
	},
	"goroutines that spawn": func() {
		rt, err := runtime.New(runtime.Workers(2), runtime.Debug())
		if err != nil {
			panic(err)
		}
		_, err = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			refused := make(chan any)
			for range 4 {
				go func() {
					defer func() { refused <- recover() }()
					for range 1000 {
						runtime.Spawn(cx, returns(1)) //cxcheck:ignore it is refused
					}
				}()
			}
			for range 3 {
				<-refused
			}
			panic(<-refused)
		}).Wait(context.Background())
		if closed := rt.Close(); closed != nil {
			panic(closed)
		}
		panic(err)
	},
	"threads": func() {
		debug.SetMaxThreads(150)
		for _, n := range []int{65, 90, 256, 300, 2000} {
			rt, err := runtime.New(runtime.Workers(n))
			if err != nil {
				panic(err)
			}
			time.Sleep(20 * time.Millisecond) // all sleep
			v, err := runtime.Submit(rt, returns(n)).Wait(context.Background())
			if err := errors.Join(err, rt.Close()); err != nil || v != n {
				panic(err)
			}
		}
		_, err := runtime.New(runtime.Workers(150), runtime.Parker(park.Futex))
		panic(err)
	},
	"locked": func() { // without Debug: what Go says
		rt, err := runtime.New(runtime.Workers(1))
		if err != nil {
			panic(err)
		}
		_, err = runtime.Submit(rt, locks["waits"]).Wait(context.Background())
		panic(err)
	},
}

const misuseVariable = "SUREWAKE_MISUSE"

func misuse(t *testing.T, name string) string {
	ctx, stop := context.WithTimeout(context.Background(), stuckAfter)
	defer stop()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), misuseVariable+"="+name)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var status *exec.ExitError
	require.True(t, errors.As(err, &status), "the process ends with %v\n%s", err, out.String())
	require.NoError(t, ctx.Err())
	return out.String()
}

func TestDebugRefusesACxOnAnotherGoroutine(t *testing.T) {
	if goruntime.GOOS == "js" {
		t.Skip("no processes")
	}
	require.Contains(t, misuse(t, "goroutine"),
		"surewake: a Cx must be used on the goroutine of its task only")
}

// A worker's queues have one owner: what another goroutine pushes there is lost, or nil.
// (runtime/R54)
func TestDebugRefusesToSpawnOnAnotherGoroutine(t *testing.T) {
	if goruntime.GOOS == "js" {
		t.Skip("no processes")
	}
	out := misuse(t, "goroutines that spawn")
	require.Contains(t, out, "surewake: a Cx must be used on the goroutine of its task only")
	require.NotContains(t, out, "nil pointer")
}

// Workers are no more threads than Go allows the process. (runtime/R53)
func TestNoMoreThreadsThanGoAllows(t *testing.T) {
	if !park.Futex.Available() {
		t.Skip("no worker has a thread to itself")
	}
	require.Contains(t, misuse(t, "threads"), "surewake: Workers(150): each takes a thread with "+
		"Parker(Futex), and Go allows 150 (debug.SetMaxThreads); Parker(Portable) takes none")
}

// If Go forgives it some day, Debug need not refuse it any more.
func TestGoRefusesLockedThreads(t *testing.T) {
	if goruntime.GOOS == "js" {
		t.Skip("no processes")
	}
	out := misuse(t, "locked")
	require.True(t, strings.Contains(out, "fatal error: coro"), out)
}
