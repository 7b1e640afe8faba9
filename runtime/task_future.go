package runtime

import (
	"sync"

	"github.com/surewake/surewake/taskstate"
)

// Poll-style tasks
//
// A future is a state machine: it is polled, says that it is not ready, and is polled again when its waker is called. In
// between it has no stack: it is its task, and what it points to.
//
//	poll, not ready    the task becomes IDLE; the first time, it enters the list of those that rest
//	wake               the task is queued, and polled
//	cancel, Close      the task is queued, and ends: it is not polled any more
//
// A Poll may wait all the same, in a join or a lock say; then the task has a stack until Poll returns. A wake that comes in that time ends
// the wait, and is used up by it. So a future that has waited in Poll is polled once more before it rests: stack.waited.
//
// What was not done
//
//   - A flag in each task that says "woken", set by each wake beside the transition of the state: 8 bytes for each task, and two more
//     writes to shared memory for each poll, for the sake of those that wait in Poll.
//   - Panics for those that wait in Poll. A lock that is free nearly always would work nearly always.

// A Future is the body of a poll-style task: it needs no stack while it waits, and about a hundred bytes.
type Future[T any] interface {
	// Poll goes on as far as it can. It returns the result and true; or false, after it has left a [Waker] of the task with
	// whatever it waits for. Then it is polled again when the waker is called, and sometimes for no reason; a wake during Poll is not lost.
	// Calls synchronize with one another, and a wake before the poll that it causes.
	//
	// Poll may wait as other tasks do, and keeps a stack for that time.
	Poll(cx Cx) (value T, err error, ready bool)
}

// A Dropper is a [Future] that wants to know that it will not be polled any more although it has not been ready.
type Dropper interface {
	// Drop is called instead of a poll, once, before the task ends with ErrCancelled or ErrClosed; not if Poll has panicked. It must
	// not wait. It is called by the worker or, if the task was refused, by the caller of SpawnFuture or SubmitFuture. If it
	// panics, that is the result of the task.
	Drop()
}

// A Waker wakes one task. It is small and comparable, and stays valid after the end of the task. The zero Waker wakes nobody.
type Waker struct{ task *task }

// Waker returns what wakes the task. It is meant for futures: a task that is a function looks again at what it waits for, and waits on.
func (cx Cx) Waker() Waker {
	cx.check("Waker")
	return Waker{cx.task}
}

// Wake asks for a poll that begins after the call. Anyone may call it, at any time.
//
// The call synchronizes before that poll.
func (w Waker) Wake() {
	if w.task != nil {
		w.task.wake(nil)
	}
}

// WakeFrom is [Waker.Wake] for a caller that is a task: the woken one goes to the worker of cx, which runs it next.
func (w Waker) WakeFrom(cx Cx) {
	cx.check("WakeFrom")
	if w.task != nil {
		w.task.wake(cx.coroutine.worker)
	}
}

// WakeOnEnd leaves w to be woken when the task ends, and reports whether it will be: if not, the task has ended. It is [Handle.Join] for
// futures. Anyone may call it; a second call for the same task right after the first does nothing more. It panics if the handle is
// detached, or w is the zero Waker.
func (h *Handle[T]) WakeOnEnd(w Waker) bool {
	h.check("WakeOnEnd")
	if w.task == nil {
		panic("runtime: WakeOnEnd: the zero Waker")
	}
	if last := h.joiners.Load(); last != nil && last.waker == waker(w.task) && !last.abandoned.Load() {
		return !h.ended() // partner: complete, which takes the joiners after it has set COMPLETE
	}
	return h.addJoiner(&joiner{waker: w.task})
}

// A polled is a task that polls a future.
type futureTask[T any, F Future[T]] struct {
	Handle[T]
	future F // the zero value once the task has ended; the runner's
	futureLink
}

// SpawnFuture starts a task that polls f, as [Spawn] starts one that calls a function.
//
// It panics if f is nil, or cx not that of the running task.
func SpawnFuture[T any, F Future[T]](cx Cx, f F) *Handle[T] {
	if any(f) == nil {
		panic("runtime: SpawnFuture: nil future")
	}
	cx.check("SpawnFuture")
	w := cx.coroutine.worker
	p := newFutureTask[T](w.rt, f)
	w.spawn(&p.Handle.task)
	return &p.Handle
}

// SubmitFuture starts a task that polls f, as [Submit] starts one that calls a function.
func SubmitFuture[T any, F Future[T]](rt *Runtime, f F) *Handle[T] {
	if any(f) == nil {
		panic("runtime: SubmitFuture: nil future")
	}
	p := newFutureTask[T](rt, f)
	rt.submit(&p.Handle.task)
	return &p.Handle
}

func newFutureTask[T any, F Future[T]](rt *Runtime, f F) *futureTask[T, F] {
	p := &futureTask[T, F]{future: f}
	p.state = taskstate.New(references)
	p.body = p
	p.rt = rt
	return p
}

func (p *futureTask[T, F]) poll(cx Cx) bool {
	ended := true // also if Poll panics
	defer func() {
		cx.coroutine.waited = true // a future beneath this one cannot tell whose wait it was
		if ended {
			p.releaseFuture()
		}
	}()
	if err := p.stopErr(); err != nil {
		p.dropFuture(err)
		return true
	}
	cx.coroutine.waited = false
	value, err, ready := p.future.Poll(cx)
	if ready {
		p.value = value
		if err != nil {
			p.err = &failure{err}
		}
		return true
	}
	if cx.coroutine.waited { // which may also have been told that the task is to end
		p.state.Wake()
	}
	if p.futureLink.task == nil {
		p.rt.futures.add(&p.futureLink, &p.Handle.task)
	}
	ended = false
	return false
}

// settle lets go of everything but the result. The runner calls it.
func (p *futureTask[T, F]) releaseFuture() {
	var none F
	p.future = none
	if p.futureLink.task != nil {
		p.rt.futures.remove(&p.futureLink)
	}
}

// drop ends the future with err, unless Drop fails. The runner calls it.
func (p *futureTask[T, F]) dropFuture(err error) {
	if d, ok := any(p.future).(Dropper); ok {
		d.Drop()
	}
	p.err = &failure{err}
}

// drops reports whether ending the task needs a stack, because it calls what users have written. The runner calls it.
func (p *futureTask[T, F]) hasDropper() bool {
	_, ok := any(p.future).(Dropper)
	return ok
}

// abandon is called in the place of a poll if drops is false, or if the task was refused.
func (p *futureTask[T, F]) discardInput() {
	defer func() {
		if r := recover(); r != nil {
			p.recordPanic(r)
		}
		p.releaseFuture()
	}()
	p.dropFuture(p.err.error)
}

// A resting is what a poll-style task has in the list of those that have rested.
type futureLink struct {
	// The links are under the list's lock.
	previous, next *futureLink
	// task is nil until the task enters the list; then it never changes. Set by the runner, under the lock.
	task *task
}

// futureList is what Close finds the poll-style tasks of a runtime by: those that have been IDLE at least once, and have not ended. Anyone
// may call its methods.
type futureList struct {
	lock sync.Mutex
	head futureLink // of a ring
}

func (l *futureList) init() { l.head.previous, l.head.next = &l.head, &l.head }

func (l *futureList) add(r *futureLink, t *task) {
	l.lock.Lock()
	defer l.lock.Unlock()
	r.task = t
	r.previous, r.next = &l.head, l.head.next
	r.next.previous, l.head.next = r, r
}

func (l *futureList) remove(r *futureLink) {
	l.lock.Lock()
	defer l.lock.Unlock()
	r.previous.next, r.next.previous = r.next, r.previous
	r.previous, r.next = nil, nil
}

// wake wakes all. Partner: worker.toIdle, which looks at the mode after the task has entered the list.
func (l *futureList) wakeAll() {
	l.lock.Lock()
	defer l.lock.Unlock()
	for r := l.head.next; r != &l.head; r = r.next {
		r.task.wake(nil)
	}
}
