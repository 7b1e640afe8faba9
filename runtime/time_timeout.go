package runtime

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/surewake/surewake/taskstate"
)

// ErrTimeout is returned when a timeout or deadline has passed. errors.Is also takes it for
// context.DeadlineExceeded and os.ErrDeadlineExceeded.
var ErrTimeout error = timeoutError{}

type timeoutError struct{}

// Error implements error.
func (timeoutError) Error() string { return "surewake: timeout" }

// Timeout returns true, as other timeout errors do.
func (timeoutError) Timeout() bool { return true }

// Is reports whether target is a timeout of the standard library.
func (timeoutError) Is(target error) bool {
	return target == context.DeadlineExceeded || target == os.ErrDeadlineExceeded
}

// Timeout calls fn in a task of its own and returns its result. If fn has not returned after d, the
// task is cancelled and Timeout waits for its end: then it returns [ErrTimeout] if the task's error
// tells of that, and the task's result otherwise. If the calling task must end, the task of fn is
// cancelled too. So fn never outlives the call, and fn must return when functions that wait return
// errors.
//
// An error tells of a cancellation if errors.Is takes it for context.Canceled, as it does
// [ErrCancelled]; and of a timeout that has passed, for context.DeadlineExceeded or
// os.ErrDeadlineExceeded. So fn may return what a function returns that it has given its
// [Cx.Context], whose deadline is the timeout's. A [PanicError] tells of neither.
//
// If d <= 0, fn may be cancelled before it starts. Timeouts nest. Timeout panics if fn is nil.
func Timeout[T any](cx Cx, d time.Duration, fn func(Cx) (T, error)) (T, error) {
	cx.check("Timeout")
	if fn == nil {
		panic("surewake: Timeout: nil function")
	}
	return within(cx, deadlineAfter(cx.task.rt.now(), d), fn, (*Handle[T]).joinUntil)
}

// Deadline is [Timeout] with a time at which fn is cancelled, judged as in [Cx.SleepUntil].
func Deadline[T any](cx Cx, t time.Time, fn func(Cx) (T, error)) (T, error) {
	cx.check("Deadline")
	if fn == nil {
		panic("surewake: Deadline: nil function")
	}
	passes := cx.clockOf(t)
	return within(cx, passes, fn, func(h *Handle[T], cx Cx, passes int64) (T, error) {
		for {
			v, err := h.joinUntil(cx, passes)
			// ErrTimeout may be why the calling task must end, too.
			if err != ErrTimeout || h.ended() || !time.Now().Before(t) || cx.stopErr() != nil {
				return v, err
			}
			passes = cx.clockOf(t) // the wall clock was set back
		}
	})
}

// clockOf returns what the runtime's clock will show at the time t. It reads one clock, once: what
// passes between two readings would move the time.
func (cx Cx) clockOf(t time.Time) int64 {
	now := time.Now()
	return deadlineAfter(cx.task.rt.clockAt(now), t.Sub(now))
}

// A timedCall is a task with a timeout.
type timedCall[T any] struct {
	call[T]
	heritage // its deadline is when the timeout, or one around it, has passed
}

// within calls fn in a task of its own, until the runtime's clock shows passes, and waits for it
// with join. If join gives up, within cancels the task and waits for its end. It returns why join
// gave up, or that the timeout has passed, in place of the task's error if that tells of it.
func within[T any](
	cx Cx, passes int64, fn func(Cx) (T, error), join func(*Handle[T], Cx, int64) (T, error),
) (T, error) {
	rt := cx.task.rt
	c := &timedCall[T]{heritage: *cx.task.heritage()}
	c.deadline = min(c.deadline, passes)
	c.fn = fn
	c.state = taskstate.New(references)
	c.body = c
	c.rt = rt
	h := &c.Handle
	c.parent = cx.coroutine.asParent()
	cx.coroutine.worker.spawn(&c.task)

	_, why := join(h, cx, passes)
	cancelled := !h.ended()
	if cancelled {
		h.cancel(cx.coroutine.worker)
		_ = cx.join(&h.task) // its child: returns when that has ended
	}
	v, err := h.result()
	switch {
	case err == nil, isPanic(err):
	case cancelled && errors.Is(err, context.Canceled): // runtime/R59
		err = why
	case rt.now() >= passes && isTimeout(err):
		err = ErrTimeout // also if fn has looked at the clock before join did
	}
	return v, err
}

// isPanic reports whether err tells of a panic.
func isPanic(err error) bool {
	var panicked *PanicError
	return errors.As(err, &panicked)
}

// isTimeout reports whether err is a timeout of the standard library.
func isTimeout(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded)
}
