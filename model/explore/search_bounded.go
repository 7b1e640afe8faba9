package explore

// Reduction within a bound on preemptions. Coons, Musuvathi, McKinley: Bounded Partial-Order
// Reduction, OOPSLA 2013.
//
// A preemption is a switch away from a thread that could go on, which means that it is in the set
// nodeEnabled. There it is also while its timeout may come early, but not while it is tired and
// others can run (thread_fair.go).
//
// Of each trace that some schedule within the bound has, such a schedule is run. (The paper proves
// that every state of each thread is reached. Random programs are held to the traces.) It need not
// be the schedule that the reversal of a race leads to: that may cost a preemption too many where
// another one of the same trace does not. So more is explored than without a bound:
//
//   - Each race is reversed in two places, before its first event, and before the block of that
//     event: the steps in a row of its thread. In the middle of a block a switch is a preemption.
//     At its beginning there was a switch already, so that any thread can run there for what the
//     block has cost.
//   - An event races with the last event of each other thread that it depends on, unless that
//     happens before the one before it in its own thread. Without a bound, the races between whose
//     events a third one stands follow from the reversals of the races with that one. Here those
//     may be beyond the bound.
//   - The events that let an operation go on are taken for races with it, though it cannot come
//     before them: if it begins to wait before they happen, the switch away from its thread is no
//     preemption.
//   - If the second thread cannot run where it should, every thread that can is explored there.
//   - Nothing sleeps. What was explored from a node above may have cost more there than it would
//     here, and have been cut short.
//
// The first schedule from a node goes on with the same thread for as long as it can, so that it
// costs nothing.
//
// A trace may be run several times: of the executions of the runtime's checks, a third to a half
// are repetitions. But a thread is preempted only where something depends on it, not at each of its
// steps.
//
// Rejected: to leave out nodes that were reached before, by another schedule of the same events and
// for no more preemptions. The races of what follows there were reversed in that schedule, at the
// costs there, and not in this one.

// racesWithin is races for a search within a bound.
func (e *engine) racesWithin(t *thread, c class) {
	e.racesWithinOn(&e.objs[t.obj], t, c)
	for _, i := range e.overlapping(t.obj) {
		e.racesWithinOn(&e.objs[i], t, c)
	}
}

// racesWithinOn is racesWithin for the events on object o. It ends at an event of t before which
// all has happened that the operation depends on: else a loop costs the square of its iterations.
func (e *engine) racesWithinOn(o *object, t *thread, c class) {
	enabledBefore := ops[t.op].enabledBefore
	others := e.n - 1
	var seen threadSet
	for f := o.last; f >= 0 && others > 0; f = e.stack[f].prevObj {
		q := &e.stack[f]
		if int(q.tid) == t.id && q.class.covers(c) {
			return
		}
		if int(q.tid) == t.id || seen.has(int(q.tid)) || !q.class.dependsOn(c) {
			continue
		}
		past := e.inPast(t.prev, f)
		if !past && enabledBefore != nil && !enabledBefore(t, q, f) {
			continue
		}
		if !past {
			e.reverseWithin(int(f), t.id)
		}
		seen.add(int(q.tid))
		others--
	}
}

// waitsWithin is for an operation that may have waited, which event d is: it makes sure that t
// also begins to wait before what let it go on.
func (e *engine) waitsWithin(t *thread, d int32) {
	for u := range e.n {
		f := e.entry(d, int32(u)) - 1
		if u != t.id && f >= 0 && !e.inPast(t.prev, f) {
			e.reverseWithin(int(f), t.id)
		}
	}
}

// reverseWithin makes sure that thread t is explored before event i and before the block of i.
func (e *engine) reverseWithin(i, t int) {
	e.exploreWithin(i, t)
	first := i
	for first > 0 && e.stack[first-1].tid == e.stack[i].tid {
		first--
	}
	if first < i {
		e.exploreWithin(first, t)
	}
}

// exploreWithin makes sure that thread t is explored from node i, or every thread if t cannot run.
func (e *engine) exploreWithin(i, t int) {
	if p := &e.stack[i]; e.node(p, nodeEnabled).has(t) {
		e.addTo(p, nodeBack, t)
	} else {
		e.backAll(p)
	}
}
