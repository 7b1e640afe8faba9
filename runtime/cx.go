package runtime

// A Cx is what a running task is given: its way to the worker that runs it. It is valid on the task's own goroutine and until
// the task's function returns; a function that the task calls may use it, a task that the task spawns gets its own.
//
// Its methods and the functions that take it panic if it is the zero Cx, or not that of the task that is running. Use on
// another goroutine is a data race, which the race detector reports.
type Cx struct {
	coroutine *coroutine
	task      *task
}

// check is at the start of everything that takes a Cx.
func (cx Cx) check(what string) {
	if co := cx.coroutine; co == nil || co.task != cx.task {
		cx.misused(what)
	}
}

func (cx Cx) misused(what string) {
	switch co := cx.coroutine; {
	case co == nil:
		panic("runtime: " + what + ": the zero Cx; a Cx is what a task's function is given")
	case cx.task.ended():
		panic("runtime: " + what + ": the Cx of a task that has ended")
	case co.task == nil:
		panic("runtime: " + what + ": the Cx of a task that is suspended")
	}
	panic("runtime: " + what + ": the Cx of another task; a task uses the one that its function was given")
}

// Runtime returns the runtime of the task.
func (cx Cx) Runtime() *Runtime {
	cx.check("Runtime")
	return cx.task.rt
}

// Worker returns the number of the worker that runs the task now; after a call that waits, it may be another.
func (cx Cx) Worker() int {
	cx.check("Worker")
	return cx.coroutine.worker.id
}

// Err returns nil, or why the task is to end: [ErrCancelled] if it was cancelled, [ErrClosed] if its runtime is being closed by
// [Runtime.Close]. It is nil in a shield.
func (cx Cx) Err() error {
	cx.check("Err")
	return cx.task.stopErr()
}

// Shield calls fn and keeps cancellation from the task until fn has returned: waiting functions wait, and Err is nil. Shields nest, up
// to 255 of them; one more panics, and so does a nil function.
func (cx Cx) Shield(fn func()) {
	if fn == nil {
		panic("runtime: Shield: nil function")
	}
	cx.check("Shield")
	cx.task.state.EnterShield()
	defer cx.leaveShield()
	fn()
}

func (cx Cx) leaveShield() {
	t := cx.task
	t.state.LeaveShield()
	if t.rt.contexts.count.Load() > 0 && t.stopErr() != nil { // partner: contexts.cancelAll, which looks at shields after the mode was set
		t.rt.contexts.cancel(t)
	}
}

// Yield lets other tasks run: everything else that is queued at this worker.
func (cx Cx) Yield() {
	cx.check("Yield")
	cx.coroutine.suspend(taskYields)
}

const maxBudgetRounds = 8 // budgets that a task may use up in a row while nobody but its own worker's ring waits

// charge is for a call that could have waited and did not need to.
func (cx Cx) charge() {
	co := cx.coroutine
	if co.budget--; co.budget < 0 {
		cx.budgetSpent()
	}
}

// spent is for a task that has used up its budget without leaving its stack: it lets others run, at once if somebody waits who cannot be
// stolen, else once in a while.
func (cx Cx) budgetSpent() {
	co := cx.coroutine
	w := co.worker
	co.budget = w.rt.config.taskBudget
	if w.tick.left <= 0 {
		w.endTick()
	}
	if co.budgetRounds++; co.budgetRounds >= maxBudgetRounds || w.rt.injector.length.Load() > 0 {
		co.budgetRounds = 0
		co.suspend(taskYields)
	}
}
