package runtime

import (
	"runtime/debug"
	"sync/atomic"

	"github.com/surewake/surewake/taskstate"
)

// A body is what a task does; it is the task itself, in its full size. Or it is the stack on which the task is suspended:
// then running the task is going on there.
type body interface {
	// poll runs the task until it ends (true) or, if it can be left and polled again, waits (false). The runner calls it. It stores the
	// result, or panics.
	poll(cx Cx) bool
	// abandon drops what poll would use. The runner calls it in place of poll, after it has set err.
	discardInput()
	// discard drops the result, which nobody will collect. See taskstate.CompleteDiscard and DetachDiscard.
	discardResult()
}

// A task is what queues hold, and the head of every [Handle]: 48 bytes.
type task struct {
	// state says who may touch the rest. Its references are the task's own, the handle's, one for each queue entry that a join was
	// faster than, and the collector's, which nobody drops: memory is never released by hand, and a waker may come after the end.
	state taskstate.Word
	// body is set by the spawn, before the task is published. After that only the runner touches it: it is a stack from the
	// switch that suspends the task to the one that resumes it.
	body body
	rt   *Runtime // never changes
	// err is the result's error, one box for errors, panics and all else that a task ends with. Written by the runner before
	// it completes the task, read by anybody who has found the task COMPLETE.
	err *failure
	// joiners is who waits for the end, newest first. Anyone with a handle pushes; the runner that is told CompleteWakeJoiner
	// takes them all. What is pushed after that is never looked at: Join says JoinReady then.
	joiners atomic.Pointer[joiner]
}

type failure struct{ error }

const references = 3 // of a new task: its own, its handle's, the collector's

// A joiner waits for the end of a task.
type joiner struct {
	next      *joiner     // set before it is pushed
	waker     waker       // never changes
	abandoned atomic.Bool // set by the waiter when it has given up; read by others who push
}

// wait makes j one of those that the end of t wakes, and reports whether it will: else t has ended.
//
// Publishing j comes first, looking at the state second; the completion does it the other way round. (taskstate/T3)
func (t *task) addJoiner(j *joiner) bool {
	t.pushJoiner(j)
	return t.state.Join() == taskstate.JoinWait
}

// push puts j in front of the joiners.
func (t *task) pushJoiner(j *joiner) {
	for {
		head := t.joiners.Load()
		if head != nil && head.abandoned.Load() { // whoever waits again and again with a timeout leaves one of these each time
			t.joiners.CompareAndSwap(head, head.next)
			continue
		}
		j.next = head
		if t.joiners.CompareAndSwap(head, j) {
			return
		}
	}
}

// wakeJoiners wakes all who wait for the end of t. The runner of t calls it, if it is told to by Complete; w is its worker, or nil.
func (t *task) wakeJoiners(w *worker) {
	for j := t.joiners.Swap(nil); j != nil; {
		next := j.next
		j.waker.wake(w)
		j = next
	}
}

// wake asks for a poll of t. Anyone may call it; w is the worker whose goroutine calls, or nil.
func (t *task) wake(w *worker) {
	if t.state.Wake() == taskstate.WakeEnqueue {
		t.schedule(w)
	}
}

// schedule puts t, which has become SCHEDULED, into a queue: that of the worker whose goroutine this is, w, if t belongs to its
// runtime, else the injector. A worker's slot and ring are never touched from outside. (runtime/R1)
func (t *task) schedule(w *worker) {
	if w != nil && w.rt == t.rt {
		w.pushLocal(t)
		return
	}
	t.rt.injector.push(false, t)
	t.rt.subtractLive(1) // it is counted there now
	t.rt.notify()
}

// complete ends t, whose runner calls it after the result is stored. w is the runner's worker, or nil for a goroutine of its own.
func (t *task) complete(w *worker) {
	rt := t.rt
	switch t.state.Complete() {
	case taskstate.CompleteWakeJoiner:
		t.wakeJoiners(w)
		t.state.Drop()
	case taskstate.CompleteDiscard:
		t.body.discardResult()
		t.wakeJoiners(w) // there may be one, its own context
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

// end completes t, which its caller has become the runner of, without having run it.
func (t *task) completeWith(w *worker, err error) {
	t.err = &failure{err}
	defer t.complete(w) // also if abandon, which may call what users have written, calls Goexit
	t.body.discardInput()
}

// cancel asks t to end.
func (t *task) cancel(w *worker) {
	switch t.state.Cancel() {
	case taskstate.CancelEnqueue:
		t.schedule(w)
	case taskstate.CancelNoted:
	default:
		return
	}
	t.rt.contexts.cancel(t)
}

// stale drops the reference of an entry that a join was faster than. When the task has ended, that would be a write to memory that nobody
// needs any more, and no use: nothing is released when the last reference goes.
func (t *task) dropStale() {
	if !t.ended() {
		t.state.Drop()
	}
}

// over reports whether t has ended; then its result may be read.
func (t *task) ended() bool { return t.state.Load().Lifecycle() == taskstate.Complete }

// detached reports whether the handle of t has been given up.
func (t *task) detached() bool { return t.state.Load().Detached() }

// failed keeps what a task has panicked with, or ErrGoexit if it has not.
func (t *task) recordPanic(recovered any) {
	if recovered == nil {
		if t.err != nil {
			if _, panicked := t.err.error.(*PanicError); panicked {
				return // it was the function of OnPanic that has called Goexit
			}
		}
		t.err = &failure{ErrGoexit}
		return
	}
	err := &PanicError{Value: recovered, Stack: debug.Stack()}
	t.err = &failure{err}
	t.rt.panicked(err)
}

// ending is Err. The runner calls it.
func (t *task) stopErr() error {
	s := t.state.Load()
	switch {
	case s.CancelEffective():
		return ErrCancelled
	case t.rt.cancelling() && s.Shield() == 0:
		return ErrClosed
	}
	return nil
}
