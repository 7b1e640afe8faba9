package runtime

import (
	"context"
	"errors"
	"testing"

	"github.com/surewake/surewake/model"
)

// checkRun is model.Check of a Run, within bounds: its worker falls asleep while its caller closes.
func checkRun(t *testing.T, body func(x *model.Exec)) {
	t.Helper()
	t.Run("one preemption", func(t *testing.T) {
		model.Check(t, body, model.Preemptions(1), model.Executions(mostExecutions))
	})
}

// Run returns what its function does, a panic as an error, when the tasks that it has left have
// ended.
func TestRunGivesTheEndOfItsFunction(t *testing.T) {
	fails := errors.New("fails")
	for name, end := range map[string]struct {
		fn    func() (int, error)
		given func(v int, err error) bool
	}{
		"result": {
			func() (int, error) { return 7, nil },
			func(v int, err error) bool { return v == 7 && err == nil },
		},
		"error": {
			func() (int, error) { return 7, fails },
			func(v int, err error) bool { return v == 7 && err == fails },
		},
		"panic": {
			func() (int, error) { panic("fails") },
			func(v int, err error) bool {
				var p *PanicError
				return v == 0 && errors.As(err, &p) && p.Value == "fails"
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			checkRun(t, func(x *model.Exec) {
				var left count
				v, err := Run(context.Background(), func(cx Cx) (int, error) {
					Spawn(cx, func(cx Cx) (int, error) {
						cx.Yield()
						return left.run(cx)
					})
					return end.fn()
				}, worldOptions(1)...)
				x.Assert(end.given(v, err), "%d, %v", v, err)
				x.Assert(left.Load() == 1, "what it has left has run %d times", left.Load())
			})
		})
	}
}

// The context of a Run ends before its function begins, while it runs, or as it ends: Run returns
// its result or ErrCancelled.
func TestRunEndsWhileItsContextDoes(t *testing.T) {
	checkRun(t, func(x *model.Exec) {
		ctx, cancel := context.WithCancel(context.Background())
		x.Go("cancels", cancel)
		v, err := Run(ctx, func(Cx) (int, error) { return 7, nil }, worldOptions(1)...)
		x.Assert(v == 7 && err == nil || v == 0 && err == ErrCancelled, "%d, %v", v, err)
	})
}

// The function of a Run, and a task that it has left, wait for what does not come. When the context
// ends, so do both, each told why, before Run returns.
func TestRunEndsWithItsContextWhateverWaits(t *testing.T) {
	checkRun(t, func(x *model.Exec) {
		ctx, cancel := context.WithCancel(context.Background())
		x.Go("cancels", cancel)
		var begun, ended count
		_, err := Run(ctx, func(cx Cx) (int, error) {
			var never Notify
			begun.Add(1)
			Spawn(cx, func(cx Cx) (int, error) {
				begun.Add(1)
				err := never.Wait(cx)
				x.Assert(err == ErrClosed, "what it has left is told %v", err)
				ended.Add(1)
				return 0, err
			})
			cx.Yield() // what it has left waits, too
			err := never.Wait(cx)
			ended.Add(1)
			return 0, err
		}, worldOptions(1)...)
		x.Assert(err == ErrCancelled, "%v", err)
		x.Assert(ended.Load() == begun.Load(), "%d have begun, %d ended", begun.Load(),
			ended.Load())
	})
}

// What New refuses, Run does, and its function is not called.
func TestRunRefusesWhatNewDoes(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		v, err := Run(context.Background(), func(Cx) (int, error) {
			x.Assert(false, "the function is called")
			return 1, nil
		}, Workers(0))
		x.Assert(v == 0 && err != nil, "%d, %v", v, err)
	})
}
