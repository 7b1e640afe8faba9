package runtime

import (
	"context"
	"runtime"
	"sync"

	"github.com/surewake/surewake/taskstate"
)

// A Handle refers to a task and gives access to its result. Any number of goroutines and tasks may
// wait for the task; each gets the result. A Handle must not be copied.
//
// The end of the task synchronizes before the return of every call that finds the task ended.
type Handle[T any] struct {
	task
	// value is written by the runner before it completes the task, and read by any goroutine that
	// has found the task COMPLETE.
	value T
}

func (h *Handle[T]) discardResult() {
	var zero T
	h.value = zero
}

// result returns the result of the task, which its caller has found ended.
func (h *Handle[T]) result() (T, error) {
	if f := h.failure(); f != nil {
		return h.value, f.error
	}
	return h.value, nil
}

// check panics if h is none of a task, or has been detached; what is the name of the calling
// function.
func (h *Handle[T]) check(what string) {
	h.checkMade(what)
	if h.detached() {
		panic("surewake: " + what + ": the handle has been detached")
	}
}

// checkMade panics if h is nil or the zero Handle. (runtime/R14)
func (h *Handle[T]) checkMade(what string) {
	if h == nil || h.rt == nil {
		panic("surewake: " + what + ": a nil or zero Handle; Submit and Spawn return one")
	}
}

// Join waits for the end of the task and returns its result. Any task of the same runtime may call
// it; the task waits, its worker does not.
//
// Join of a child, which the calling task has started by [Cx.Go], Spawn, SpawnContext, SpawnWith,
// SpawnIn or SpawnFuture, is like a call of its function. If the calling task is cancelled before
// or meanwhile, the child is cancelled too; in any case Join returns when the child has ended, with
// its result. If the child has called Goexit, so does Join. A child that has not started is run on
// the caller's stack; that makes no difference to any of this.
//
// Join of another task only waits. It returns [ErrCancelled] or [ErrClosed] if the calling task
// must end before the target has ended; that does not cancel the target.
//
// Join panics if the handle is detached, or the task has not ended and belongs to another runtime.
func (h *Handle[T]) Join(cx Cx) (T, error) {
	cx.checkHere("Join")
	if h == nil {
		h.checkMade("Join")
	}
	s := h.state.Load()
	if s.Detached() {
		h.check("Join")
	}
	if s.Lifecycle() != taskstate.Complete {
		if h.rt != cx.coroutine.worker.rt {
			h.checkMade("Join")
			panic("surewake: Join: the handle belongs to another runtime")
		}
		if err := cx.join(&h.task); err != nil {
			var zero T
			return zero, err
		}
	}
	if f := h.failure(); f != nil {
		return h.value, cx.joined(&h.task, f)
	}
	return h.value, nil
}

// joined returns the error of t, which has failed with f.
func (cx Cx) joined(t *task, f *failure) error {
	if f.goexit && t.rt == cx.task.rt && cx.coroutine.isChild(t) { // runtime/R1
		runtime.Goexit()
	}
	return f.error
}

// Wait waits for the end of the task and returns its result, or the error of ctx if that ends
// first: one that errors.Is takes for ctx.Err() and for the cause of ctx. It is for goroutines that
// are not tasks, since it would block a worker: a task calls [Handle.Join]. It panics if the handle
// is detached or ctx is nil, and with [Debug] if a task of the same runtime calls it. [Watchdog]
// tells of one that does.
func (h *Handle[T]) Wait(ctx context.Context) (T, error) {
	h.check("Wait")
	notNil(ctx, "Wait")
	if !h.ended() {
		if h.rt.config.debug {
			h.rt.refuseInTask("Wait", waitInTaskRule, "Handle.Join")
			defer h.rt.noteBlocking(ctx, "Wait", waitNote{wholes: []any{&h.task}})()
		}
		done := make(goroutine)
		j := &joiner{waker: done}
		if h.addJoiner(j) {
			defer guards.enterEnd("Handle.Wait", h.rt, done, ctx)()
			select {
			case <-done:
			case <-ctx.Done():
				if !h.ended() {
					h.removeJoiner(j)
					var zero T
					return zero, contextErr(ctx)
				}
			}
		}
	}
	return h.result()
}

// TryJoin returns the result of the task and true if the task has ended, and false otherwise. Any
// goroutine may call it; it does not wait. It panics if the handle is detached.
func (h *Handle[T]) TryJoin() (T, error, bool) {
	h.check("TryJoin")
	if !h.ended() {
		var zero T
		return zero, nil, false
	}
	value, err := h.result()
	return value, err, true
}

// Done returns a channel that is closed when the task has ended. Calls before the end return the
// same channel. Any goroutine may call it. It panics if the handle is detached.
func (h *Handle[T]) Done() <-chan struct{} {
	h.check("Done")
	if h.ended() {
		return closed
	}
	return h.rt.ends.get(&h.task)
}

// closed is a channel that is closed.
var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// ends is the set of the channels that [Handle.Done] has returned for tasks that have not ended.
// Any goroutine may call its methods.
type ends struct {
	lock sync.Mutex
	all  map[*task]*end
}

// An end is one of the joiners of its task, and closes done.
type end struct {
	joiner
	task *task
	done chan struct{}
}

// wake closes the channel. It is called when the task has ended, once or twice: by its last runner,
// and by whoever has added e too late.
func (e *end) wake(w *worker) {
	es := &e.task.rt.ends
	es.lock.Lock()
	defer es.lock.Unlock()
	if es.all[e.task] == e {
		delete(es.all, e.task)
		close(e.done)
		w.hasWoken()
	}
}

// get returns the channel of t.
func (es *ends) get(t *task) chan struct{} {
	es.lock.Lock()
	e := es.all[t]
	if e != nil {
		es.lock.Unlock()
		return e.done
	}
	e = &end{task: t, done: make(chan struct{})}
	e.waker = e
	if es.all == nil {
		es.all = map[*task]*end{}
	}
	es.all[t] = e
	es.lock.Unlock()
	if !t.addJoiner(&e.joiner) {
		e.wake(nil) // others may have the channel already
	}
	return e.done
}

// Cancel asks the task to end. A task that has not started ends with [ErrCancelled]. In one that
// has started, functions that wait return ErrCancelled, now and from now on, outside of
// [Cx.Shield]; [Cx.Err] tells a task that does not wait. The task still ends with the result of its
// function, which may be a value. Any goroutine may call it, also repeatedly and after the end of
// the task.
//
// A task that is cancelled goes before what is queued, as a timeout does, and so do its children,
// its forks, and whoever waits for it: also one that waits for a hundred thousand others that have
// not begun ends soon. They have turns with what is queued, and with timers that are due: a chain
// of a hundred joins, or a hundred children that wait, end after a hundred turns of others, or so.
// There are exceptions, which wait for what is queued: a task that yields more than eight times in
// a row after it was cancelled; a child that it starts in a [Cx.Shield] then, which is not
// cancelled; and all of them, with the timers, when tasks pile up and those that went before them
// have started more than a [Ring] holds, a few each or many at a time.
func (h *Handle[T]) Cancel() {
	h.checkMade("Cancel")
	if h.cancel(nil) {
		h.hurry()
	}
}

// Detach gives up the result: it is discarded, and an error with it. The task runs on. One
// goroutine may call Detach, once, and the handle must not be used afterwards. It panics if it is
// called again.
func (h *Handle[T]) Detach() {
	h.check("Detach")
	if h.state.Detach() == taskstate.DetachDiscard {
		h.discardResult()
		h.state.Drop()
	}
}
