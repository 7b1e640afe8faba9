package runtime

import (
	"context"
	"errors"
	"os"
	"time"
)

// ErrTimeout is returned when a timeout or deadline has passed. errors.Is also takes it for
// context.DeadlineExceeded and os.ErrDeadlineExceeded.
var ErrTimeout error = timeoutError{}

type timeoutError struct{}

// Error implements error.
func (timeoutError) Error() string { return "runtime: timeout" }

// Timeout returns true, as other timeout errors do.
func (timeoutError) Timeout() bool { return true }

// Is reports whether target is a timeout of the standard library.
func (timeoutError) Is(target error) bool {
	return target == context.DeadlineExceeded || target == os.ErrDeadlineExceeded
}

// Timeout calls fn in a task of its own and returns its result. If fn has not returned after d, the
// task is cancelled and Timeout waits for its end: then it returns [ErrTimeout] if the task's error
// is [ErrCancelled], and the task's result otherwise. If the calling task must end, the task of fn
// is cancelled too. So fn never outlives the call, and fn must return when functions that wait
// return errors.
//
// If d <= 0, fn may be cancelled before it starts. Timeouts nest. Timeout panics if fn is nil.
func Timeout[T any](cx Cx, d time.Duration, fn func(Cx) (T, error)) (T, error) {
	cx.check("Timeout")
	if fn == nil {
		panic("runtime: Timeout: nil function")
	}
	return within(cx, fn, func(h *Handle[T]) (T, error) { return h.JoinTimeout(cx, d) })
}

// Deadline is [Timeout] with a time at which fn is cancelled, judged as in [Cx.SleepUntil].
func Deadline[T any](cx Cx, t time.Time, fn func(Cx) (T, error)) (T, error) {
	cx.check("Deadline")
	if fn == nil {
		panic("runtime: Deadline: nil function")
	}
	return within(cx, fn, func(h *Handle[T]) (T, error) {
		for {
			v, err := h.JoinTimeout(cx, time.Until(t))
			if err != ErrTimeout || h.ended() || !time.Now().Before(t) {
				return v, err
			}
		}
	})
}

// within calls fn in a task of its own and waits for it with join. If join gives up, within cancels
// the task, waits for its end, and returns join's error in place of ErrCancelled.
func within[T any](cx Cx, fn func(Cx) (T, error), join func(*Handle[T]) (T, error)) (T, error) {
	h := Spawn(cx, fn)
	_, why := join(h)
	if h.ended() {
		return h.result()
	}
	h.cancel(cx.coroutine.worker)
	cx.joinShielded(&h.task)
	v, err := h.result()
	if errors.Is(err, ErrCancelled) {
		err = why
	}
	return v, err
}

// joinShielded waits until t has ended, even if the calling task must end.
func (cx Cx) joinShielded(t *task) {
	if cx.task.state.Load().Shield() == 0 {
		cx.task.state.EnterShield()
		defer cx.leaveShield()
	}
	for cx.join(t) != nil {
	}
}
