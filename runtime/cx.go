package runtime

import (
	"fmt"

	"github.com/surewake/surewake/taskstate"
)

// A Cx gives a task access to the worker that runs it. It is valid on the goroutine of the task
// until the task's function returns. Functions that the task calls may use it; tasks that it spawns
// have their own.
//
// Its methods, and functions that take it, panic if it is the zero Cx, or if its task is not the
// one that runs: it has ended or is suspended, or another task uses its Cx. Using it on another
// goroutine is a data race; the race detector may not see it, and [Debug] checks for it.
type Cx struct {
	coroutine *coroutine
	task      *task
}

// check panics if cx must not be used now. Every function that takes a Cx begins with it; what is
// the name of the function.
func (cx Cx) check(what string) {
	if co := cx.coroutine; co == nil || co.task != cx.task {
		cx.misused(what)
	}
}

// checkHere is check for what waits, or wakes others. With Debug, it panics on another goroutine
// than that of the task, before anything has changed. (runtime/R54)
func (cx Cx) checkHere(what string) {
	if co := cx.coroutine; co == nil || co.task != cx.task || co.debugging {
		cx.checkGoroutine(what)
	}
}

func (cx Cx) checkGoroutine(what string) {
	cx.check(what)
	cx.refuseForeign()
}

// goesOn is the short way through checkHere, charge and stopErr, for calls that mostly find what
// they want: it returns true if none of them has anything to say or to do. Then its caller may take
// what it wants, and if it has, takes one off the budget. If not, the call begins again the long
// way, and nothing has changed.
func (cx Cx) goesOn() bool {
	co := cx.coroutine
	return co != nil && co.task == cx.task && !co.debugging && co.budget > 0 &&
		co.linked == co.depth && !cx.task.rt.cancelling() &&
		!cx.task.state.Load().CancelEffective()
}

// misused panics with the rule that check found broken.
func (cx Cx) misused(what string) {
	switch co := cx.coroutine; {
	case co == nil:
		panic("surewake: " + what + ": the zero Cx; a Cx is what a task's function is given")
	case cx.task.ended():
		panic("surewake: " + what + ": the Cx of a task that has ended")
	case co.task == nil:
		panic("surewake: " + what + ": the Cx of a task that is suspended")
	}
	panic("surewake: " + what +
		": the Cx of another task; a task uses the one that its function was given")
}

// Runtime returns the runtime of the task.
func (cx Cx) Runtime() *Runtime {
	cx.check("Runtime")
	return cx.task.rt
}

// Worker returns the number of the worker that runs the task. It may change in every call that
// waits.
func (cx Cx) Worker() int {
	cx.check("Worker")
	return cx.coroutine.worker.id
}

// Err returns nil, or why the task must end: [ErrCancelled] if it was cancelled, [ErrTimeout] if
// the deadline of its context has passed, [ErrClosed] if its runtime is being closed by
// [Runtime.Close]. It returns nil in a [Cx.Shield].
func (cx Cx) Err() error {
	cx.check("Err")
	return cx.stopErr()
}

// Shield calls fn, and hides cancellation from the task until fn returns: functions wait as usual,
// and Err returns nil. Tasks that fn starts, and those that they start, do not notice
// [Runtime.Close] until fn has returned; they can be cancelled. Shields nest up to 255 deep; one
// more panics. So does a nil function.
func (cx Cx) Shield(fn func()) {
	if fn == nil {
		panic("surewake: Shield: nil function")
	}
	cx.checkHere("Shield")
	if cx.task.state.Load().Shield() == taskstate.MaxShield {
		panic(fmt.Sprintf("surewake: Shield: shields nest up to %d deep", taskstate.MaxShield))
	}
	if rt := cx.task.rt; !rt.adorns.Load() {
		rt.adorns.Store(true)
	}
	cx.enterShield()
	defer cx.leaveShield()
	fn()
}

// enterShield enters a shield. What a cancelled task has forked before is told of the cancellation,
// whenever it becomes a task.
func (cx Cx) enterShield() {
	co := cx.coroutine
	if cx.task.state.EnterShield() && co.forks != nil {
		co.forks.tell(cx.task) // runtime/R49
	}
	co.forker = nil // another strand, with another span
}

// leaveShield leaves a shield. If the task must end then, it tells its forks, and ends the task's
// context.
func (cx Cx) leaveShield() {
	t := cx.task
	cx.coroutine.forker = nil
	if t.state.LeaveShield() != taskstate.ShieldHeld {
		cx.coroutine.endSpan(t)
		// Partner: cancelInlined, which leaves out forks of a shield that is not over.
		if t.state.Load().CancelEffective() {
			t.cancelInlined(cx.coroutine.worker) // its forks (runtime/R43)
		}
	}
	// Partner: contexts.cancelAll, which loads the shields after the mode was raised.
	if t.rt.contexts.count.Load() > 0 && t.stopErr() != nil {
		t.rt.contexts.cancel(t)
	}
}

// Yield moves the task to the back of its worker's ring: the tasks queued at this worker run first.
// It promises no order, though. The task in the slot comes later if the ring's turn is next (see
// [LIFOCap]). If the ring is full, its older half goes to the injector with the task behind it; and
// as long as this worker has not taken what came there in this way, a task that yields goes there,
// too. A look there, by this or another worker, may take the task at once.
func (cx Cx) Yield() {
	cx.checkHere("Yield")
	if co := cx.coroutine; !co.yieldsAlone() {
		t := co.leave(taskYields)
		co.yield(struct{}{}) // as in suspend
		co.enter(t)
	}
}

// maxBudgetRounds is how many budgets a task may use up in a row if only its own worker's ring may
// have work.
const maxBudgetRounds = 8

// charge charges the task's budget for a call that could have waited and did not. (runtime/R52)
func (cx Cx) charge() {
	co := cx.coroutine
	if co.budget--; co.budget < 0 {
		cx.budgetSpent()
	}
}

// budgetSpent renews the budget. The task yields if a look at the injector is due and there are
// tasks, whose only way is through a worker, and otherwise every maxBudgetRounds budgets: thieves
// take what the ring has. A budget counts as a poll towards the look and the end of the tick, which
// would not come where no call is one.
func (cx Cx) budgetSpent() {
	co := cx.coroutine
	w := co.worker
	co.budget = w.rt.config.taskBudget
	w.pollsUntilInjector--
	if w.tick.left--; w.tick.left <= 0 {
		w.endTick()
		w.announce() // it may have put a task into the ring, and this one goes on (runtime/R63)
	}
	if co.budgetRounds++; co.budgetRounds >= maxBudgetRounds ||
		w.pollsUntilInjector <= 0 && w.rt.injector.Len() > 0 {
		co.budgetRounds = 0
		co.suspend(taskYields)
	}
}
