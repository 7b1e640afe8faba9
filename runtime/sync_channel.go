package runtime

import (
	"context"
	"fmt"
	"sync"
)

// A Channel carries values from senders to receivers, any number of both, which may be tasks or goroutines. It holds as many as its
// capacity says; who sends more waits until there is room: that is the back-pressure of a pipeline. Values are received in the order in
// which they were sent, each of them once. Use [NewChannel]; a Channel must not be copied.
//
// A value is accepted when the call that sends it returns nil. What is accepted is received, also after [Channel.Close], as long as
// somebody receives. A call that returns an error has sent nothing, or received nothing: also if its task was cancelled while it waited,
// and somebody came to it at the same time.
//
// A call that sends a value synchronizes before the return of the call that receives it; the k-th call that receives, before the return
// of the call that sends the (k+capacity)-th value; Close, before the return of each call that finds the channel closed.
type Channel[T any] struct {
	lock sync.Mutex
	// The rest is under the lock.

	// buffer is a ring; entries [head, head+held) modulo its length hold values, the others are zero.
	buffer     []T
	head, held int
	closed     bool
	senders    side[T] // with what they bring; if there is one, the buffer is full, and the channel not closed
	receivers  side[T] // if there is one, the buffer is empty, and the channel not closed
}

// A side of a channel is a line, and the source of those who wait in it.
type side[T any] struct {
	line[T]
	channel *Channel[T] // never changes
}

// NewChannel returns a channel that holds so many values. If that is 0, each value goes from a call that sends to one that
// receives, and one of them waits. It panics unless 0 <= capacity <= 1<<30.
func NewChannel[T any](capacity int) *Channel[T] {
	if capacity < 0 || capacity > 1<<30 {
		panic(fmt.Sprintf("runtime: NewChannel(%d): must be 0 to %d", capacity, 1<<30))
	}
	c := &Channel[T]{buffer: make([]T, capacity)}
	c.senders.channel, c.receivers.channel = c, c
	return c
}

// Send waits until there is room for v, sends it and returns nil; or returns [ErrChannelClosed] if the channel is closed, before that or
// when it is called; or [Cx.Err] if the task is to end. Who waits longest is the first to send.
func (c *Channel[T]) Send(cx Cx, v T) error {
	cx.check("Channel.Send")
	if err := cx.task.stopErr(); err != nil {
		return err
	}
	w, err := c.send(v, cx.task, cx.coroutine.worker)
	if w == nil {
		cx.charge()
		return err
	}
	return w.wait(cx, &c.senders)
}

// SendContext is [Channel.Send] for goroutines that are not tasks: it would block a worker. It returns the cause of ctx if that ends
// first.
func (c *Channel[T]) SendContext(ctx context.Context, v T) error {
	notNil(ctx, "Channel.SendContext")
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	done := make(goroutine)
	w, err := c.send(v, done, nil)
	if w == nil {
		return err
	}
	return w.waitOutside(ctx, &c.senders, done)
}

// TrySend is [Channel.Send] that returns [ErrWouldWait] instead of waiting. Anyone may call it.
func (c *Channel[T]) TrySend(v T) error {
	_, err := c.send(v, nil, nil)
	return err
}

// Receive waits for a value and returns it; or returns [ErrChannelClosed] if the channel is closed and empty, before that or when it is called;
// or [Cx.Err] if the task is to end. Who waits longest is the first to receive.
func (c *Channel[T]) Receive(cx Cx) (T, error) {
	cx.check("Channel.Receive")
	if err := cx.task.stopErr(); err != nil {
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

// ReceiveContext is [Channel.Receive] for goroutines that are not tasks: it would block a worker. It returns the cause of ctx if that ends
// first.
func (c *Channel[T]) ReceiveContext(ctx context.Context) (T, error) {
	notNil(ctx, "Channel.ReceiveContext")
	if ctx.Err() != nil {
		var zero T
		return zero, context.Cause(ctx)
	}
	done := make(goroutine)
	v, w, err := c.receive(done, nil)
	if w == nil {
		return v, err
	}
	err = w.waitOutside(ctx, &c.receivers, done)
	return w.payload, err
}

// TryReceive is [Channel.Receive] that returns [ErrWouldWait] instead of waiting. Anyone may call it.
func (c *Channel[T]) TryReceive() (T, error) {
	v, _, err := c.receive(nil, nil)
	return v, err
}

// Close says that nothing will be sent any more: calls that send return [ErrChannelClosed], those that wait too, and so do calls that
// receive when all that was accepted has been received. It returns ErrChannelClosed if the channel was closed before. Anyone may call it.
func (c *Channel[T]) Close() error {
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

// Len returns how many values the channel holds. Anyone may call it; the number may have changed when it returns.
func (c *Channel[T]) Len() int {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.held
}

// Cap returns the capacity. Anyone may call it.
func (c *Channel[T]) Cap() int { return len(c.buffer) }

// send sends v; or stands who in line with it; if who is nil, it returns ErrWouldWait. by is the worker whose goroutine calls, or nil.
func (c *Channel[T]) send(v T, who waker, by *worker) (w *waiter[T], err error) {
	c.lock.Lock()
	if r := c.receivers.pop(); r != nil {
		r.payload = v
		r.setAnswer(served)
		c.lock.Unlock()
		r.waker.wake(by)
		return nil, nil
	}
	switch {
	case c.closed:
		err = ErrChannelClosed
	case c.held < len(c.buffer):
		c.put(v)
	case who == nil:
		err = ErrWouldWait
	default:
		w = &waiter[T]{waker: who, payload: v}
		c.senders.push(w)
	}
	c.lock.Unlock()
	return w, err
}

// recv receives a value; or stands who in line; if who is nil, it returns ErrWouldWait. by is the worker whose goroutine calls, or nil.
func (c *Channel[T]) receive(who waker, by *worker) (v T, w *waiter[T], err error) {
	c.lock.Lock()
	s := c.senders.pop()
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
	c.lock.Unlock()
	if s != nil {
		s.waker.wake(by)
	}
	return v, w, err
}

// put appends a value; there is room for it. It is called under the lock.
func (c *Channel[T]) put(v T) {
	i := c.head + c.held
	if i >= len(c.buffer) {
		i -= len(c.buffer)
	}
	c.buffer[i] = v
	c.held++
}

// get takes the oldest value out; there is one. It is called under the lock.
func (c *Channel[T]) get() (v T) {
	v, c.buffer[c.head] = c.buffer[c.head], v
	if c.head++; c.head == len(c.buffer) {
		c.head = 0
	}
	c.held--
	return v
}

// forget implements source.
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
