package runtime

import (
	"iter"
	"sync"
	"sync/atomic"

	"github.com/surewake/surewake/taskstate"
)

// Stacks
//
// Tasks run on coroutines (iter.Pull), one after another on the same one: a task that never waits costs no switch and no stack of
// its own. A worker's goroutine, its trampoline, resumes one stack after another:
//
//	trampoline   takes a task that was suspended, resumes its stack; or takes one that has not begun, and lends it a spare stack
//	stack        runs the task, takes the next that has not begun, runs it, ...; leaves when the next one was suspended, or when
//	             there is none; or when the task has to wait
//
// A task that waits keeps the stack, with everything beneath it: the tasks that have inlined it in a join, and the loop. The worker goes
// on with another stack, and whoever wakes the task puts it into a queue like any other; the worker that takes it resumes the stack,
// which then belongs to that worker. So no task ever waits for one that lies beneath it on the same stack and could go on: the lower one
// waits for the upper one, and for nothing else. (runtime/R2)
//
// "I wait" is published by the trampoline, after the switch: a waker may hand the task to another worker at once, and that must
// not resume a stack that is still running.
//
// What was not done
//
//   - Waiting by helping: to run other tasks on top of the one that waits. Two tasks that wait for each other's children then wait
//     for what lies beneath them on the same stack, for ever; and there is no bound on the depth.
//   - A goroutine for each task that waits. A switch by the scheduler costs 200 ns and more, and moves work to where nobody asked for it.
//   - Parking on the stack that found nothing. It would keep the deepest stack of the worker from being shrunk by the collector.

// A stack is a coroutine that runs tasks. It belongs to the worker that resumed it last; while it is suspended, to the task on top
// of it, whose next runner resumes it. Fields are the owner's unless they say something else.
type coroutine struct {
	worker       *worker // that has resumed the stack last
	task         *task   // the innermost task that runs here; nil in the loop, and while the stack is suspended
	initial      *task   // RUNNING: the task to begin with when a spare stack is resumed
	savedBody    body    // of task, while it is suspended
	inlineLeft   int     // how many more joins may run their targets here
	budget       int     // what the task may still do without leaving the stack; see Cx.spend
	budgetRounds uint8   // how often the budget was used up
	tracing      bool    // never changes: see Trace
	waited       bool    // the stack has been suspended since a future cleared this before its poll

	next  func() (struct{}, bool) // resumes; the trampoline calls it
	stop  func()                  // ends a spare stack
	yield func(struct{}) bool     // back to the trampoline; false: the stack is to end

	// waiter is the task that was suspended here last; stored by the owner before the switch, loaded by whoever cancels everything.
	lastSuspended atomic.Pointer[task]
	// The links of Runtime.stacks, under its lock.
	listPrev, listNext *coroutine
}

func newCoroutine(rt *Runtime) *coroutine {
	co := &coroutine{inlineLeft: rt.config.inlineDepth, tracing: rt.config.trace}
	co.next, co.stop = iter.Pull(func(yield func(struct{}) bool) {
		rt.label()
		co.yield = yield
		if rt.config.debug {
			co.yield = co.guarded(yield)
			defer co.unlock(rt)
		}
		for co.loop() {
		}
	})
	rt.coroutines.add(co)
	return co
}

// loop runs tasks until it is stopped, or not needed as a spare, or one of them panics: then it returns true, and is to be called again.
func (co *coroutine) loop() (again bool) {
	defer co.recoverBottom(&again)
	for {
		w := co.worker
		t := co.initial
		co.initial = nil
		if t == nil {
			t = w.take()
		}
		if t != nil {
			suspended, ok := t.body.(*coroutine)
			if !ok {
				co.runBottom(t)
				continue
			}
			w.toResume = suspended
		}
		if !w.keepSpare(co) || !co.yield(struct{}{}) {
			return false
		}
	}
}

// runFirst is run for a task with nothing beneath it, whose panics caught sees to: a defer for each costs a tenth of an empty task.
func (co *coroutine) runBottom(t *task) {
	co.task = t
	var ended bool
	if co.tracing {
		ended = co.traced(t)
	} else {
		ended = t.body.poll(Cx{co, t})
	}
	co.task = nil // from here on, caught has nothing to do
	if ended {
		t.complete(co.worker)
	} else {
		co.worker.toIdle(t)
	}
}

// caught is deferred by loop, once for all of its tasks: it ends the one that panics or calls Goexit.
func (co *coroutine) recoverBottom(again *bool) {
	t := co.task
	if t == nil {
		return
	}
	defer func() { // also if the function of OnPanic calls Goexit
		co.task = nil
		t.complete(co.worker)
		*again = true
	}()
	t.recordPanic(recover())
}

// run runs t, which its caller has made RUNNING, on top of the tasks that are on s. When it returns, t has ended or, if it is one that
// can be left, waits; it reports whether it has ended.
func (co *coroutine) runInlined(t *task) (ended bool) {
	beneath := co.task
	co.task = t
	defer co.recoverInlined(t, beneath, &ended)
	if co.tracing {
		ended = co.traced(t)
	} else {
		ended = t.body.poll(Cx{co, t})
	}
	co.task = beneath // from here on, unwind has nothing to do
	if ended {
		t.complete(co.worker)
	} else {
		co.worker.toIdle(t)
	}
	return ended
}

// unwind is deferred by run: it ends a task that panics or calls Goexit.
func (co *coroutine) recoverInlined(t, beneath *task, ended *bool) {
	if co.task == beneath {
		return
	}
	defer func() { // also if the function of OnPanic calls Goexit
		co.task = beneath
		t.complete(co.worker)
		*ended = true
	}()
	t.recordPanic(recover())
}

// A reason says why a stack was left.
type suspendReason uint8

const (
	becameSpare suspendReason = iota // there is nothing that it could run
	taskWaits                        // its task waits
	taskYields                       // its task has yielded
)

// suspend leaves the stack of the running task until somebody resumes it: whoever wakes it (waiting), or its turn (yielded).
// It may return for no reason.
func (co *coroutine) suspend(why suspendReason) {
	t, w := co.task, co.worker
	if co.lastSuspended.Load() != t { // a load costs nothing, a store as much as the rest of this
		co.lastSuspended.Store(t)
	}
	co.savedBody, t.body = t.body, co
	co.waited = true
	co.task = nil
	w.reason, w.suspended = why, t
	co.yield(struct{}{}) // never false: only spare stacks are stopped
	co.task = t
	t.body, co.savedBody = co.savedBody, nil
}

// enter resumes s and does what it left to be done. Only the trampoline calls it.
func (w *worker) resume(co *coroutine) {
	w.current = co
	co.worker = w
	co.budget = w.rt.config.taskBudget
	w.reason = becameSpare
	co.next()
	switch t := w.suspended; w.reason {
	case becameSpare:
	case taskWaits:
		w.toIdle(t)
	case taskYields:
		t.state.Yield()
		w.pushBack(t)
	}
}

// leave ends a poll of t after which it waits: others may resume its stack before this returns.
func (w *worker) toIdle(t *task) {
	if w.rt.cancelling() && t.state.Load().Shield() == 0 { // partner: Runtime.cancelAll, which looks for it after it has said so
		t.state.Wake()
	}
	if t.state.ToIdle() == taskstate.IdleEnqueue {
		w.pushLocal(t)
	}
}

// stacks is the list of all stacks of a runtime. Anyone may call its methods.
type coroutineList struct {
	lock sync.Mutex
	all  *coroutine
}

func (l *coroutineList) add(co *coroutine) {
	l.lock.Lock()
	defer l.lock.Unlock()
	co.listNext = l.all
	if l.all != nil {
		l.all.listPrev = co
	}
	l.all = co
}

func (l *coroutineList) remove(co *coroutine) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if co.listPrev != nil {
		co.listPrev.listNext = co.listNext
	} else {
		l.all = co.listNext
	}
	if co.listNext != nil {
		co.listNext.listPrev = co.listPrev
	}
	co.listPrev, co.listNext = nil, nil
}

// wake wakes the task that was suspended last on each stack.
func (l *coroutineList) wakeAll() {
	l.lock.Lock()
	defer l.lock.Unlock()
	for co := l.all; co != nil; co = co.listNext {
		if t := co.lastSuspended.Load(); t != nil {
			t.wake(nil)
		}
	}
}

// A stack stands for the body of the task that is suspended on it. Who takes such a task resumes the stack; none of the following is
// ever called.

func (co *coroutine) poll(Cx) bool   { panic("runtime: a suspended task was polled") }
func (co *coroutine) discardInput()  { panic("runtime: a suspended task was abandoned") }
func (co *coroutine) discardResult() { panic("runtime: the result of a suspended task was discarded") }
