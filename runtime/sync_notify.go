package runtime

import (
	"context"
	"sync"
)

// A Notify tells tasks that something has happened; what that is, they look at themselves. [Notify.Signal] is for one of them and is
// remembered if none waits; [Notify.Broadcast] is for all that wait, and is not. The zero Notify is ready for use. It must not be
// copied.
//
// Tasks of any number of runtimes may wait, and goroutines. Who waits longest is the first to be woken.
//
// A Signal or Broadcast synchronizes before the return of each wait that it ends.
type Notify struct {
	lock sync.Mutex
	// The rest is under the lock.

	signalled  bool // nobody has waited since the last Signal that found nobody; then line is empty
	broadcasts uint64
	line       line[struct{}]
}

// Signal ends the wait of who waits longest or, if nobody waits, the next one before it begins. Signals are not counted: several of them
// in a row while nobody waits are as good as one. Anyone may call it; a task rather calls [Notify.SignalFrom].
func (n *Notify) Signal() { n.signal(nil) }

// SignalFrom is [Notify.Signal] for a caller that is a task: the woken one goes to the worker of cx, which runs it next.
func (n *Notify) SignalFrom(cx Cx) {
	cx.check("Notify.SignalFrom")
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

// Broadcast ends all waits that have begun, and no other. Anyone may call it.
func (n *Notify) Broadcast() {
	n.lock.Lock()
	n.broadcasts++
	all := n.line.answerAll(served)
	n.lock.Unlock()
	all.wakeAll(nil)
}

// Wait waits for a [Notify.Signal] or [Notify.Broadcast] that comes after the call, or takes a Signal that was remembered, and returns
// nil; or [Cx.Err] if the task is to end before that. If the task is to end when it is called, it takes nothing.
//
// A condition that a Broadcast tells of must not be looked at before: it may become true, and the Broadcast be over, between the look
// and Wait. [Notify.WaitFor] does it right.
func (n *Notify) Wait(cx Cx) error {
	cx.check("Notify.Wait")
	if err := cx.task.stopErr(); err != nil {
		return err
	}
	w := n.takeOrQueue(cx.task)
	if w == nil {
		cx.charge()
		return nil
	}
	return w.wait(cx, n)
}

// WaitFor waits until condition is true and returns nil; or returns [Cx.Err] if the task is to end before that, or when it is called.
// It looks at the beginning, and after each [Notify.Signal] that it gets and each [Notify.Broadcast]; whoever makes condition true
// calls one of them afterwards. condition is called by the task, without any lock, and must not wait. It panics if condition
// is nil.
//
// Signal will do if the condition is the same for all who wait, and whoever finds it true and leaves more of it signals again.
// Otherwise, use Broadcast.
func (n *Notify) WaitFor(cx Cx, condition func() bool) error {
	cx.check("Notify.WaitFor")
	if condition == nil {
		panic("runtime: Notify.WaitFor: nil function")
	}
	for {
		if err := cx.task.stopErr(); err != nil {
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

// seen returns how many broadcasts there were.
func (n *Notify) broadcastCount() uint64 {
	n.lock.Lock()
	defer n.lock.Unlock()
	return n.broadcasts
}

// WaitContext is [Notify.Wait] for goroutines that are not tasks: it would block a worker. It returns the cause of ctx if that ends
// first.
func (n *Notify) WaitContext(ctx context.Context) error {
	notNil(ctx, "Notify.WaitContext")
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	done := make(goroutine)
	w := n.takeOrQueue(done)
	if w == nil {
		return nil
	}
	return w.waitOutside(ctx, n, done)
}

// enter stands who in line, or takes the remembered signal and returns nil.
func (n *Notify) takeOrQueue(who waker) *waiter[struct{}] {
	n.lock.Lock()
	defer n.lock.Unlock()
	return n.takeOrQueueLocked(who)
}

// takeOrQueueSince is enter that also returns nil if there has been a broadcast since it was the seen-th.
func (n *Notify) takeOrQueueSince(who waker, seen uint64) *waiter[struct{}] {
	n.lock.Lock()
	defer n.lock.Unlock()
	if n.broadcasts != seen {
		return nil
	}
	return n.takeOrQueueLocked(who)
}

// stand is enter under the lock.
func (n *Notify) takeOrQueueLocked(who waker) *waiter[struct{}] {
	if n.signalled {
		n.signalled = false
		return nil
	}
	w := &waiter[struct{}]{waker: who}
	n.line.push(w)
	return w
}

// forget implements source.
func (n *Notify) withdraw(w *waiter[struct{}], _ *worker) bool {
	n.lock.Lock()
	defer n.lock.Unlock()
	if w.answered() {
		return false
	}
	n.line.remove(w)
	return true
}
