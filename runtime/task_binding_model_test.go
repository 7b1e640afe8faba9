package runtime

import (
	"context"
	"testing"

	"github.com/surewake/surewake/model"
)

// A context ends before its task is taken, while it is about to wait, or while it waits: the task
// ends, once, and so does its own context.
func TestEndOfAContextReachesItsTask(t *testing.T) {
	t.Run("one preemption", func(t *testing.T) {
		model.Check(t, func(x *model.Exec) {
			w := stillWorld(x, 1)
			ctx, cancel := context.WithCancel(context.Background())
			var own context.Context
			h := SubmitContext(ctx, w.Runtime, func(cx Cx) (int, error) {
				own = cx.Context()
				var never Notify
				return 0, never.Wait(cx)
			})
			x.Go("canceller", cancel)
			w.start()
			_, err := h.Wait(context.Background())
			x.Assert(err == ErrCancelled, "%v", err)
			w.shutdown()
			if own != nil {
				x.Assert(own.Err() == context.Canceled && context.Cause(own) == ErrCancelled,
					"the task's own context: %v", own)
			}
		}, model.Preemptions(1))
	})
}

// A task ends while its context does: its registration is taken back, or its cancellation comes too
// late.
func TestTaskEndsWhileItsContextDoes(t *testing.T) {
	t.Run("one preemption", func(t *testing.T) {
		model.Check(t, func(x *model.Exec) {
			w := stillWorld(x, 1)
			ctx, cancel := context.WithCancel(context.Background())
			h := SubmitContext(ctx, w.Runtime, func(Cx) (int, error) { return 1, nil })
			x.Go("canceller", cancel)
			w.start()
			v, err := h.Wait(context.Background())
			x.Assert(v == 1 && err == nil || v == 0 && err == ErrCancelled, "%d, %v", v, err)
			w.shutdown()
		}, model.Preemptions(1))
	})
}

// The function of a blocking task is told that its task is cancelled, whenever that comes.
func TestCancelReachesABlockingFunction(t *testing.T) {
	t.Run("two preemptions", func(t *testing.T) {
		model.Check(t, func(x *model.Exec) {
			w := stillWorld(x, 1)
			w.start()
			h := SubmitBlockingContext(context.Background(), w.Runtime,
				func(ctx context.Context) (int, error) {
					<-ctx.Done()
					return 1, context.Cause(ctx)
				})
			h.Cancel()
			v, err := h.Wait(context.Background())
			x.Assert(err == ErrCancelled, "%d, %v", v, err)
			w.shutdown()
		}, model.Preemptions(2))
	})
}

// A task that is cancelled before its runtime is closed ends with ErrCancelled, wherever it is.
func TestCancelThatComesBeforeCloseIsTheReason(t *testing.T) {
	t.Run("two preemptions", func(t *testing.T) {
		model.Check(t, func(x *model.Exec) {
			w := stillWorld(x, 1)
			h := Submit(w.Runtime, func(cx Cx) (int, error) {
				var never Notify
				return 0, never.Wait(cx)
			})
			w.start()
			h.Cancel()
			x.Assert(w.Close() == nil, "Close fails")
			_, err, ended := h.TryJoin()
			x.Assert(ended && err == ErrCancelled, "ended %v, with %v", ended, err)
		}, model.Preemptions(2))
	})
}

// A task spawns another one that ends with a context of its own, which somebody cancels, or with
// that of the task, which ends first: the other one ends, and a join in the task learns why.
func TestSpawnedTaskEndsWithItsContext(t *testing.T) {
	for _, own := range []bool{true, false} {
		name := map[bool]string{true: "of the task", false: "of somebody"}[own]
		t.Run(name+"/one preemption", func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				w := stillWorld(x, 1)
				ctx, cancel := context.WithCancel(context.Background())
				var child *Handle[int]
				h := Submit(w.Runtime, func(cx Cx) (int, error) {
					if own {
						ctx = cx.Context()
					}
					child = SpawnContext(ctx, cx, func(cx Cx) (int, error) {
						var never Notify
						return 0, never.Wait(cx)
					})
					if own {
						return 1, nil
					}
					return child.Join(cx)
				})
				x.Go("canceller", cancel)
				w.start()
				v, err := h.Wait(context.Background())
				_, of := child.Wait(context.Background())
				x.Assert(of == ErrCancelled, "the spawned task: %v", of)
				if own {
					x.Assert(v == 1 && err == nil, "the task: %d, %v", v, err)
				} else {
					x.Assert(err == ErrCancelled, "the task: %v", err)
				}
				w.shutdown()
			}, model.Preemptions(1))
		})
	}
}
