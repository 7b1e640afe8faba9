package explore

// Cond.Wait is two operations: the caller queues and unlocks its lock, then it waits to be chosen.
// The documentation of Cond promises no order: each waiter that a Signal may wake is explored.
func init() {
	ops[OpCondAdd] = operation{name: "Cond.Wait", class: write, apply: condAdd}
	ops[OpCondWait] = operation{
		name:    "Cond.Wait",
		enabled: wasSignalled,
		wokenBy: signalOf,
		detail:  func(*thread, *event) string { return "woken" },
	}
	ops[OpCondSignal] = operation{
		name:    "Cond.Signal",
		class:   write,
		choices: condChoices,
		apply:   condSignal,
	}
	ops[OpCondBroadcast] = operation{name: "Cond.Broadcast", class: write, apply: condBroadcast}
}

// wasSignalled enables operations that wait for an event of another thread, which stores the event
// in signal. signalOf returns that event.
func wasSignalled(_ *engine, t *thread) bool { return t.signal >= 0 }
func signalOf(_ *engine, t *thread) int32    { return t.signal }

func condAdd(e *engine, t *thread, _ int32) {
	t.signal = -1
	o := &e.objs[t.obj]
	o.waiters = append(o.waiters, int32(t.id))
}

func condChoices(e *engine, t *thread) int32 {
	return max(1, int32(len(e.objs[t.obj].waiters)))
}

func condSignal(e *engine, t *thread, d int32) {
	if o := &e.objs[t.obj]; len(o.waiters) > 0 {
		e.wake(t, o.waiters[t.chosen], d)
		o.waiters = append(o.waiters[:t.chosen], o.waiters[t.chosen+1:]...)
	}
}

func condBroadcast(e *engine, t *thread, d int32) {
	o := &e.objs[t.obj]
	for _, w := range o.waiters {
		e.wake(t, w, d)
	}
	o.waiters = o.waiters[:0]
}

// wake ends the wait of thread w by t's event d. For the race detector that comes before the return
// of this Wait, and of no other one.
func (e *engine) wake(t *thread, w, d int32) {
	u := e.threads[w]
	e.mustWake(t, u)
	u.signal = max(d, 0)
	t.releaseTo(&u.woken)
}

// EnterCondWait waits until a Signal or Broadcast has chosen the caller.
func EnterCondWait() {
	Enter(nil, OpCondWait)
	eng.cur.acquireFrom(&eng.cur.woken)
}
