package runtime_test

import (
	"bytes"
	"context"
	"log/slog"
	goruntime "runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// Whatever kind of task has panicked.
func TestAHookThatCallsGoexitKeepsNoKindOfTaskFromEnding(t *testing.T) {
	rt, err := runtime.New(runtime.Workers(1),
		runtime.OnPanic(func(*runtime.PanicError) { goruntime.Goexit() }))
	require.NoError(t, err)
	bad := func(cx runtime.Cx) (int, error) { panic("as it should") }
	for name, h := range map[string]*runtime.Handle[int]{
		"function": runtime.Submit(rt, bad),
		"future":   runtime.SubmitFuture[int](rt, panicking{}),
		"blocking": runtime.SubmitBlocking(rt, func() (int, error) { return bad(runtime.Cx{}) }),
		"batch": runtime.SubmitBatch(rt, 1, func(cx runtime.Cx, _ int) (int, error) {
			return bad(cx)
		}).Handle(0),
		"scope": runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			return 0, runtime.Scope(cx, func(cx runtime.Cx, s *runtime.TaskScope) error {
				runtime.SpawnIn(cx, s, bad)
				return nil
			})
		}),
	} {
		var p *runtime.PanicError
		_, err = h.Wait(context.Background())
		require.ErrorAs(t, err, &p, name)
		require.Equal(t, "as it should", p.Value, name)
	}
	require.NoError(t, rt.Shutdown(context.Background()))
}

// panicking is a future that panics.
type panicking struct{}

// Poll implements runtime.Future.
func (panicking) Poll(runtime.Cx) (int, error, bool) { panic("as it should") }

// A hook that calls Goexit, as t.FailNow does, ends the tasks beneath the one that has panicked,
// and keeps none from ending.
func TestAHookThatCallsGoexitKeepsNoTaskFromEnding(t *testing.T) {
	rt, err := runtime.New(runtime.Workers(1),
		runtime.OnPanic(func(*runtime.PanicError) { goruntime.Goexit() }))
	require.NoError(t, err)
	handles := make(chan *runtime.Handle[int], 1)
	parent := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		child := runtime.Spawn(cx, func(runtime.Cx) (int, error) { panic("on top") })
		handles <- child
		return child.Join(cx)
	})
	_, err = parent.Wait(context.Background())
	require.ErrorIs(t, err, runtime.ErrGoexit)
	var p *runtime.PanicError
	_, err = (<-handles).Wait(context.Background())
	require.ErrorAs(t, err, &p)
	require.Equal(t, "on top", p.Value)
	require.NoError(t, rt.Shutdown(context.Background()))
}

// A hook that panics ends no process: its panic is part of the result, with that of the task.
// (runtime/R17)
func TestAHookThatPanicsIsPartOfTheResult(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers, runtime.OnPanic(func(*runtime.PanicError) { panic("in the hook") }))
		bad := func(runtime.Cx) (int, error) { panic("as it should") }
		for name, h := range map[string]*runtime.Handle[int]{
			"function": runtime.Submit(rt, bad),
			"future":   runtime.SubmitFuture[int](rt, panicking{}),
			"blocking": runtime.SubmitBlocking(rt, func() (int, error) {
				return bad(runtime.Cx{})
			}),
			"inlined": runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				return runtime.Spawn(cx, bad).Join(cx)
			}),
		} {
			_, err := get(t, h)
			both, ok := err.(interface{ Unwrap() []error })
			require.True(t, ok, name)
			var values []any
			for _, e := range both.Unwrap() {
				var p *runtime.PanicError
				require.ErrorAs(t, e, &p, name)
				values = append(values, p.Value)
			}
			require.Equal(t, []any{"as it should", "in the hook"}, values, name)
		}
		_, err := get(t, runtime.Submit(rt, returns(1)))
		require.NoError(t, err)
	})
}

// Nor does one that panics when it is told of a thread that was left locked.
func TestAHookThatPanicsForALockedThreadEndsNoProcess(t *testing.T) {
	called := make(chan struct{}, 8)
	rt := start(t, 1, runtime.Debug(), runtime.OnPanic(func(*runtime.PanicError) {
		called <- struct{}{}
		panic("in the hook")
	}))
	_, err := get(t, runtime.Submit(rt, func(runtime.Cx) (int, error) {
		goruntime.LockOSThread()
		return 0, nil
	}))
	require.NoError(t, err)
	receive(t, called)
	_, err = get(t, runtime.Submit(rt, returns(1)))
	require.NoError(t, err)
}

// A panic is logged even if the hook panics.
func TestAPanicIsLoggedThoughTheHookPanics(t *testing.T) {
	var text bytes.Buffer
	rt := start(t, 1, runtime.LogPanics(slog.New(slog.NewTextHandler(&text, nil))),
		runtime.OnPanic(func(*runtime.PanicError) { panic("in the hook") }))
	_, err := get(t, runtime.Submit(rt, func(runtime.Cx) (int, error) { panic("as it should") }))
	require.Error(t, err)
	require.Contains(t, text.String(), "as it should")
}

// A function of OnPanic that calls Goexit, as testing.T.FailNow does, ends whoever joins the task
// as its child, wherever the child has run. Others are given the panic. (runtime/R22)
func TestGoexitInOnPanicIsThatOfTheJoiner(t *testing.T) {
	rt := start(t, 1, runtime.OnPanic(func(*runtime.PanicError) { goruntime.Goexit() }))
	panicking := func(runtime.Cx) (int, error) { panic("here") }
	for what, join := range map[string]func(cx runtime.Cx) (int, error){
		"inlined": func(cx runtime.Cx) (int, error) {
			return runtime.Spawn(cx, panicking).Join(cx)
		},
		"before": func(cx runtime.Cx) (int, error) {
			h := runtime.Spawn(cx, panicking)
			cx.Yield()
			return h.Join(cx)
		},
		"a Task, inlined": func(cx runtime.Cx) (int, error) {
			var again runtime.Task[int]
			again.Spawn(cx, panicking)
			return again.Join(cx)
		},
		"a Task, before": func(cx runtime.Cx) (int, error) {
			var again runtime.Task[int]
			again.Spawn(cx, panicking)
			cx.Yield()
			return again.Join(cx)
		},
	} {
		_, err := get(t, runtime.Submit(rt, join))
		require.Equal(t, runtime.ErrGoexit, err, what)
	}
	var panicked *runtime.PanicError
	_, err := get(t, runtime.Submit(rt, panicking))
	require.ErrorAs(t, err, &panicked)
	require.Equal(t, "here", panicked.Value)
}
