package runtime

import (
	"context"
	"fmt"
	"iter"
)

// A Channel carries values from senders to receivers, any number of each, tasks or goroutines. It
// buffers as many values as its capacity; further senders wait, which is the back-pressure of a
// pipeline. Values are received in the order in which they were sent, each once. [NewChannel] makes
// a Channel; it must not be copied.
//
// A value is accepted when the call that sends it returns nil. Accepted values can be received also
// after [Channel.Close]. A call that returns an error has sent or received nothing, even if its
// task was cancelled at the moment when its turn came.
//
// A send synchronizes before the return of the receive of its value. The k-th receive synchronizes
// before the return of the (k+capacity)-th send. Close synchronizes before the return of every call
// that finds the channel closed.
type Channel[T any] struct {
	lock rankedLock
	// The rest is under the lock.

	// buffer is a ring; entries [head, head+held) modulo its length hold values, the others are
	// zero.
	buffer     []T
	head, held int
	closed     bool
	senders    side[T] // if there are any but late ones, the buffer is full and the channel open
	receivers  side[T] // if there are any but late ones, it is empty and the channel open
}

// A side of a channel is the line of its senders or receivers, and their source.
type side[T any] struct {
	line[T]
	channel *Channel[T] // never changes
}

// NewChannel returns a channel that buffers capacity values. With capacity 0, each value passes
// directly from a sender to a receiver. It panics unless 0 <= capacity <= 1<<30.
func NewChannel[T any](capacity int) *Channel[T] {
	if capacity < 0 || capacity > 1<<30 {
		panic(fmt.Sprintf("surewake: NewChannel(%d): must be 0 to %d", capacity, 1<<30))
	}
	c := &Channel[T]{buffer: make([]T, capacity)}
	c.senders.channel, c.receivers.channel = c, c
	return c
}

// Send sends v, after waiting until there is room, and returns nil. It returns [ErrChannelClosed]
// if the channel is closed, or closed while it waits; and [Cx.Err] if the task must end. Senders
// are served in the order in which they came.
func (c *Channel[T]) Send(cx Cx, v T) error {
	cx.checkHere("Channel.Send")
	if err := cx.stopErr(); err != nil {
		return err
	}
	w, err := c.send(v, cx.task, cx.coroutine.worker)
	if w == nil {
		cx.charge()
		return err
	}
	return w.wait(cx, &c.senders)
}

// SendContext is [Channel.Send] for goroutines that are not tasks, since it would block a worker.
// If ctx ends first, it returns the error of ctx, as [Handle.Wait] does.
func (c *Channel[T]) SendContext(ctx context.Context, v T) error {
	notNil(ctx, "Channel.SendContext")
	if ctx.Err() != nil {
		return contextErr(ctx)
	}
	done := make(goroutine)
	w, err := c.send(v, done, nil)
	if w == nil {
		return err
	}
	return w.waitOutside(ctx, &c.senders, done, "Channel.SendContext")
}

// TrySend is [Channel.Send] that returns [ErrWouldWait] instead of waiting. Any goroutine may call
// it.
func (c *Channel[T]) TrySend(v T) error {
	_, err := c.send(v, nil, nil)
	return err
}

// Receive waits for a value and returns it. It returns [ErrChannelClosed] if the channel is closed
// and empty, or becomes so while it waits; and [Cx.Err] if the task must end. Receivers are served
// in the order in which they came.
func (c *Channel[T]) Receive(cx Cx) (T, error) {
	cx.checkHere("Channel.Receive")
	if err := cx.stopErr(); err != nil {
		var zero T
		return zero, err
	}
	v, w, err := c.receive(cx.task, cx.coroutine.worker)
	if w == nil {
		cx.charge()
		return v, err
	}
	err = w.wait(cx, &c.receivers)
	return w.payload, err
}

// ReceiveContext is [Channel.Receive] for goroutines that are not tasks, since it would block a
// worker. If ctx ends first, it returns the error of ctx, as [Handle.Wait] does.
func (c *Channel[T]) ReceiveContext(ctx context.Context) (T, error) {
	notNil(ctx, "Channel.ReceiveContext")
	return c.receiveOutside(ctx, "Channel.ReceiveContext")
}

// receiveOutside is ReceiveContext for the calling function, whose name is what.
func (c *Channel[T]) receiveOutside(ctx context.Context, what string) (T, error) {
	if ctx.Err() != nil {
		var zero T
		return zero, contextErr(ctx)
	}
	done := make(goroutine)
	v, w, err := c.receive(done, nil)
	if w == nil {
		return v, err
	}
	err = w.waitOutside(ctx, &c.receivers, done, what)
	return w.payload, err
}

// TryReceive is [Channel.Receive] that returns [ErrWouldWait] instead of waiting. Any goroutine may
// call it.
func (c *Channel[T]) TryReceive() (T, error) {
	v, _, err := c.receive(nil, nil)
	return v, err
}

// All returns an iterator that receives until the channel is closed and empty, which ends the loop:
//
//	for v, err := range c.All(cx) {
//		if err != nil {
//			return err
//		}
//		use(v)
//	}
//
// If the task must end, the last step of the loop has the zero value and [Cx.Err]: a cancellation
// is not taken for the end of the values. A loop that is left has received no more than it was
// given. The iterator is for the task of cx: call it in a for loop, not through iter.Pull.
func (c *Channel[T]) All(cx Cx) iter.Seq2[T, error] {
	cx.check("Channel.All")
	c.check()
	return received(func() (T, error) { return c.Receive(cx) })
}

// AllContext is [Channel.All] for goroutines that are not tasks, since it would block a worker. If
// ctx ends first, the last step has the error of ctx, as of [Handle.Wait].
func (c *Channel[T]) AllContext(ctx context.Context) iter.Seq2[T, error] {
	notNil(ctx, "Channel.AllContext")
	c.check()
	return received(func() (T, error) {
		return c.receiveOutside(ctx, "Channel.AllContext")
	})
}

// received returns an iterator over what receive returns until the channel is closed.
func received[T any](receive func() (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			v, err := receive()
			if err == ErrChannelClosed { // itself: the cause of a cancellation may wrap it
				return
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// Close ends sending: sends return [ErrChannelClosed], waiting ones too, and so do receives once
// all accepted values have been received. It returns nil, or ErrChannelClosed if the channel was
// closed before. Any goroutine may call it.
func (c *Channel[T]) Close() error {
	c.check()
	c.lock.Lock()
	if c.closed {
		c.lock.Unlock()
		return ErrChannelClosed
	}
	c.closed = true
	senders, receivers := c.senders.answerAll(refused), c.receivers.answerAll(refused)
	c.lock.Unlock()
	senders.wakeAll(nil)
	receivers.wakeAll(nil)
	return nil
}

// Len returns how many values are buffered. Any goroutine may call it; the number may have changed
// when it returns.
func (c *Channel[T]) Len() int {
	c.check()
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.held
}

// Cap returns the capacity. Any goroutine may call it.
func (c *Channel[T]) Cap() int {
	c.check()
	return len(c.buffer)
}

// check panics if NewChannel has not made c.
func (c *Channel[T]) check() {
	if c == nil || c.senders.channel == nil {
		panic("surewake: Channel: a nil or zero Channel; NewChannel makes one")
	}
}

// send sends v, or queues a waiter for who and returns it. If who is nil it returns ErrWouldWait
// instead. by is the calling worker, or nil.
func (c *Channel[T]) send(v T, who waker, by *worker) (w *waiter[T], err error) {
	c.check()
	c.lock.Lock()
	if c.held < len(c.buffer) && c.receivers.first == nil && !c.closed {
		c.put(v) // as give would, without a call
		c.lock.Unlock()
		return nil, nil
	}
	r, w, err := c.give(v, who)
	c.lock.Unlock()
	if r != nil {
		r.waker.wake(by)
	}
	return w, err
}

// give is send under the lock. It returns the receiver that has got v, to be woken after the lock.
func (c *Channel[T]) give(v T, who waker) (r, w *waiter[T], err error) {
	if r := c.receivers.pop(); r != nil {
		r.payload = v
		r.setAnswer(served)
		return r, nil, nil
	}
	switch {
	case c.closed:
		return nil, nil, ErrChannelClosed
	case c.held < len(c.buffer):
		c.put(v)
		return nil, nil, nil
	case who == nil:
		return nil, nil, ErrWouldWait
	}
	w = &waiter[T]{waker: who, payload: v}
	c.senders.push(w)
	return nil, w, nil
}

// receive receives a value, or queues a waiter for who and returns it. If who is nil it returns
// ErrWouldWait instead. by is the calling worker, or nil.
func (c *Channel[T]) receive(who waker, by *worker) (v T, w *waiter[T], err error) {
	c.check()
	c.lock.Lock()
	if c.held > 0 && c.senders.first == nil {
		v = c.get() // as take would, without a call
		c.lock.Unlock()
		return v, nil, nil
	}
	v, s, w, err := c.take(who)
	c.lock.Unlock()
	if s != nil {
		s.waker.wake(by)
	}
	return v, w, err
}

// take is receive under the lock. It returns the sender whose value has found its place, to be
// woken after the lock.
func (c *Channel[T]) take(who waker) (v T, s, w *waiter[T], err error) {
	s = c.senders.pop()
	switch {
	case c.held > 0:
		v = c.get()
		if s != nil {
			c.put(s.payload)
		}
	case s != nil: // the capacity is 0
		v = s.payload
	case c.closed:
		err = ErrChannelClosed
	case who == nil:
		err = ErrWouldWait
	default:
		w = &waiter[T]{waker: who}
		c.receivers.push(w)
	}
	if s != nil {
		s.setAnswer(served)
	}
	return v, s, w, err
}

// put appends v to the buffer, which has room. It is called under the lock.
func (c *Channel[T]) put(v T) {
	i := c.head + c.held
	if i >= len(c.buffer) {
		i -= len(c.buffer)
	}
	c.buffer[i] = v
	c.held++
}

// get removes the oldest value from the buffer, which has one. It is called under the lock.
func (c *Channel[T]) get() (v T) {
	v, c.buffer[c.head] = c.buffer[c.head], v
	if c.head++; c.head == len(c.buffer) {
		c.head = 0
	}
	c.held--
	return v
}

// withdraw implements source.
func (l *side[T]) withdraw(w *waiter[T], _ *worker) bool {
	c := l.channel
	c.lock.Lock()
	defer c.lock.Unlock()
	if w.answered() {
		return false
	}
	l.remove(w)
	return true
}
