package runtime

import "github.com/surewake/surewake/taskstate"

// A Cx is what a running task is given: its way to the worker that runs it. It is valid on the task's own goroutine and until
// the task's function returns; a function that the task calls may use it, a task that the task spawns gets its own.
//
// Its methods and the functions that take it panic if it is the zero Cx, or not that of the task that is running. Use on
// another goroutine is a data race, which the race detector reports.
type Cx struct {
	stack *stack
	task  *task
}

// check is at the start of everything that takes a Cx.
func (cx Cx) check(what string) {
	if s := cx.stack; s == nil || s.task != cx.task {
		cx.misused(what)
	}
}

func (cx Cx) misused(what string) {
	switch s := cx.stack; {
	case s == nil:
		panic("runtime: " + what + ": the zero Cx; a Cx is what a task's function is given")
	case cx.task.over():
		panic("runtime: " + what + ": the Cx of a task that has ended")
	case s.task == nil:
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
	return cx.stack.worker.id
}

// Err returns nil, or why the task is to end: [ErrCancelled] if it was cancelled, [ErrClosed] if its runtime is being closed by
// [Runtime.Close]. It is nil in a shield.
func (cx Cx) Err() error {
	cx.check("Err")
	return cx.task.ending()
}

// ending is Err. The runner calls it.
func (t *task) ending() error {
	s := t.state.Load()
	switch {
	case s.CancelEffective():
		return ErrCancelled
	case t.rt.cancelling() && s.Shield() == 0:
		return ErrClosed
	}
	return nil
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
	if t.rt.contexts.count.Load() > 0 && t.ending() != nil { // partner: contexts.cancelAll, which looks at shields after the mode was set
		t.rt.contexts.cancel(t)
	}
}

// Yield lets other tasks run: everything else that is queued at this worker.
func (cx Cx) Yield() {
	cx.check("Yield")
	cx.stack.suspend(yielded)
}

// join waits for the end of t, or returns why it does not. The runner of cx calls it.
//
// If t is queued, it is run at once, on top of the calling task. In a fork-join that is every level of a deep stack, which the collector
// walks: so there is no function in between.
func (cx Cx) join(t *task) error {
	s := cx.stack
	cx.charge()
	if s.depth <= 0 {
		return cx.await(t)
	}
	w := s.worker
	var outcome taskstate.RunOutcome
	if w.slot.Load() == t && w.slot.CompareAndSwap(t, nil) {
		if outcome = t.state.ToRunning(); outcome == taskstate.RunStale {
			w.count.stale++
			t.stale()
		}
	} else {
		outcome = t.state.Claim()
	}
	if outcome == taskstate.RunStale {
		return cx.await(t)
	}
	if (outcome == taskstate.RunCancelled || w.rt.cancelling()) && w.stillborn(t, ErrCancelled) {
		return nil
	}
	w.polled()
	if next, suspended := t.body.(*stack); suspended {
		return cx.swap(t, next)
	}
	w.count.inlined++
	s.depth--
	ended := s.run(t)
	s.depth++
	if !ended {
		return cx.await(t)
	}
	return nil
}

// swap waits for the end of t, which was queued and has a stack of its own, next; the worker goes on there. The caller is t's runner.
func (cx Cx) swap(t *task, next *stack) error {
	j := cx.hand(t)
	if j == nil {
		return cx.await(t)
	}
	cx.stack.worker.resume = next
	return cx.suspendFor(t, j)
}

// hand makes the calling task one that waits for t, whose runner it is, and which is to be resumed next. It returns nil, and t to a
// queue, if the calling task is to end.
func (cx Cx) hand(t *task) (j *joiner) {
	handed := false
	defer func() {
		if !handed { // or Join panicked, because the handle has been detached
			t.state.Yield()
			cx.stack.worker.pushLocal(t)
		}
	}()
	if cx.task.ending() == nil {
		j = &joiner{waker: cx.task}
		t.wait(j)
		handed = true
	}
	return j
}

// await suspends the calling task until t has ended.
func (cx Cx) await(t *task) error {
	if t == cx.task {
		panic("runtime: Join: a task cannot wait for its own end")
	}
	if err := cx.task.ending(); err != nil {
		return err
	}
	j := &joiner{waker: cx.task}
	if !t.wait(j) {
		return nil
	}
	return cx.suspendFor(t, j)
}

// suspendFor suspends the calling task until t has ended, which j tells it, or it is to end itself.
func (cx Cx) suspendFor(t *task, j *joiner) error {
	for {
		cx.stack.suspend(waiting)
		if t.over() {
			return nil
		}
		if err := cx.task.ending(); err != nil {
			j.dead.Store(true)
			return err
		}
	}
}

const patience = 8 // budgets that a task may use up in a row while nobody but its own worker's ring waits

// charge is for a call that could have waited and did not need to.
func (cx Cx) charge() {
	s := cx.stack
	if s.budget--; s.budget < 0 {
		cx.spent()
	}
}

// spent is for a task that has used up its budget without leaving its stack: it lets others run, at once if somebody waits who cannot be
// stolen, else once in a while.
func (cx Cx) spent() {
	s := cx.stack
	w := s.worker
	s.budget = w.rt.config.taskBudget
	if w.tick.left <= 0 {
		w.endTick()
	}
	if s.rounds++; s.rounds >= patience || w.rt.injector.length.Load() > 0 {
		s.rounds = 0
		s.suspend(yielded)
	}
}
