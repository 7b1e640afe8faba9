package explore

import "unsafe"

// Cond.Wait is two operations: the caller queues and unlocks its lock, then it waits to be chosen.
// The documentation of Cond promises no order: each waiter that a Signal may wake is explored.
func init() {
	ops[OpCondAdd] = operation{name: "Cond.Wait", class: write, apply: condAdd}
	ops[OpCondWait] = operation{
		name:    "Cond.Wait (woken)",
		enabled: wasSignalled,
		wokenBy: signalOf,
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
		e.threads[o.waiters[t.chosen]].signal = max(d, 0)
		o.waiters = append(o.waiters[:t.chosen], o.waiters[t.chosen+1:]...)
	}
}

func condBroadcast(e *engine, t *thread, d int32) {
	o := &e.objs[t.obj]
	for _, w := range o.waiters {
		e.threads[w].signal = max(d, 0)
	}
	o.waiters = o.waiters[:0]
}

// EnterCondWait waits until a Signal or Broadcast on the Cond at c has chosen the caller.
func EnterCondWait(c unsafe.Pointer) {
	Enter(nil, OpCondWait)
	condAcquire(c)
}

// CondEdge is called by Signal and Broadcast. It tells the race detector that they synchronize
// before the return of the Wait that they unblock.
func CondEdge(c unsafe.Pointer) { condRelease(c) }
