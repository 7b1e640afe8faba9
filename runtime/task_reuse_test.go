package runtime_test

import (
	"errors"
	goruntime "runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// A task that is used again has the result of each life, also of one that fails, panics, waits or
// calls Goexit.
func TestEachLifeHasItsResult(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		var again runtime.Task[int]
		ends := func(fn func(runtime.Cx) (int, error)) (int, error) {
			again.Spawn(cx, fn)
			return again.Join(cx)
		}
		for i := range 3 {
			v, err := ends(func(runtime.Cx) (int, error) { return i, nil })
			require.NoError(t, err)
			require.Equal(t, i, v)
			v, err = ends(func(runtime.Cx) (int, error) { return 7, errTest })
			require.Equal(t, 7, v)
			require.ErrorIs(t, err, errTest)
			v, err = ends(func(runtime.Cx) (int, error) { panic(errTest) })
			require.Zero(t, v)
			var panicked *runtime.PanicError
			require.True(t, errors.As(err, &panicked))
			v, err = ends(func(cx runtime.Cx) (int, error) {
				cx.Yield()
				return fibFork(cx, 5), nil
			})
			require.NoError(t, err)
			require.Equal(t, 5, v)
			over := false
			_, err = runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				defer func() { over = true }()
				var child runtime.Task[int]
				child.Spawn(cx, func(runtime.Cx) (int, error) { goruntime.Goexit(); return 0, nil })
				return child.Join(cx)
			}).Join(cx)
			require.ErrorIs(t, err, runtime.ErrGoexit)
			require.True(t, over)
		}
		return nil
	})
}

var errTest = errors.New("of a test")

// A life that is cancelled ends, and the next one is not.
func TestCancelOfALife(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		var again runtime.Task[int]
		for range 3 {
			again.Spawn(cx, forever)
			again.Cancel(cx)
			_, err := again.Join(cx)
			require.ErrorIs(t, err, runtime.ErrCancelled)
			again.Spawn(cx, forever)
			cx.Yield() // it waits
			again.Cancel(cx)
			_, err = again.Join(cx)
			require.ErrorIs(t, err, runtime.ErrCancelled)
			again.Spawn(cx, empty)
			_, err = again.Join(cx)
			require.NoError(t, err)
		}
		return nil
	})
}

// Tasks that are stolen, claimed from queues and wait are started again and again; each life runs
// once.
func TestManyTasksAgainAndAgain(t *testing.T) {
	rt := start(t, 2)
	rounds := 2000
	if testing.Short() {
		rounds = 200
	}
	run(t, rt, func(cx runtime.Cx) error {
		var all [20]runtime.Task[int]
		for round := range rounds {
			for i := range all {
				all[i].Spawn(cx, func(cx runtime.Cx) (int, error) {
					switch {
					case i%5 == 1:
						cx.Yield()
					case i%5 == 2:
						return fibFork(cx, 4) - 3 + round + i, cx.Err()
					}
					return round + i, nil
				})
			}
			for i := range all {
				n := (i*7 + round) % len(all)
				v, err := all[n].Join(cx)
				require.NoError(t, err)
				require.Equal(t, round+n, v)
			}
		}
		return nil
	})
}

// What breaks a rule of Task panics and says which.
func TestMisuseOfATask(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		var again runtime.Task[int]
		told := func(what string, does func()) {
			require.PanicsWithValue(t, "surewake: "+what, does)
		}
		told("Task.Spawn: nil function", func() { again.Spawn(cx, nil) })
		told("Task.Join: the zero Task; Spawn starts it", func() { _, _ = again.Join(cx) })
		again.Spawn(cx, empty)
		told("Task.Spawn: the end of the task before has not been seen; Join it first",
			func() { again.Spawn(cx, empty) })
		_, err := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
			const rule = ": only the task that has spawned it may do this"
			told("Task.Join"+rule, func() { _, _ = again.Join(cx) })
			told("Task.Cancel"+rule, func() { again.Cancel(cx) })
			return 0, nil
		}).Join(cx)
		require.NoError(t, err)
		_, err = again.Join(cx)
		require.NoError(t, err)
		told("Task.Join: the task has been joined already", func() { _, _ = again.Join(cx) })
		told("Task.Cancel: the task has been joined already", func() { again.Cancel(cx) })
		return nil
	})
}

// Only the runtime in which a task was started uses its Task. The first tasks that start others
// have the same serial in every runtime of one worker. (runtime/R1)
func TestATaskOfAnotherRuntimeIsRefused(t *testing.T) {
	a, b := start(t, 1), start(t, 1)
	var again runtime.Task[int]
	run(t, a, func(cx runtime.Cx) error {
		again.Spawn(cx, empty)
		_, err := runtime.Submit(b, func(cx runtime.Cx) (int, error) {
			cx.Go(func(runtime.Cx) {}).Detach()
			for what, call := range map[string]func(){
				"Task.Join":   func() { _, _ = again.Join(cx) },
				"Task.Cancel": func() { again.Cancel(cx) },
			} {
				require.Equal(t, "surewake: "+what+
					": only the task that has spawned it may do this", panics(call))
			}
			return 0, nil
		}).Wait(t.Context())
		require.NoError(t, err)
		_, err = again.Join(cx)
		return err
	})
	closes(t, a)
	closes(t, b)
}

// The end of a task by Goexit is that of whoever joins it as its child, in its runtime only. What
// has ended may be joined in any. (runtime/R1)
func TestGoexitInAnotherRuntimeIsAnError(t *testing.T) {
	a, b := start(t, 1), start(t, 1)
	var h *runtime.Handle[int]
	run(t, a, func(cx runtime.Cx) error {
		h = runtime.Spawn(cx, func(runtime.Cx) (int, error) { goruntime.Goexit(); return 0, nil })
		_, err := h.JoinTimeout(cx, stuckAfter)
		require.ErrorIs(t, err, runtime.ErrGoexit)
		return nil
	})
	run(t, b, func(cx runtime.Cx) error {
		cx.Go(func(runtime.Cx) {}).Detach()
		_, err := h.Join(cx)
		require.ErrorIs(t, err, runtime.ErrGoexit)
		return nil
	})
}
