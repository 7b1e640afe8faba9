package runtime

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"github.com/surewake/surewake/taskstate"
)

// A body is what a task does. Unless the task is suspended, it is the task itself at its full size,
// such as a *call[T]. While the task is suspended, it is its coroutine: running the task resumes
// that.
type body interface {
	// poll runs the task and stores its result. It returns true when the task has ended, and false
	// when it waits and is to be polled again; it may panic. The runner calls it.
	poll(cx Cx) bool
	// discardInput drops what poll would use. The runner calls it in place of poll, after it has
	// set err.
	discardInput()
	// discardResult drops the result, which will not be collected. See taskstate.CompleteDiscard
	// and taskstate.DetachDiscard.
	discardResult()
	// does returns the function of a task that does not run, or the type of its future. The runner
	// calls it, or whoever spawns the task.
	does() any
}

// A task is what queues hold, and the head of every [Handle]. It has 48 bytes.
//
// Its way leads from the handle's spawn through a queue to a worker, which makes it RUNNING and so
// becomes its runner; onto a coroutine, where it runs, and back into a queue after each wait; and
// to its completion, which wakes its joiners. (task_spawn.go, sched_queue.go, sched_find.go,
// sched_coroutine.go, complete)
type task struct {
	// state says who may access the other fields. Its references are those of the task itself, of
	// the handle, of each stale queue entry, and of the collector. The last one is never dropped:
	// memory is not released by hand, and a waker may come after the end.
	state taskstate.Word
	// body is set by the spawn before the task is published, and then accessed by the runner only.
	// It is a coroutine from the switch that suspends the task to the one that resumes it, and a
	// *failure from when the task has failed. Any goroutine that has found the task COMPLETE reads
	// it too.
	body body
	// rt never changes.
	rt *Runtime
	// parent is the serial of the task that has spawned this one; withPlace, if this one comes from
	// outside and has a place; or 0. It does not change once the task is queued.
	parent uint64
	// joiners is the head of the list of those that wait for the end. Any holder of a handle pushes
	// and removes its own; the runner takes all of them if Complete returns CompleteWakeJoiner.
	// What is pushed later is never looked at: Join returns JoinReady then. (task_joiners.go)
	joiners atomic.Pointer[joiner]
}

// A failure is the body of a task that has failed: with an error, a panic or any other failure.
type failure struct {
	error
	body        // of the task before; it is polled no more
	goexit bool // the task has called Goexit, or the function that was told of its panic
}

// fail makes err the error of t. The runner calls it before it completes t.
func (t *task) fail(err error) {
	b := t.body
	if f := t.failure(); f != nil {
		b = f.body
	}
	t.body = &failure{error: err, body: b}
}

// failWith makes err, which the function of t has returned, the error of t. If t must end, and err
// is what the context of t has then, it tells also why t must end. The runner calls it.
// (runtime/R59)
func (t *task) failWith(err error) {
	if why := t.stopErr(); why != nil && !isOwn(err) && !isPanic(err) {
		of := context.Canceled // what the context of t has for an error
		if isTimeout(why) {
			of = context.DeadlineExceeded
		}
		if errors.Is(err, of) {
			err = fmt.Errorf("%w: %w", why, err)
		}
	}
	t.fail(err)
}

// failure returns what t has failed with, or nil. Any goroutine may call it that has found t
// COMPLETE, and the runner.
func (t *task) failure() *failure {
	f, _ := t.body.(*failure)
	return f
}

const references = 3 // of a new task: its own, the handle's, the collector's

// wake asks for a poll of t. Any goroutine may call it; w is the worker that it belongs to, or nil.
func (t *task) wake(w *worker) {
	if t.state.Wake() == taskstate.WakeEnqueue {
		t.schedule(w)
	}
}

// schedule queues t, which has become SCHEDULED: at w, the calling worker, if t belongs to its
// runtime, else in the injector. Only its worker accesses the owner's side of a slot and a ring.
// (runtime/R1)
func (t *task) schedule(w *worker) {
	if t.state.Load().Cancelled() { // also in a shield: it waits for what it has cancelled
		t.scheduleFirst(w)
		return
	}
	if w != nil && w.rt == t.rt {
		w.pushWoken(t)
		return
	}
	t.rt.injector.Push([]*task{t})
	t.rt.subtractLive(1) // the injector counts it now
	t.rt.notify()
	t.dropIfLate()
}

// scheduleFirst is schedule for a task that must end, or waits for one that must, or whose context
// has ended: from outside, or where many are queued, it counts as due, and so does not wait for all
// that is queued. (runtime/R77, R82)
func (t *task) scheduleFirst(w *worker) {
	if w != nil && w.rt == t.rt {
		if w.crowded() {
			w.addReady(t)
		} else {
			w.pushWoken(t)
		}
		return
	}
	if t.rt.timers.add(t) {
		t.rt.urge()
	}
	t.dropIfLate()
}

// dropIfLate is called after t was queued from outside. Partner: stopIfDone, which sets finished
// after it has found no task, and then drops what is there. (runtime/R68)
func (t *task) dropIfLate() {
	if t.rt.finished.Load() {
		t.rt.dropLate()
	}
}

// wakeFirst is wake with scheduleFirst.
func (t *task) wakeFirst(w *worker) {
	if t.state.Wake() == taskstate.WakeEnqueue {
		t.scheduleFirst(w)
	}
}

// hurry lets t, which must end, go before a backlog in which it may be queued: by another entry for
// it, of which the one that comes later is stale. It is called after a cancel that was noted, and
// only if t has been queued since it was made: its maker accesses it before. (runtime/R77, R80)
func (t *task) hurry() {
	rt := t.rt
	if t.state.Load().Lifecycle() != taskstate.Scheduled || !rt.crowded() {
		return
	}
	t.state.Clone() // the reference of the entry
	if rt.timers.add(t) {
		rt.urge()
	}
	t.dropIfLate()
}

// complete ends t, after its result is stored. The runner calls it; w is its worker, or nil if it
// is not a worker.
func (t *task) complete(w *worker) {
	rt := t.rt
	if t.parent == withPlace {
		t.leave(w)
	}
	switch t.state.Complete() {
	case taskstate.CompleteWakeJoiner:
		t.wakeJoiners(w)
		t.state.Drop()
	case taskstate.CompleteDiscard:
		t.body.discardResult()
		t.wakeJoiners(w) // its own context may be one
		t.state.Drop()
	case taskstate.CompleteDone, taskstate.CompleteRelease:
	}
	if w != nil {
		w.count.completed++
		w.addCredit(1)
	} else {
		rt.outside.completed.Add(1)
		rt.subtractLive(1)
	}
}

// completeWith ends t with err without running it. Its caller has become the runner of t.
func (t *task) completeWith(w *worker, err error) {
	t.fail(err)
	defer t.complete(w) // also if discardInput calls Goexit: it may call user code
	t.body.discardInput()
}

// cancel asks t to end. It returns true if t learns of that when it runs, which may be queued; see
// hurry. Any goroutine may call it; w is the worker that it belongs to, or nil.
func (t *task) cancel(w *worker) (noted bool) {
	switch t.state.Cancel() {
	case taskstate.CancelEnqueue:
		t.schedule(w)      // first, as it is cancelled now
		t.cancelInlined(w) // its forks (runtime/R43)
	case taskstate.CancelNoted:
		t.rt.noted.Add(1) // partner: heed
		t.cancelInlined(w)
		noted = true
	case taskstate.CancelDeferred:
		t.rt.countCancelled(w)
		return false
	default:
		return false
	}
	t.rt.countCancelled(w)
	t.rt.contexts.cancel(t)
	return noted
}

// countCancelled counts a task that was cancelled. w is the calling worker, or nil.
func (rt *Runtime) countCancelled(w *worker) {
	if w != nil && w.rt == rt {
		w.count.cancelled++
	} else {
		rt.outside.cancelled.Add(1)
	}
}

// dropStale drops a stale entry's reference. Once the task is complete it skips the write; nothing
// is freed by hand.
func (t *task) dropStale() {
	if !t.ended() {
		t.state.Drop()
	}
}

// ended reports whether t has ended. If so, its result may be read.
func (t *task) ended() bool { return t.state.Load().Lifecycle() == taskstate.Complete }

// detached reports whether the handle of t has been detached.
func (t *task) detached() bool { return t.state.Load().Detached() }

// recordPanic stores a PanicError as the result of t and reports it; or stores ErrGoexit if
// recovered is nil. It is given what recover returned, and the coroutine on which t has run, nil if
// on none. If the report panics too, that becomes part of the result. (runtime/R17)
func (t *task) recordPanic(recovered any, co *coroutine) {
	if recovered == nil {
		if f := t.failure(); f != nil {
			if isPanic(f.error) {
				return // the function of OnPanic has called Goexit
			}
		}
		t.fail(ErrGoexit)
		t.failure().goexit = true
		return
	}
	stack := debug.Stack()
	if co != nil && co.forks != nil {
		stack = co.forks.stack.Traced(stack)
	}
	err := &PanicError{Value: recovered, Stack: stack, Task: t.rt.records.nameOf(t)}
	t.rt.outside.panicked.Add(1)
	t.fail(err)
	reported := false
	defer func() {
		if again := recover(); again != nil {
			second := &PanicError{Value: again, Stack: debug.Stack()}
			t.fail(errors.Join(err, second))
		} else if !reported { // Goexit, which ends all that is beneath t on its stack
			t.failure().goexit = true // runtime/R22
		}
	}()
	t.rt.panicked(err)
	reported = true
}

// stopErr returns nil, or why t must end; see Cx.Err. The runner calls it.
func (t *task) stopErr() error {
	s := t.state.Load()
	switch {
	case s.CancelEffective():
		return t.heritage().cancelErr()
	case s.Shield() == 0 && t.closing():
		return t.closedErr()
	}
	return nil
}

// closedErr returns the error of t, which must end: why it was cancelled, if it was, also before a
// Close that has been noticed already, and ErrClosed otherwise. The runner calls it.
func (t *task) closedErr() error {
	if t.state.Load().CancelEffective() { // partner: Run, which cancels and then closes
		return t.heritage().cancelErr()
	}
	return ErrClosed
}
