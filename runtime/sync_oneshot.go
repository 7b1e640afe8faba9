package runtime

import (
	"context"
)

// A Oneshot carries one value from one sender to one receiver. The zero Oneshot is ready for use.
// It must not be copied.
//
// A side that gives up calls [Oneshot.Close], which the other side learns of. A value that was sent
// before can still be received.
//
// Send and Close synchronize before the return of each Receive that finds the value, or that there
// will be none.
type Oneshot[T any] struct {
	lock rankedLock
	// The rest is under the lock.

	sent   bool // Send has returned nil
	closed bool // there will be no value: received, or closed before it was sent
	value  T    // if sent and not closed
	line   line[T]
}

// Send gives v to the receiver, without waiting for it, and returns nil; or returns
// [ErrChannelClosed] if the oneshot was closed. Any goroutine may call it; a task should use
// [Oneshot.SendFrom]. It panics if a value was sent before.
func (o *Oneshot[T]) Send(v T) error { return o.send("Send", v, nil) }

// SendFrom is [Oneshot.Send] for tasks: the receiving task runs next on the worker of cx.
func (o *Oneshot[T]) SendFrom(cx Cx, v T) error {
	cx.checkHere("Oneshot.SendFrom")
	return o.send("SendFrom", v, cx.coroutine.worker)
}

func (o *Oneshot[T]) send(what string, v T, by *worker) error {
	o.lock.Lock()
	switch {
	case o.sent:
		o.lock.Unlock()
		panic("surewake: Oneshot." + what + ": a value was sent before")
	case o.closed:
		o.lock.Unlock()
		return ErrChannelClosed
	}
	o.sent = true
	var all line[T]
	if w := o.line.pop(); w != nil {
		w.payload = v
		w.setAnswer(served)
		all = o.closeLine()
		all.push(w)
	} else {
		o.value = v
	}
	o.lock.Unlock()
	all.wakeAll(by)
	return nil
}

// closeLine closes the oneshot and returns the waiters that get nothing, to be woken after the
// lock. It is called under the lock.
func (o *Oneshot[T]) closeLine() line[T] {
	o.closed = true
	return o.line.answerAll(refused)
}

// Close declares that nobody will send, or that nobody will receive: from now on, Send returns
// [ErrChannelClosed], and so does Receive unless a value has been sent and not received. Any
// goroutine may call it, also repeatedly.
func (o *Oneshot[T]) Close() {
	o.lock.Lock()
	var all line[T]
	if !o.sent && !o.closed {
		all = o.closeLine()
	}
	o.lock.Unlock()
	all.wakeAll(nil)
}

// Receive waits for the value and returns it. It returns [ErrChannelClosed] if there will be none,
// because the oneshot is closed or another call has received the value; and [Cx.Err] if the task
// must end. Any task may call it; the one that has waited longest receives the value.
func (o *Oneshot[T]) Receive(cx Cx) (T, error) {
	cx.checkHere("Oneshot.Receive")
	if err := cx.stopErr(); err != nil {
		var zero T
		return zero, err
	}
	v, w, err := o.takeOrQueue(cx.task)
	if w == nil {
		cx.charge()
		return v, err
	}
	err = w.wait(cx, o)
	return w.payload, err
}

// ReceiveContext is [Oneshot.Receive] for goroutines that are not tasks, since it would block a
// worker. If ctx ends first, it returns the error of ctx, as [Handle.Wait] does.
func (o *Oneshot[T]) ReceiveContext(ctx context.Context) (T, error) {
	notNil(ctx, "Oneshot.ReceiveContext")
	if ctx.Err() != nil {
		var zero T
		return zero, contextErr(ctx)
	}
	done := make(goroutine)
	v, w, err := o.takeOrQueue(done)
	if w == nil {
		return v, err
	}
	err = w.waitOutside(ctx, o, done, "Oneshot.ReceiveContext")
	return w.payload, err
}

// TryReceive is [Oneshot.Receive] that returns [ErrWouldWait] instead of waiting. Any goroutine may
// call it.
func (o *Oneshot[T]) TryReceive() (T, error) {
	v, _, err := o.takeOrQueue(nil)
	return v, err
}

// takeOrQueue takes the value, or queues a waiter for who and returns it. If who is nil it returns
// ErrWouldWait instead.
func (o *Oneshot[T]) takeOrQueue(who waker) (v T, w *waiter[T], err error) {
	o.lock.Lock()
	defer o.lock.Unlock()
	return o.takeOrQueueLocked(who)
}

// takeOrQueueLocked is takeOrQueue under the lock.
func (o *Oneshot[T]) takeOrQueueLocked(who waker) (v T, w *waiter[T], err error) {
	switch {
	case o.closed:
		return v, nil, ErrChannelClosed
	case o.sent:
		v, o.value = o.value, v
		o.closed = true
		return v, nil, nil
	case who == nil:
		return v, nil, ErrWouldWait
	}
	w = &waiter[T]{waker: who}
	o.line.push(w)
	return v, w, nil
}

// withdraw implements source.
func (o *Oneshot[T]) withdraw(w *waiter[T], _ *worker) bool {
	o.lock.Lock()
	defer o.lock.Unlock()
	if w.answered() {
		return false
	}
	o.line.remove(w)
	return true
}
