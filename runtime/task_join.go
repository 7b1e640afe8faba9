package runtime

import (
	"context"
	"time"

	"github.com/surewake/surewake/taskstate"
)

// join waits for the end of t and returns nil; or, if t is not a child of the calling task, returns
// why that must end first.
//
// A queued child is run at once on top of the calling task. In a fork-join this is one level of a
// deep stack, which the collector walks: so join does it itself, without further functions.
func (cx Cx) join(t *task) error {
	co := cx.coroutine
	cx.charge()
	if !co.isChild(t) {
		return cx.await(t)
	}
	co.heed()
	cx.cancelChild(t)
	if co.depth == len(co.levels) && !co.addLevels() {
		cx.awaitChild(t)
		return nil
	}
	w := co.worker
	var outcome taskstate.RunOutcome
	// Takes the entry, or a rescuer has. Partner: slot.CompareAndSwap in scanSlots.
	if w.slot.Load() == t && w.slot.CompareAndSwap(t, nil) {
		if outcome = t.state.ToRunning(); outcome == taskstate.RunStale {
			w.count.stale++
			t.dropStale()
		}
	} else {
		outcome = t.state.Claim()
	}
	if outcome == taskstate.RunStale {
		cx.awaitChild(t)
		return nil
	}
	if (outcome == taskstate.RunCancelled || t.closing()) &&
		w.endUnstarted(t) {
		return nil
	}
	w.countPoll()
	if next, suspended := t.body.(*coroutine); suspended {
		cx.switchTo(t, next)
		return nil
	}
	w.count.inlined++
	if !co.runInlined(t) && !cx.pollAgain(t) {
		cx.awaitChild(t)
	}
	return nil
}

// pollAgain polls t, a child that was inlined and has woken itself in its poll, until it has ended,
// and returns true; or it returns false if t waits, or it is the turn of others.
func (cx Cx) pollAgain(t *task) (ended bool) {
	co := cx.coroutine
	for range t.rt.config.lifoCap {
		w := co.worker // another one, if a poll has waited
		// Takes the entry, or a rescuer has. Partner: slot.CompareAndSwap in scanSlots.
		if w.slot.Load() != t || co.budget <= 0 || w.tick.left <= 0 ||
			!w.slot.CompareAndSwap(t, nil) {
			return false
		}
		co.budget--
		if !w.toRunning(t) {
			return t.ended()
		}
		w.count.inlined++
		if co.runInlined(t) {
			return true
		}
	}
	co.worker.lifoPolls = t.rt.config.lifoCap // it has had its polls before others (runtime/R6)
	return false
}

// switchTo waits for the end of t, a child that was queued and is suspended on next. The worker
// continues with t; the calling task is t's runner.
func (cx Cx) switchTo(t *task, next *coroutine) {
	co := cx.coroutine
	cx.handOff(t)
	co.worker.toResume = next
	for cx.stopErr() == nil {
		caller := co.leave(taskWaits)
		co.yield(struct{}{}) // as in suspend
		co.enter(caller)
		if t.ended() {
			cx.forgetJoin()
			return
		}
	}
	cx.outlast(t)
	cx.forgetJoin()
}

// handOff makes the calling task a joiner of t, which it is the runner of and which is resumed
// next. If that panics, t is queued again.
func (cx Cx) handOff(t *task) {
	handed := false
	defer func() {
		if !handed { // the handle is detached, or the join would close a circle
			t.state.Yield()
			cx.coroutine.worker.pushWoken(t)
		}
	}()
	cx.refuseCircle(t)
	t.addJoiner(&joiner{waker: cx.task})
	handed = true
}

const ownEndRule = "a task cannot wait for its own end"

// await suspends the calling task until t has ended, and returns nil; or returns why the calling
// task must end first.
func (cx Cx) await(t *task) error {
	if cx.task.isPartOf(t) {
		panic("surewake: Join: " + ownEndRule)
	}
	if err := cx.stopErr(); err != nil {
		return err
	}
	cx.refuseCircle(t)
	j := &joiner{waker: cx.task}
	if !t.addJoiner(j) {
		cx.forgetJoin()
		return nil
	}
	return cx.suspendFor(t, j)
}

// suspendFor suspends the calling task until t has ended, of which j tells it, and returns nil; or
// returns why the calling task must end first.
func (cx Cx) suspendFor(t *task, j *joiner) error {
	for {
		cx.coroutine.suspend(taskWaits)
		if t.ended() {
			cx.forgetJoin()
			return nil
		}
		if err := cx.stopErr(); err != nil {
			cx.forgetJoin()
			t.removeJoiner(j)
			return err
		}
	}
}

// JoinTimeout is [Handle.Join] with a timeout: it returns [ErrTimeout] if the task has not ended
// after d, and at once if d <= 0. That does not cancel the task. JoinTimeout never runs the task on
// the caller's stack. The calling task may have to end because of a deadline, which is an
// ErrTimeout, too, and comes back at once from each further call: who tries again asks [Cx.Err].
func (h *Handle[T]) JoinTimeout(cx Cx, d time.Duration) (T, error) {
	cx.checkHere("JoinTimeout")
	return h.joinUntil(cx, deadlineAfter(cx.task.rt.now(), d))
}

// joinUntil is JoinTimeout that gives up when the runtime's clock shows when, at once if it does.
func (h *Handle[T]) joinUntil(cx Cx, when int64) (T, error) {
	var zero T
	if ended, err := h.checkJoin(cx, "JoinTimeout"); err != nil {
		return zero, err
	} else if ended {
		return h.result()
	}
	rt := cx.task.rt
	if rt.now() >= when {
		cx.charge()
		return zero, ErrTimeout
	}
	t := &timer{task: cx.task}
	rt.setTimer(t, when)
	defer rt.timers.stop(t)
	err := cx.awaitOr(&h.task, func() error {
		if rt.now() < when {
			return nil
		}
		return ErrTimeout
	})
	if err != nil {
		return zero, err
	}
	return h.result()
}

// JoinContext is [Handle.Join] that returns the error of ctx, as [Handle.Wait] does, if ctx ends
// first. That does not cancel the task. JoinContext never runs the task on the caller's stack. It
// panics if ctx is nil.
func (h *Handle[T]) JoinContext(cx Cx, ctx context.Context) (T, error) {
	cx.checkHere("JoinContext")
	notNil(ctx, "JoinContext")
	var zero T
	if ended, err := h.checkJoin(cx, "JoinContext"); err != nil {
		return zero, err
	} else if ended {
		return h.result()
	}
	if ctx.Err() != nil {
		cx.charge()
		return zero, contextErr(ctx)
	}
	defer cx.noteJoinContext(&h.task, ctx)()
	stop := cx.wakeAfter(ctx)
	defer stop()
	err := cx.awaitOr(&h.task, func() error {
		if ctx.Err() == nil {
			return nil
		}
		return contextErr(ctx)
	})
	if err != nil {
		return zero, err
	}
	return h.result()
}

// checkJoin begins a join that can time out. It returns true if the task has ended, and an error if
// the calling task must end.
func (h *Handle[T]) checkJoin(cx Cx, what string) (ended bool, err error) {
	h.check(what)
	if h.ended() {
		cx.charge()
		return true, nil
	}
	if cx.task.isPartOf(&h.task) {
		panic("surewake: " + what + ": " + ownEndRule) // runtime/R16
	}
	if h.rt != cx.task.rt {
		panic("surewake: " + what + ": the handle belongs to another runtime")
	}
	return false, cx.stopErr()
}

// awaitOr suspends the calling task until t has ended, and returns nil; or until it must end
// itself, or giveUp returns an error, and returns that. Whatever lets giveUp return an error wakes
// the task afterwards.
func (cx Cx) awaitOr(t *task, giveUp func() error) error {
	j := &joiner{waker: cx.task}
	if !t.addJoiner(j) {
		return nil
	}
	for {
		cx.coroutine.suspend(taskWaits)
		if t.ended() {
			return nil
		}
		err := cx.stopErr()
		if err == nil {
			err = giveUp()
		}
		if err != nil {
			t.removeJoiner(j)
			return err
		}
	}
}
