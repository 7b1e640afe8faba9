package runtime

import (
	"context"

	"github.com/surewake/surewake/taskstate"
)

// A Handle is what there is to hold of a task: its result, when it has one. Any number of goroutines and tasks may wait for
// it, and each of them gets the result. It must not be copied.
//
// The end of the task synchronizes before the return of every call that finds the task ended.
type Handle[T any] struct {
	task
	value T // written by the runner before it completes the task, read by anybody who has found the task COMPLETE
}

func (h *Handle[T]) discardResult() {
	var zero T
	h.value = zero
}

// result is for who has found the task ended.
func (h *Handle[T]) result() (T, error) {
	if h.err != nil {
		return h.value, h.err.error
	}
	return h.value, nil
}

func (h *Handle[T]) check(what string) {
	if h.detached() {
		panic("runtime: " + what + ": the handle has been detached")
	}
}

// Join waits for the end of the task and returns its result; the task that calls it waits, its worker does not. If the target has not
// begun, it is run at once, on the stack of its joiner, as an ordinary call would be. Any task of the same runtime may call it.
//
// It returns [ErrCancelled] if the calling task is cancelled before the target has ended; that does not cancel the target. A task
// that runs its target itself comes to know of its cancellation when the target has ended, as in an ordinary call.
// It panics if the handle is detached or belongs to another runtime.
func (h *Handle[T]) Join(cx Cx) (T, error) {
	cx.check("Join")
	s := h.state.Load()
	if s.Detached() {
		h.check("Join")
	}
	if s.Lifecycle() == taskstate.Complete {
		return h.result()
	}
	if h.rt != cx.coroutine.worker.rt {
		panic("runtime: Join: the handle belongs to another runtime")
	}
	if err := cx.join(&h.task); err != nil {
		var zero T
		return zero, err
	}
	return h.result()
}

// Wait waits for the end of the task and returns its result, or the error of ctx if that ends first. It is for goroutines that
// are not tasks: it would block a worker. It panics if the handle is detached.
func (h *Handle[T]) Wait(ctx context.Context) (T, error) {
	h.check("Wait")
	if !h.ended() {
		done := make(goroutine)
		j := &joiner{waker: done}
		if h.addJoiner(j) {
			select {
			case <-done:
			case <-ctx.Done():
				if !h.ended() {
					j.abandoned.Store(true)
					var zero T
					return zero, context.Cause(ctx)
				}
			}
		}
	}
	return h.result()
}

// TryJoin returns the result of the task, and true, if it has ended. Anyone may call it. It panics if the handle is detached.
func (h *Handle[T]) TryJoin() (T, error, bool) {
	h.check("TryJoin")
	if !h.ended() {
		var zero T
		return zero, nil, false
	}
	value, err := h.result()
	return value, err, true
}

var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// Done returns a channel that is closed when the task has ended; each call before that makes a new one. Anyone may call it. It
// panics if the handle is detached.
func (h *Handle[T]) Done() <-chan struct{} {
	h.check("Done")
	if h.ended() {
		return closed
	}
	done := make(goroutine)
	if !h.addJoiner(&joiner{waker: done}) {
		return closed // done may be closed as well, or not
	}
	return done
}

// Cancel asks the task to end. A task that has not begun ends with [ErrCancelled]; one that waits, or comes to wait, is told so by the
// error of the waiting function, outside of its shields; one that never waits may look at [Cx.Err]. It still has a result,
// which may be a value. Anyone may call it, and again, also when the task has ended.
func (h *Handle[T]) Cancel() { h.cancel(nil) }

// Detach gives up the handle: nobody will collect the result. It is discarded, and with it an error; the task runs on. Only one
// goroutine may call it, once, and nothing else may be done with the handle afterwards. It panics if it is called again.
func (h *Handle[T]) Detach() {
	h.check("Detach")
	if h.state.Detach() == taskstate.DetachDiscard {
		h.discardResult()
		h.state.Drop()
	}
}
