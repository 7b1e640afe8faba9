package runtime

import (
	"sync"

	"github.com/surewake/surewake/taskstate"
)

// Poll-style tasks
//
// A future is a state machine: it is polled, says that it is not ready, and is polled again after
// its waker was called. In between it has no stack; it is its task and what it refers to.
//
//	poll, not ready    the task becomes IDLE; the first time, it enters the runtime's futureList
//	wake               the task is queued, and polled
//	cancel, Close      the task is queued, and ends without a poll
//
// Poll may wait like any task, in a join or for a semaphore, say; then the task has a stack until
// Poll returns. A wake that comes in that time ends the wait and is consumed by it. So a future
// that has waited in Poll is polled once more before it becomes IDLE: coroutine.waited.
//
// Rejected alternatives
//
//   - A flag "woken" in each task, set by each wake beside the transition of the state: 8 bytes for
//     each task and two more writes to shared memory for each poll, for those that wait in Poll.
//   - A panic if Poll waits. A lock that is nearly always free would nearly always work.

// A Future is the body of a poll-style task, which needs no stack while it waits, only about 100
// bytes.
type Future[T any] interface {
	// Poll goes on as far as it can. It returns the result and true; or it leaves a [Waker] of the
	// task with what it waits for, and returns false. It is polled again after the waker was
	// called, and sometimes spuriously; a wake during Poll is not lost. Calls of Poll synchronize
	// with one another, and a wake before the poll that it causes.
	//
	// Poll may wait as other tasks do, and keeps a stack meanwhile. What it spawns is a child until
	// Poll returns; see [Handle.Join].
	Poll(cx Cx) (value T, err error, ready bool)
}

// A Dropper is a [Future] that is told when it will not be polled again although it was not ready.
type Dropper interface {
	// Drop is called once instead of a poll, before the task ends with ErrCancelled or ErrClosed;
	// not after a panic of Poll. It must not wait. The worker calls it, or SpawnFuture or
	// SubmitFuture if the runtime refuses the task. If it panics, that is the result of the task.
	Drop()
}

// A Waker wakes one task. It is small and comparable, and stays valid after the end of the task.
// The zero Waker wakes nobody.
type Waker struct{ task *task }

// Waker returns the waker of the task. It is meant for futures: a task that is a function checks
// what it waits for after a wake, and waits on.
func (cx Cx) Waker() Waker {
	cx.check("Waker")
	return Waker{cx.task}
}

// Wake asks for a poll that begins after the call. Any goroutine may call it at any time.
//
// The call synchronizes before that poll.
func (w Waker) Wake() {
	if w.task != nil {
		w.task.wake(nil)
	}
}

// WakeFrom is [Waker.Wake] for tasks: the woken task runs next on the worker of cx.
func (w Waker) WakeFrom(cx Cx) {
	cx.check("WakeFrom")
	if w.task != nil {
		w.task.wake(cx.coroutine.worker)
	}
}

// WakeOnEnd arranges that w is woken when the task ends, and returns true; or returns false if the
// task has ended. It is [Handle.Join] for futures. Any goroutine may call it, and repeat it: at
// most as many of the repetitions are kept as there are others that wait, and some. It panics if
// the handle is detached or w is the zero Waker.
func (h *Handle[T]) WakeOnEnd(w Waker) bool {
	h.check("WakeOnEnd")
	if w.task == nil {
		panic("surewake: WakeOnEnd: the zero Waker")
	}
	if w.task == &h.task {
		panic("surewake: WakeOnEnd: " + ownEndRule) // runtime/R16
	}
	return h.wakeOnEnd(w.task)
}

// A futureTask is a task that polls a future.
type futureTask[T any, F Future[T]] struct {
	Handle[T]
	future F // the zero value once the task has ended; accessed by the runner
	futureLink
}

// SpawnFuture starts a task that polls f, as [Spawn] starts one that calls a function.
//
// It panics if f is nil, or if cx is not that of the running task.
func SpawnFuture[T any, F Future[T]](cx Cx, f F) *Handle[T] {
	if any(f) == nil {
		panic("surewake: SpawnFuture: nil future")
	}
	cx.check("SpawnFuture")
	w := cx.coroutine.worker
	p := newFutureTask[T](w.rt, f)
	p.parent = cx.coroutine.asParent()
	w.spawn(&p.Handle.task)
	return &p.Handle
}

// SubmitFuture starts a task that polls f, as [Submit] starts one that calls a function. It panics
// if f is nil.
func SubmitFuture[T any, F Future[T]](rt *Runtime, f F) *Handle[T] {
	if any(f) == nil {
		panic("surewake: SubmitFuture: nil future")
	}
	rt.check("SubmitFuture")
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
		cx.coroutine.waited = true // a future beneath cannot tell whose wait it was
		if cx.coroutine.labelled {
			cx.coroutine.endLabel(&p.Handle.task, p.rt.records.get(&p.Handle.task))
		}
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
	if cx.coroutine.forks != nil {
		cx.coroutine.endForks(&p.Handle.task) // it may wait
	}
	if ready {
		p.value = value
		if err != nil {
			p.fail(err)
		}
		return true
	}
	if cx.coroutine.waited { // the wait may have consumed a wake, or a cancellation
		p.state.Wake()
	}
	if p.futureLink.task == nil {
		p.rt.futures.add(&p.futureLink, &p.Handle.task)
	}
	ended = false
	return false
}

// releaseFuture drops everything but the result. The runner calls it.
func (p *futureTask[T, F]) releaseFuture() {
	var none F
	p.future = none
	if p.futureLink.task != nil {
		p.rt.futures.remove(&p.futureLink)
	}
}

// dropFuture calls the future's Drop, if it has one, and makes err the result unless Drop panics.
// The runner calls it.
func (p *futureTask[T, F]) dropFuture(err error) {
	if d, ok := any(p.future).(Dropper); ok {
		d.Drop()
	}
	p.fail(err)
}

// hasDropper reports whether the future has a Drop, which is user code and needs a coroutine. The
// runner calls it.
func (p *futureTask[T, F]) hasDropper() bool {
	_, ok := any(p.future).(Dropper)
	return ok
}

// discardInput is called in place of a poll if hasDropper is false, or if the task was refused.
func (p *futureTask[T, F]) discardInput() {
	defer func() {
		if r := recover(); r != nil {
			p.recordPanic(r)
		}
		p.releaseFuture()
	}()
	p.dropFuture(p.failure().error)
}

// A futureLink links a poll-style task into the runtime's futureList.
type futureLink struct {
	// The links are under the list's lock.
	previous, next *futureLink
	// task is nil until the task enters the list, and never changes then. Set by the runner under
	// the lock.
	task *task
}

// A futureList lists the poll-style tasks of a runtime that have been IDLE at least once and have
// not ended: those that Close must wake. Any goroutine may call its methods.
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

// empty reports whether no task is in the list.
func (l *futureList) empty() bool {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.head.next == &l.head
}

// wakeAll wakes all tasks of the list. Partner: worker.toIdle, which loads the mode after the task
// has entered the list.
func (l *futureList) wakeAll() {
	l.lock.Lock()
	defer l.lock.Unlock()
	for r := l.head.next; r != &l.head; r = r.next {
		r.task.wake(nil)
	}
}
