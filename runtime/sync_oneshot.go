package runtime

import (
	"context"
	"sync"
)

// A Oneshot carries one value from whoever sends it to one who receives it. The zero Oneshot is ready for use. It must not be copied.
//
// Either side that gives up calls [Oneshot.Close], and the other learns of it. A value that was sent before can still be received.
//
// Send and Close synchronize before the return of each Receive that finds the value, or that there will be none.
type Oneshot[T any] struct {
	lock sync.Mutex
	// The rest is under the lock.

	sent   bool // Send has been called and taken the value
	closed bool // there is no value, and will be none: it was received, or the oneshot was closed before
	value  T    // if sent and not closed
	line   line[T]
}

// Send gives the value to who receives, and does not wait for it; it returns [ErrChannelClosed] if the oneshot was closed: then nobody gets
// the value. Anyone may call it; a task rather calls [Oneshot.SendFrom]. It panics if it is called again after it has returned
// nil.
func (o *Oneshot[T]) Send(v T) error { return o.send("Send", v, nil) }

// SendFrom is [Oneshot.Send] for a caller that is a task: the receiver goes to the worker of cx, which runs it next.
func (o *Oneshot[T]) SendFrom(cx Cx, v T) error {
	cx.check("Oneshot.SendFrom")
	return o.send("SendFrom", v, cx.coroutine.worker)
}

func (o *Oneshot[T]) send(what string, v T, by *worker) error {
	o.lock.Lock()
	switch {
	case o.sent:
		o.lock.Unlock()
		panic("runtime: Oneshot." + what + ": a value was sent before")
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

// end closes, and returns who waited in vain, to be woken. It is called under the lock.
func (o *Oneshot[T]) closeLine() line[T] {
	o.closed = true
	return o.line.answerAll(refused)
}

// Close says that nobody will send, or that nobody will receive: Send returns [ErrChannelClosed] from now on, and so does Receive
// unless there is a value, which stays until it is received. Anyone may call it, and again.
func (o *Oneshot[T]) Close() {
	o.lock.Lock()
	var all line[T]
	if !o.sent && !o.closed {
		all = o.closeLine()
	}
	o.lock.Unlock()
	all.wakeAll(nil)
}

// Receive waits for the value and returns it; or returns [ErrChannelClosed] if there will be none, because the oneshot was closed or
// another call has received it; or [Cx.Err] if the task is to end before that, or when it is called. Any task may call it; one gets the
// value, who has waited longest.
func (o *Oneshot[T]) Receive(cx Cx) (T, error) {
	cx.check("Oneshot.Receive")
	if err := cx.task.stopErr(); err != nil {
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

// ReceiveContext is [Oneshot.Receive] for goroutines that are not tasks: it would block a worker. It returns the cause of ctx if that ends
// first.
func (o *Oneshot[T]) ReceiveContext(ctx context.Context) (T, error) {
	notNil(ctx, "Oneshot.ReceiveContext")
	if ctx.Err() != nil {
		var zero T
		return zero, context.Cause(ctx)
	}
	done := make(goroutine)
	v, w, err := o.takeOrQueue(done)
	if w == nil {
		return v, err
	}
	err = w.waitOutside(ctx, o, done)
	return w.payload, err
}

// TryReceive is [Oneshot.Receive] that returns [ErrWouldWait] instead of waiting. Anyone may call it.
func (o *Oneshot[T]) TryReceive() (T, error) {
	v, _, err := o.takeOrQueue(nil)
	return v, err
}

// enter takes the value; or stands who in line; if who is nil, it returns ErrWouldWait.
func (o *Oneshot[T]) takeOrQueue(who waker) (v T, w *waiter[T], err error) {
	o.lock.Lock()
	defer o.lock.Unlock()
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

// forget implements source.
func (o *Oneshot[T]) withdraw(w *waiter[T], _ *worker) bool {
	o.lock.Lock()
	defer o.lock.Unlock()
	if w.answered() {
		return false
	}
	o.line.remove(w)
	return true
}
