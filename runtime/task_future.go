package runtime

import (
	"math"

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
// bytes. It waits by a [Waker], a [Nap] or a [Pending].
type Future[T any] interface {
	// Poll goes on as far as it can. It returns the result and true; or it leaves a [Waker] of the
	// task with what it waits for, and returns false. It is polled again after the waker was
	// called, and sometimes spuriously; a wake during Poll is not lost. Calls of Poll synchronize
	// with one another, and a wake before the poll that it causes.
	//
	// A future that wakes itself in each poll takes turns with the other tasks of its worker, at
	// most [LIFOCap] polls more than they have, and keeps neither timers nor descriptors waiting;
	// but its worker never sleeps. One that goes on for long without waiting calls [Cx.Yield].
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

// Waker returns the waker of the task; in a [Fork], that of the task that has forked. It is meant
// for futures: a task that is a function checks what it waits for after a wake, and waits on.
func (cx Cx) Waker() Waker {
	cx.check("Waker")
	t := cx.task
	for s := t.forkedIn(); s != nil; s = s.outer {
		t = s.task // runtime/R51
	}
	return Waker{t}
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
	cx.checkHere("WakeFrom")
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

// A polledTask is the task of a future, which is elsewhere.
type polledTask[T any] struct {
	Handle[T]
	futureState
}

// A futureTask is a task that polls a future.
type futureTask[T any, F Future[T]] struct {
	polledTask[T]
	future F // the zero value once the task has ended; accessed by the runner
}

// A futureValueTask is a task that polls a future which is part of it.
type futureValueTask[T, F any, P FuturePointer[T, F]] struct {
	polledTask[T]
	future F // as in futureTask
}

// A FuturePointer is a pointer to an F that is a [Future].
type FuturePointer[T, F any] interface {
	*F
	Future[T]
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
	p.start(rt, p)
	return p
}

// SpawnFutureValue is [SpawnFuture] for a future that is a value, which becomes part of the task:
// that saves an allocation. T is to be given, as in SpawnFutureValue[int](cx, f).
func SpawnFutureValue[T, F any, P FuturePointer[T, F]](cx Cx, f F) *Handle[T] {
	cx.check("SpawnFutureValue")
	w := cx.coroutine.worker
	p := &futureValueTask[T, F, P]{future: f}
	p.start(w.rt, p)
	p.parent = cx.coroutine.asParent()
	w.spawn(&p.Handle.task)
	return &p.Handle
}

// SubmitFutureValue is [SubmitFuture] for a future that is a value, as in [SpawnFutureValue].
func SubmitFutureValue[T, F any, P FuturePointer[T, F]](rt *Runtime, f F) *Handle[T] {
	rt.check("SubmitFutureValue")
	p := &futureValueTask[T, F, P]{future: f}
	p.start(rt, p)
	rt.submit(&p.Handle.task)
	return &p.Handle
}

func (p *polledTask[T]) start(rt *Runtime, b body) {
	p.state = taskstate.New(references)
	p.body = b
	p.rt = rt
}

func (p *futureTask[T, F]) poll(cx Cx) (ended bool) {
	ended = true // also if Poll panics
	defer func() {
		if ended {
			p.releaseFuture()
		}
	}()
	ended = p.pollFuture(cx, p.future)
	return ended
}

func (p *futureValueTask[T, F, P]) poll(cx Cx) (ended bool) {
	ended = true // also if Poll panics
	defer func() {
		if ended {
			p.releaseFuture()
		}
	}()
	ended = p.pollFuture(cx, P(&p.future))
	return ended
}

// pollFuture is poll for the future f.
func (p *polledTask[T]) pollFuture(cx Cx, f Future[T]) (ended bool) {
	co := cx.coroutine
	outer := co.alarm
	defer func() {
		co.alarm = outer
		co.waited = true // a future beneath cannot tell whose wait it was
		if co.labelled {
			co.endLabel(&p.task, p.rt.records.get(&p.task))
		}
	}()
	ending := p.stopErr()
	if ending != nil && !p.settle(&p.task) {
		p.dropFuture(f, ending)
		return true
	}
	co.alarm = math.MaxInt64
	co.waited = false
	value, err, ready := f.Poll(cx)
	if co.forks != nil {
		co.endForks(&p.task) // it may wait
	}
	if ready {
		p.value = value
		if err != nil {
			p.failWith(err)
		}
		return true
	}
	if ending != nil {
		p.dropFuture(f, ending)
		return true
	}
	if co.waited { // the wait may have consumed a wake, or a cancellation
		p.state.Wake()
	}
	p.rest(&p.task, co.alarm)
	return false
}

// releaseFuture drops everything but the result. The runner calls it.
func (p *futureTask[T, F]) releaseFuture() {
	var none F
	p.future = none
	p.release(&p.task)
}

func (p *futureValueTask[T, F, P]) releaseFuture() {
	p.release(&p.task)
	var none F
	p.future = none
}

// dropFuture calls the Drop of f, if it has one, and makes err the result unless Drop panics. The
// runner calls it.
func (p *polledTask[T]) dropFuture(f Future[T], err error) {
	if d, ok := f.(Dropper); ok {
		d.Drop()
	}
	p.fail(err)
}

// mustRun reports whether a task that must end has to be polled nevertheless: its future has a
// Drop, which is user code and needs a coroutine, or has been given what it waits for. The runner
// calls it.
func (p *futureTask[T, F]) mustRun() bool { return p.mustPoll(p.future) }

func (p *futureValueTask[T, F, P]) mustRun() bool { return p.mustPoll(P(&p.future)) }

func (p *polledTask[T]) mustPoll(f Future[T]) bool {
	_, ok := f.(Dropper)
	return ok || p.settle(&p.task)
}

// discardInput is called in place of a poll if mustRun is false, or if the task was refused.
func (p *futureTask[T, F]) discardInput() {
	defer p.releaseFuture()
	p.discardFuture(p.future)
}

func (p *futureValueTask[T, F, P]) discardInput() {
	defer p.releaseFuture()
	p.discardFuture(P(&p.future))
}

func (p *polledTask[T]) discardFuture(f Future[T]) {
	defer func() {
		if r := recover(); r != nil {
			p.recordPanic(r, nil)
		}
	}()
	p.dropFuture(f, p.failure().error)
}
