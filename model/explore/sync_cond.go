package explore

import "unsafe"

// Cond.Wait is two operations: the caller queues, unlocks its lock, and waits to
// be chosen. Signal explores every waiter that it may wake: the documentation of
// Cond promises no order.
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

// wasSignalled is the gate of operations that wait until another thread has noted
// in signal the event that lets them go on; signalOf gives that event.
func wasSignalled(_ *engine, t *thread) bool { return t.signal >= 0 }
func signalOf(t *thread) int32               { return t.signal }

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

// EnterCondWait waits until a Signal or Broadcast on the Cond at c has chosen
// the caller.
func EnterCondWait(c unsafe.Pointer) {
	Enter(nil, OpCondWait)
	condAcquire(c)
}

// CondEdge makes what follows a wake-up synchronize after the Signal that
// caused it, as the documentation of Cond promises.
func CondEdge(c unsafe.Pointer) { condRelease(c) }
