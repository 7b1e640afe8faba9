package runtime

import (
	"context"
	"errors"
	"os"
	"time"
)

// ErrTimeout is what a function returns whose time was over. errors.Is takes it for context.DeadlineExceeded and for
// os.ErrDeadlineExceeded, too.
var ErrTimeout error = timeoutError{}

type timeoutError struct{}

// Error implements error.
func (timeoutError) Error() string { return "runtime: timeout" }

// Timeout is true, as for other errors of this kind.
func (timeoutError) Timeout() bool { return true }

// Is reports whether target is a timeout of the standard library.
func (timeoutError) Is(target error) bool {
	return target == context.DeadlineExceeded || target == os.ErrDeadlineExceeded
}

// JoinTimeout is [Handle.Join] that returns [ErrTimeout] if the task has not ended after d, which does not cancel it. It never runs
// the task on the stack of its joiner. If d <= 0, it does not wait.
func (h *Handle[T]) JoinTimeout(cx Cx, d time.Duration) (T, error) {
	cx.check("JoinTimeout")
	var zero T
	if ended, err := h.joinable(cx, "JoinTimeout"); err != nil {
		return zero, err
	} else if ended {
		return h.result()
	}
	if d <= 0 {
		return zero, ErrTimeout
	}
	rt := cx.task.rt
	t := &timer{when: later(rt.now(), d), waker: cx.task}
	rt.setTimer(t)
	defer rt.timers.stop(t)
	err := cx.awaitOr(&h.task, func() error {
		if rt.now() < t.when {
			return nil
		}
		return ErrTimeout
	})
	if err != nil {
		return zero, err
	}
	return h.result()
}

// JoinContext is [Handle.Join] that returns the cause of ctx if that ends first, which does not cancel the task. It never runs the
// task on the stack of its joiner. It panics if ctx is nil.
func (h *Handle[T]) JoinContext(cx Cx, ctx context.Context) (T, error) {
	cx.check("JoinContext")
	notNil(ctx, "JoinContext")
	var zero T
	if ended, err := h.joinable(cx, "JoinContext"); err != nil {
		return zero, err
	} else if ended {
		return h.result()
	}
	if ctx.Err() != nil {
		return zero, context.Cause(ctx)
	}
	stop := cx.wakeAfter(ctx)
	defer stop()
	err := cx.awaitOr(&h.task, func() error {
		if ctx.Err() == nil {
			return nil
		}
		return context.Cause(ctx)
	})
	if err != nil {
		return zero, err
	}
	return h.result()
}

// joinable is what comes first in a join with an end: it reports whether the task has ended, or why there is no waiting for it.
func (h *Handle[T]) joinable(cx Cx, what string) (ended bool, err error) {
	h.check(what)
	if h.over() {
		cx.charge()
		return true, nil
	}
	if h.rt != cx.task.rt {
		panic("runtime: " + what + ": the handle belongs to another runtime")
	}
	return false, cx.task.ending()
}

// awaitOr suspends the calling task until t has ended, and returns nil; or until it is to end, or giveUp returns an error, and
// returns that. Whoever makes giveUp return one wakes the task afterwards.
func (cx Cx) awaitOr(t *task, giveUp func() error) error {
	j := &joiner{waker: cx.task}
	if !t.wait(j) {
		return nil
	}
	for {
		cx.stack.suspend(waiting)
		if t.over() {
			return nil
		}
		err := cx.task.ending()
		if err == nil {
			err = giveUp()
		}
		if err != nil {
			j.dead.Store(true)
			return err
		}
	}
}

// Timeout calls fn in a task of its own, and returns its result. If fn has not returned after d, that task is cancelled, and Timeout waits on
// until it has ended: then it returns the result all the same if there is no error in it, and [ErrTimeout] if there is [ErrCancelled]. If the
// calling task is to end, the task of fn is cancelled as well. So fn never outlives the call; and it has to end when its waiting functions
// return errors.
//
// If d <= 0, fn may be cancelled before it begins. Timeouts nest. It panics if fn is nil.
func Timeout[T any](cx Cx, d time.Duration, fn func(Cx) (T, error)) (T, error) {
	cx.check("Timeout")
	if fn == nil {
		panic("runtime: Timeout: nil function")
	}
	return within(cx, fn, func(h *Handle[T]) (T, error) { return h.JoinTimeout(cx, d) })
}

// Deadline is [Timeout] with a time at which fn is cancelled, as for [Cx.SleepUntil].
func Deadline[T any](cx Cx, t time.Time, fn func(Cx) (T, error)) (T, error) {
	cx.check("Deadline")
	if fn == nil {
		panic("runtime: Deadline: nil function")
	}
	return within(cx, fn, func(h *Handle[T]) (T, error) {
		for {
			v, err := h.JoinTimeout(cx, time.Until(t))
			if err != ErrTimeout || h.over() || !time.Now().Before(t) {
				return v, err
			}
		}
	})
}

// within calls fn in a task of its own and waits for it with join. If that gives up, the task is cancelled, and why is in the place of
// ErrCancelled.
func within[T any](cx Cx, fn func(Cx) (T, error), join func(*Handle[T]) (T, error)) (T, error) {
	h := Spawn(cx, fn)
	_, why := join(h)
	if h.over() {
		return h.result()
	}
	h.cancel(cx.stack.worker)
	cx.insist(&h.task)
	v, err := h.result()
	if errors.Is(err, ErrCancelled) {
		err = why
	}
	return v, err
}

// insist waits until t has ended, also if the calling task is to end.
func (cx Cx) insist(t *task) {
	if cx.task.state.Load().Shield() == 0 {
		cx.task.state.EnterShield()
		defer cx.leaveShield()
	}
	for cx.join(t) != nil {
	}
}
