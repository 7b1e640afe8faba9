package runtime

import "time"

// A lineCase is a case that waits in the line of its source: after it has been taken, its waiter
// has the payload. P is as in waiter.
type lineCase[P any] struct {
	waiter[P]
	from source[P]
	into *P // where the payload is stored in the end; nil: nowhere
}

// newLineCase returns a case that is queued at from, whose lock is held.
func newLineCase[P any](
	t *ticket, payload P, into *P, in *line[P], from source[P],
) *lineCase[P] {
	q := &lineCase[P]{from: from, into: into}
	q.waker, q.payload = t, payload
	in.push(&q.waiter)
	return q
}

func (q *lineCase[P]) look() {}

func (q *lineCase[P]) withdraw(by *worker) { q.from.withdraw(&q.waiter, by) }

func (q *lineCase[P]) undo(by *worker) {
	if s, ok := q.from.(returnable[P]); ok {
		s.takeBack(&q.waiter, by)
	}
}

func (q *lineCase[P]) result() error {
	if q.into != nil {
		*q.into = q.payload
	}
	return q.waiter.result()
}

type sendCase[T any] struct {
	channel *Channel[T]
	value   T
}

// SendCase returns the [Case] of a [Channel.Send] of v.
func (c *Channel[T]) SendCase(v T) Case { return &sendCase[T]{c, v} }

func (c *sendCase[T]) checkCase(string, *task) { c.channel.check() }
func (c *sendCase[T]) lock() *rankedLock       { return &c.channel.lock }

func (c *sendCase[T]) try() (bool, waker, error) {
	r, _, err := c.channel.give(c.value, nil)
	if r != nil {
		return true, r.waker, nil
	}
	return err != ErrWouldWait, nil, err
}

func (c *sendCase[T]) queue(t *ticket) queuedCase {
	side := &c.channel.senders
	return newLineCase(t, c.value, nil, &side.line, source[T](side))
}

type receiveCase[T any] struct {
	channel *Channel[T]
	into    *T
}

// ReceiveCase returns the [Case] of a [Channel.Receive] whose value is stored in into, or dropped
// if that is nil. If the channel is closed and empty, the zero value is stored.
func (c *Channel[T]) ReceiveCase(into *T) Case { return &receiveCase[T]{c, into} }

func (c *receiveCase[T]) checkCase(string, *task) { c.channel.check() }
func (c *receiveCase[T]) lock() *rankedLock       { return &c.channel.lock }

func (c *receiveCase[T]) try() (bool, waker, error) {
	v, s, _, err := c.channel.take(nil)
	if err == ErrWouldWait {
		return false, nil, err
	}
	if c.into != nil {
		*c.into = v
	}
	if s != nil {
		return true, s.waker, err
	}
	return true, nil, err
}

func (c *receiveCase[T]) queue(t *ticket) queuedCase {
	var none T
	side := &c.channel.receivers
	return newLineCase(t, none, c.into, &side.line, source[T](side))
}

type oneshotCase[T any] struct {
	oneshot *Oneshot[T]
	into    *T
}

// ReceiveCase returns the [Case] of a [Oneshot.Receive] whose value is stored in into, or dropped
// if that is nil. If there will be none, the zero value is stored.
func (o *Oneshot[T]) ReceiveCase(into *T) Case { return &oneshotCase[T]{o, into} }

func (c *oneshotCase[T]) checkCase(string, *task) {
	if c.oneshot == nil {
		panic("surewake: Oneshot.ReceiveCase: nil Oneshot")
	}
}

func (c *oneshotCase[T]) lock() *rankedLock { return &c.oneshot.lock }

func (c *oneshotCase[T]) try() (bool, waker, error) {
	v, _, err := c.oneshot.takeOrQueueLocked(nil)
	if err == ErrWouldWait {
		return false, nil, err
	}
	if c.into != nil {
		*c.into = v
	}
	return true, nil, err
}

func (c *oneshotCase[T]) queue(t *ticket) queuedCase {
	var none T
	return newLineCase(t, none, c.into, &c.oneshot.line, source[T](c.oneshot))
}

type notifyCase struct{ notify *Notify }

// WaitCase returns the [Case] of a [Notify.Wait].
func (n *Notify) WaitCase() Case { return notifyCase{n} }

func (c notifyCase) checkCase(string, *task) {
	if c.notify == nil {
		panic("surewake: Notify.WaitCase: nil Notify")
	}
}

func (c notifyCase) lock() *rankedLock { return &c.notify.lock }

func (c notifyCase) try() (bool, waker, error) {
	taken := c.notify.signalled
	c.notify.signalled = false
	return taken, nil, nil
}

func (c notifyCase) queue(t *ticket) queuedCase {
	return newLineCase(t, struct{}{}, nil, &c.notify.line, source[struct{}](c.notify))
}

type semaphoreCase struct {
	semaphore *Semaphore
	permits   int
}

// AcquireCase returns the [Case] of a [Semaphore.Acquire] of n permits. It panics as that does.
func (s *Semaphore) AcquireCase(n int) Case {
	s.inRange("AcquireCase", n)
	return semaphoreCase{s, n}
}

func (c semaphoreCase) checkCase(string, *task) {}
func (c semaphoreCase) lock() *rankedLock       { return &c.semaphore.lock }

func (c semaphoreCase) try() (bool, waker, error) { return c.semaphore.take(c.permits), nil, nil }

func (c semaphoreCase) queue(t *ticket) queuedCase {
	return newLineCase(t, c.permits, nil, &c.semaphore.line, source[int](c.semaphore))
}

// An endCase waits for the end of a task: as one of its joiners, which wakes the owner if it claims
// the choice.
type endCase struct{ task *task }

// EndCase returns the [Case] of the end of the task, whose result [Handle.TryJoin] returns then. It
// only waits, as [Handle.JoinTimeout] does, also for a child. It may be waited for by tasks of
// other runtimes, too. The call that waits for it panics if the handle is detached, or the task is
// the calling one.
func (h *Handle[T]) EndCase() Case { return h.endCase("Handle.EndCase") }

// endCase is EndCase for the calling function, whose name is what.
func (h *Handle[T]) endCase(what string) endCase {
	h.check(what)
	return endCase{&h.task}
}

func (c endCase) checkCase(what string, t *task) {
	if t != nil && t.isPartOf(c.task) {
		panic("surewake: " + what + ": " + ownEndRule) // runtime/R16
	}
	if c.task.detached() {
		panic("surewake: " + what + ": the handle has been detached")
	}
}

func (c endCase) lock() *rankedLock         { return nil }
func (c endCase) try() (bool, waker, error) { return c.task.ended(), nil, nil }
func (c endCase) queue(t *ticket) (q queuedCase) {
	e := &queuedEnd{task: c.task, ticket: t}
	e.joiner.waker = e
	if rt := t.choice.rt; rt != nil && rt != c.task.rt {
		e.outsideOf = rt
		rt.outsiders.Add(1)
	}
	if e.added = c.task.addJoiner(&e.joiner); !e.added {
		t.claim()
	}
	return e
}

// A queuedEnd is an endCase that is waited for.
type queuedEnd struct {
	joiner
	task   *task
	ticket *ticket
	added  bool // it is one of the joiners; used by the owner
	// outsideOf is the runtime of the waiting task, if that of the other is another; nil again when
	// withdrawn. Used by the owner.
	outsideOf *Runtime
}

// wake is called when the task has ended; also if it was withdrawn meanwhile.
func (e *queuedEnd) wake(w *worker) {
	if e.ticket.claim() {
		e.ticket.wake(w)
	}
}

func (e *queuedEnd) look() {}

func (e *queuedEnd) withdraw(*worker) {
	if e.added {
		e.task.removeJoiner(&e.joiner) // runtime/R12
	}
	if rt := e.outsideOf; rt != nil {
		e.outsideOf = nil
		rt.outsiders.Add(-1) // what withdraws it is awake
	}
}

func (e *queuedEnd) undo(*worker)  {}
func (e *queuedEnd) result() error { return nil }

// An afterCase waits for a time.
type afterCase struct{ d time.Duration }

// AfterCase returns the [Case] of a timer, which is taken d after Select was called at the
// earliest, and at once if d <= 0.
func AfterCase(d time.Duration) Case { return afterCase{d} }

func (c afterCase) checkCase(string, *task)   {}
func (c afterCase) lock() *rankedLock         { return nil }
func (c afterCase) try() (bool, waker, error) { return c.d <= 0, nil, nil }

func (c afterCase) queue(t *ticket) queuedCase {
	q := &queuedTimer{ticket: t}
	if owner, ok := t.choice.waker.(*task); ok {
		rt := t.choice.rt
		q.timer, q.when = timer{task: owner}, deadlineAfter(rt.now(), c.d)
		rt.setTimer(&q.timer, q.when)
		return q
	}
	q.outside = time.AfterFunc(c.d, func() {
		if t.claim() {
			t.choice.waker.wake(nil)
		}
	})
	return q
}

// A queuedTimer is an afterCase that is waited for. The timer of a task wakes it, and it looks at
// the clock; that of a goroutine claims.
type queuedTimer struct {
	ticket  *ticket
	timer   timer
	when    int64       // for which the timer is set
	outside *time.Timer // nil if the owner is a task
}

func (q *queuedTimer) look() {
	if rt := q.ticket.choice.rt; rt != nil && rt.now() >= q.when {
		q.ticket.claim()
	}
}

func (q *queuedTimer) withdraw(*worker) {
	if q.outside != nil {
		q.outside.Stop()
	} else {
		q.ticket.choice.rt.timers.stop(&q.timer)
	}
}

func (q *queuedTimer) undo(*worker)  {}
func (q *queuedTimer) result() error { return nil }
