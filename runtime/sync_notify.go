package runtime

import (
	"context"
)

// A Notify tells waiting calls that something has happened; what it was, they find out themselves.
// [Notify.Signal] wakes one and is remembered if none waits. [Notify.Broadcast] wakes all that wait
// and is not remembered. The zero Notify is ready for use. It must not be copied.
//
// Tasks of any runtime and goroutines may wait. They are woken in the order in which they came.
//
// A Signal or Broadcast synchronizes before the return of each wait that it ends.
type Notify struct {
	lock rankedLock
	// The rest is under the lock.

	signalled  bool // a signal is remembered; then line is empty
	broadcasts uint64
	line       line[struct{}]
}

// Signal ends the wait of the call that has waited longest. If none waits, it is remembered, and
// the next wait returns at once; several signals are remembered as one. Any goroutine may call it;
// a task should use [Notify.SignalFrom].
func (n *Notify) Signal() { n.signal(nil) }

// SignalFrom is [Notify.Signal] for tasks: the woken task runs next on the worker of cx.
func (n *Notify) SignalFrom(cx Cx) {
	cx.checkHere("Notify.SignalFrom")
	n.signal(cx.coroutine.worker)
}

func (n *Notify) signal(by *worker) {
	n.lock.Lock()
	w := n.line.pop()
	if w == nil {
		n.signalled = true
		n.lock.Unlock()
		return
	}
	w.setAnswer(served)
	n.lock.Unlock()
	w.waker.wake(by)
}

// Broadcast ends all waits that have begun, and no others. Any goroutine may call it.
func (n *Notify) Broadcast() {
	n.lock.Lock()
	n.broadcasts++
	all := n.line.answerAll(told)
	n.lock.Unlock()
	all.wakeAll(nil)
}

// Wait consumes a remembered signal, or waits for the next [Notify.Signal] or [Notify.Broadcast],
// and returns nil. It returns [Cx.Err], and consumes nothing, if the task must end.
//
// Do not check a condition before Wait that a Broadcast announces: it may become true, and the
// Broadcast be over, between the check and Wait. Use [Notify.WaitFor].
func (n *Notify) Wait(cx Cx) error {
	cx.checkHere("Notify.Wait")
	if err := cx.stopErr(); err != nil {
		return err
	}
	w := n.takeOrQueue(cx.task)
	if w == nil {
		cx.charge()
		return nil
	}
	return w.wait(cx, n)
}

// WaitFor waits until condition returns true, and returns nil; or returns [Cx.Err] if the task must
// end. It calls condition at the beginning, after each [Notify.Broadcast], and after each
// [Notify.Signal] that it receives. Make the condition true first, then call one of these. The task
// calls condition, without a lock; condition must not wait. WaitFor panics if it is nil.
//
// Signal is enough if all waiters have the same condition, and a waiter that finds it true and
// leaves it true signals again. Otherwise use Broadcast.
func (n *Notify) WaitFor(cx Cx, condition func() bool) error {
	cx.checkHere("Notify.WaitFor")
	if condition == nil {
		panic("surewake: Notify.WaitFor: nil function")
	}
	for {
		if err := cx.stopErr(); err != nil {
			return err
		}
		seen := n.broadcastCount()
		if condition() {
			cx.charge()
			return nil
		}
		w := n.takeOrQueueSince(cx.task, seen)
		if w == nil {
			cx.charge()
			continue
		}
		if err := w.wait(cx, n); err != nil {
			return err
		}
	}
}

// broadcastCount returns how many broadcasts there were.
func (n *Notify) broadcastCount() uint64 {
	n.lock.Lock()
	defer n.lock.Unlock()
	return n.broadcasts
}

// WaitContext is [Notify.Wait] for goroutines that are not tasks, since it would block a worker. If
// ctx ends first, it returns the error of ctx, as [Handle.Wait] does.
func (n *Notify) WaitContext(ctx context.Context) error {
	notNil(ctx, "Notify.WaitContext")
	if ctx.Err() != nil {
		return contextErr(ctx)
	}
	done := make(goroutine)
	w := n.takeOrQueue(done)
	if w == nil {
		return nil
	}
	return w.waitOutside(ctx, n, done, "Notify.WaitContext")
}

// takeOrQueue consumes the remembered signal and returns nil, or queues a waiter and returns it.
func (n *Notify) takeOrQueue(who waker) *waiter[struct{}] {
	n.lock.Lock()
	defer n.lock.Unlock()
	return n.takeOrQueueLocked(who)
}

// takeOrQueueSince is takeOrQueue that also returns nil if there were broadcasts after the first
// seen.
func (n *Notify) takeOrQueueSince(who waker, seen uint64) *waiter[struct{}] {
	n.lock.Lock()
	defer n.lock.Unlock()
	if n.broadcasts != seen {
		return nil
	}
	return n.takeOrQueueLocked(who)
}

// takeOrQueueLocked is takeOrQueue under the lock.
func (n *Notify) takeOrQueueLocked(who waker) *waiter[struct{}] {
	if n.signalled {
		n.signalled = false
		return nil
	}
	w := &waiter[struct{}]{waker: who}
	n.line.push(w)
	return w
}

// withdraw implements source.
func (n *Notify) withdraw(w *waiter[struct{}], _ *worker) bool {
	n.lock.Lock()
	defer n.lock.Unlock()
	if w.answered() {
		return false
	}
	n.line.remove(w)
	return true
}

// takeBack implements returnable. What a Broadcast has told is for nobody else.
func (n *Notify) takeBack(w *waiter[struct{}], by *worker) {
	if answer(w.state.Load()) == served {
		n.signal(by)
	}
}
