package runtime

import (
	"iter"
	"sync"
	"sync/atomic"

	"github.com/surewake/surewake/taskstate"
)

// Coroutines
//
// Tasks run on coroutines (iter.Pull), one after another on the same one: a task that never waits
// costs no switch and no stack of its own. A worker's goroutine, its trampoline, resumes
// coroutines:
//
//	trampoline   takes a suspended task and resumes its coroutine; or takes an unstarted task and
//	             gives it a spare coroutine
//	coroutine    runs the task, then takes and runs further unstarted tasks; returns to the
//	             trampoline when the next task is a suspended one, when there is none, or when its
//	             task has to wait
//
// A task that waits keeps its coroutine and everything on its stack: the tasks that have inlined it
// in a join, and the loop. The worker goes on with another coroutine. The waker queues the task
// like any other, and the worker that takes it resumes the coroutine, which then belongs to that
// worker. So a task never waits for a task beneath it on its stack that could run: the lower one
// waits for the upper one and for nothing else. (runtime/R2)
//
// The trampoline, not the task, publishes that the task waits (ToIdle), after the switch. A waker
// may hand the task to another worker at once, and that worker must not resume a coroutine that is
// still running.
//
// Each function between a switch and the loop that led to it returns to where the processor does
// not expect it, since it predicts returns by the calls of the side that was left: that costs 5 ns.
// So Cx.Yield, switchTo and worker.run contain the switch themselves.
//
// A task that yields while its worker has nothing else to do goes on without a switch: yieldsAlone.
//
// Rejected alternatives
//
//   - Dropping lastSuspended before a sleep, not whenever a coroutine becomes a spare, and leaving
//     the reference of a task whose joiners were woken: four locked instructions fewer in a join
//     that waits, and 185 ns for each of its suspensions instead of 186.
//   - Taking the target of a join out of the ring if it is alone there, instead of leaving a stale
//     entry: 179 ns instead of 171.
//   - Waiting by helping: running other tasks on top of the waiting one. Two tasks that wait for
//     each other's children then wait for tasks beneath them on their stacks, forever; and the
//     depth has no bound.
//   - A goroutine for each waiting task. A switch by Go's scheduler costs 200 ns and more, and
//     moves work to another processor unasked.
//   - Sleeping on the coroutine that found nothing. The collector could not shrink the deepest
//     stack of the worker.

// A coroutine runs tasks, one after another or nested by joins. It belongs to the worker that
// resumed it last; while suspended, to the task on top of it, whose next runner resumes it. Fields
// are used by the owner unless they say otherwise.
type coroutine struct {
	worker       *worker    // the worker that resumed it last
	task         *task      // the innermost task that runs here; nil in loop and while suspended
	initial      *task      // RUNNING: the task that a spare runs first when it is resumed
	savedBody    body       // the body of task, while that is suspended
	serial       uint64     // of the run of task, if it has started a child; or noSerial
	levels       []level    // depth of them are in use; see task_flow.go
	depth        int        // how many tasks here have inlined others
	linked       int        // how many levels have links: the outermost
	inlineDepth  int        // how many levels there may be; never changes
	budget       int        // calls left that need not wait; see Cx.charge
	budgetRounds uint8      // how many budgets in a row were used up
	urgent       int        // how often in a row a task has yielded that must end; see urges
	heeded       uint64     // Runtime.noted, when the links were made last; see heed
	turn         turn       // of the loop that runs
	tracing      bool       // the option Trace, Debug or Watchdog; never changes
	debugging    bool       // the option Debug; never changes
	labelled     bool       // the goroutine has the labels of a task that was named
	spans        []openSpan // of the tasks here that are in shields and have started tasks
	waited       bool       // has been suspended since a future cleared this before its poll
	alarm        int64      // the earliest time a Nap asked for in the poll; or math.MaxInt64
	forks        *forks     // nil before the first fork
	forker       *task      // the task that need not begin a strand; nil: none
	running      []*run     // with Debug or Watchdog: what runs here, the innermost last
	goroutine    string     // with Debug or Watchdog: its number; never changes
	creator      string     // the number of the goroutine that has started it; never changes

	next  func() (struct{}, bool) // resumes it; the trampoline calls it
	stop  func()                  // ends a spare
	yield func(struct{}) bool     // returns to the trampoline; false: it must end

	// lastSuspended is the task that was suspended here last, or nil in a spare. Stored by the
	// owner before the switch, loaded by wakeAll.
	lastSuspended atomic.Pointer[task]
	// The links of Runtime.coroutines, under its lock.
	listPrev, listNext *coroutine
}

// newCoroutine returns a spare coroutine. Goroutine creator calls it.
func newCoroutine(rt *Runtime, creator string) *coroutine {
	co := &coroutine{
		inlineDepth: rt.config.inlineDepth, creator: creator,
		tracing: rt.config.trace || rt.config.shows(), debugging: rt.config.debug,
	}
	co.next, co.stop = iter.Pull(func(yield func(struct{}) bool) {
		rt.label()
		co.yield = yield
		if rt.config.shows() {
			co.goroutine, _ = header()
			co.yield = co.showing(yield)
		}
		if rt.config.debug {
			co.yield = co.guarded(co.yield)
			defer co.unlock(rt)
		}
		for co.loop() {
		}
	})
	rt.coroutines.add(co)
	return co
}

// loop runs tasks until the coroutine is stopped or not needed as a spare. If a task panics or
// calls Goexit, loop ends the task and returns true: it must be called again.
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

// runBottom runs t with no task beneath it. Its panics are recovered by loop's deferred
// recoverBottom: a defer for each task would cost a tenth of an empty task.
func (co *coroutine) runBottom(t *task) {
	co.task, co.serial, co.urgent = t, noSerial, 0
	var ended bool
	if co.tracing {
		ended = co.traced(t)
	} else {
		ended = t.body.poll(Cx{co, t})
	}
	if co.forks != nil {
		co.endForks(t)
	}
	co.task = nil // recoverBottom has nothing to do from here on
	w := co.worker
	if ended {
		w.handing = w.lifoPolls < w.rt.config.lifoCap && w.buffer == nil
		t.complete(w)
		w.handing = false // what it was handed is taken next
	} else {
		w.toIdle(t)
	}
}

// recoverBottom is deferred by loop, once for all its tasks. It ends a task that panics or calls
// Goexit.
func (co *coroutine) recoverBottom(again *bool) {
	t := co.task
	if t == nil {
		return
	}
	defer func() { // also if the function of OnPanic calls Goexit
		if co.forks != nil {
			co.endForks(t)
		}
		co.task = nil
		t.complete(co.worker)
		*again = true
	}()
	t.recordPanic(recover(), co)
}

// runInlined runs t, which its caller has made RUNNING, on top of the tasks that co runs. There is
// a level for it. It returns true when t has ended, and false when t is a future that waits.
func (co *coroutine) runInlined(t *task) (ended bool) {
	l := &co.levels[co.depth]
	co.depth++
	l.task, l.serial = co.task, co.serial
	co.task, co.serial = t, noSerial
	defer co.recoverInlined(t, &ended)
	if co.tracing {
		ended = co.traced(t)
	} else {
		ended = t.body.poll(Cx{co, t})
	}
	if co.forks != nil {
		co.endForks(t)
	}
	if co.linked == co.depth {
		co.unlink()
	}
	co.leaveLevel() // recoverInlined has nothing to do from here on
	if ended {
		t.complete(co.worker)
	} else {
		co.worker.toIdle(t)
	}
	return ended
}

// recoverInlined is deferred by runInlined. It ends a task that panics or calls Goexit.
func (co *coroutine) recoverInlined(t *task, ended *bool) {
	if co.task != t {
		return
	}
	defer func() { // also if the function of OnPanic calls Goexit
		if co.forks != nil {
			co.endForks(t)
		}
		if co.linked == co.depth {
			co.unlink()
		}
		co.leaveLevel()
		t.complete(co.worker)
		*ended = true
	}()
	t.recordPanic(recover(), co)
}

// A suspendReason says why a coroutine returned to the trampoline.
type suspendReason uint8

const (
	becameSpare suspendReason = iota // it runs nothing
	taskWaits                        // its task waits to be woken
	taskYields                       // its task has yielded
)

// suspend returns to the trampoline until a worker resumes the running task: after a wake if it
// waits, in its turn if it yields. It may return spuriously.
func (co *coroutine) suspend(why suspendReason) {
	t := co.leave(why)
	co.yield(struct{}{}) // never false: only spares are stopped
	co.enter(t)
}

// yieldWithForks is a yield of a loop, which leaves the forks on the stack: the task waits for none
// of them, and takes them along to whoever resumes it. (runtime/R69)
func (co *coroutine) yieldWithForks() {
	t := co.away(taskYields)
	co.yield(struct{}{}) // as in suspend
	co.enter(t)
}

// leave is the part of suspend before the switch. It returns the running task.
func (co *coroutine) leave(why suspendReason) *task {
	if f := co.forks; f != nil && f.stack.Len() > 0 {
		f.release() // runtime/R34
	}
	return co.away(why)
}

// away is leave for a task whose forks are released, or stay. It makes the missing links: what is
// suspended is hurried if one beneath it must end (runtime/R82); and if it only joins tasks that
// yield, these renew the budget at whose end it would learn of that (runtime/R78, R81).
func (co *coroutine) away(why suspendReason) *task {
	co.link()
	t, w := co.task, co.worker
	if co.lastSuspended.Load() != t { // a store costs as much as the rest of suspend
		co.lastSuspended.Store(t) // partner: wakeAll, called after mode was raised
	}
	co.savedBody, t.body = t.body, co
	co.waited = true
	co.task = nil
	w.reason, w.suspended = why, t
	return t
}

// enter is the part of suspend after the switch.
func (co *coroutine) enter(t *task) {
	co.task = t
	t.body, co.savedBody = co.savedBody, nil
}

// yieldsAlone does what a yield comes to if the worker would resume the running task at once, and
// returns true: no other task is queued here, and no look at the clock or the injector is due. The
// task remains RUNNING, so it needs no switch and no place in the ring, from which it could be
// stolen.
func (co *coroutine) yieldsAlone() bool {
	w := co.worker
	if w.tick.left <= 0 || w.pollsUntilInjector <= 0 || w.turns > 0 || w.dueLeft || co.tracing ||
		w.buffer != nil || w.urged.Load() || w.slot.Load() != nil || w.ring.Len() > 0 {
		return false
	}
	if f := co.forks; f != nil && f.stack.Len() > 0 {
		return false // runtime/R34
	}
	w.lifoPolls = 0
	co.budget = w.rt.config.taskBudget
	co.waited = true
	w.countPoll()
	return true
}

// enter prepares w for the switch to co. Only the trampoline calls it.
func (w *worker) enter(co *coroutine) {
	w.current = co
	co.worker = w
	co.budget = w.rt.config.taskBudget
	co.turn.left = 0 // what runs now may be another loop
	w.reason = becameSpare
}

// settle publishes the state of the task that was suspended on the coroutine from which w returns.
// Only the trampoline calls it.
func (w *worker) settle() {
	t := w.suspended
	w.suspended = nil // runtime/R10
	if w.reason == taskYields {
		ends := t.state.Load().CancelEffective()
		first := w.current.urges(ends) // others may resume it from Yield on
		t.state.Yield()
		switch {
		case first && w.crowded():
			w.addReady(t)
		case w.spilled > 0 && !ends: // runtime/R77
			w.pushBehind(t)
		default:
			w.pushBack(t)
		}
	} else {
		w.toIdle(t)
	}
}

// mostUrgent is how many yields in a row of a task that must end may go before what is queued.
const mostUrgent = 8

// urges reports whether the running task, which yields, goes before what is queued: it must end,
// and has not done so often. (runtime/R82)
func (co *coroutine) urges(ends bool) bool {
	if !ends {
		co.urgent = 0
		return false
	}
	co.urgent++
	return co.urgent <= mostUrgent
}

// toIdle ends a poll of t, after which t waits. Others may resume t before toIdle returns.
func (w *worker) toIdle(t *task) {
	// Partners: raiseMode, which sets the mode, and endSpan, which ends a span; both then wake what
	// is in lastSuspended and futures.
	if t.closing() && t.state.Load().Shield() == 0 {
		t.state.Wake()
	}
	if t.state.ToIdle() == taskstate.IdleEnqueue {
		t.schedule(w)
	}
}

// A coroutineList lists all coroutines of a runtime. Any goroutine may call its methods.
type coroutineList struct {
	count atomic.Int64 // of all: changed under the lock, loaded by any goroutine
	lock  sync.Mutex
	all   *coroutine // under the lock
}

func (l *coroutineList) add(co *coroutine) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.count.Add(1)
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
	l.count.Add(-1)
}

// wakeAll wakes the task that was suspended last on each coroutine.
func (l *coroutineList) wakeAll() {
	l.lock.Lock()
	defer l.lock.Unlock()
	for co := l.all; co != nil; co = co.listNext {
		if t := co.lastSuspended.Load(); t != nil {
			t.wake(nil)
		}
	}
}

// A coroutine is the body of the task that is suspended on it. A worker that takes such a task
// resumes the coroutine and never calls these.

func (co *coroutine) poll(Cx) bool   { panic(suspendedRule) }
func (co *coroutine) discardInput()  { panic(suspendedRule) }
func (co *coroutine) discardResult() { panic(suspendedRule) }
func (co *coroutine) does() any      { panic(suspendedRule) }

const suspendedRule = "surewake: internal error: a suspended task was used as an unstarted one"
