package explore

import "math/bits"

// The choices of a select sleep one by one: a choice that was explored need not run again until
// something happens that this choice depends on, whatever the other choices depend on. A thread
// sleeps if all of its choices do.
//
// If only some of them are woken, the thread runs for these, and every other thread is explored
// from that node, too. The reason: races of the choices that still sleep are not found at that
// node, and at the nodes where they are found, the threads that follow may sleep because of this
// node.

// sleeper is the set of sleeping choices of one thread: one bit for each case, and chooseNone for
// default.
type sleeper struct {
	tid   int32
	cases uint64
}

const (
	chooseNone = 1 << 63
	maxChoices = 63 // cases; a select with more wakes as a whole
)

// choosesCase reports whether t is about to choose among cases that can sleep one by one.
func (t *thread) choosesCase() bool {
	m := &ops[t.op]
	return m.takes && m.choices != nil && len(t.chanOp.cases) <= maxChoices
}

// sleepingChoices returns the choices of a thread that sleep at the node at depth d.
func (e *engine) sleepingChoices(d int, tid int) uint64 {
	if d < len(e.sleepSets) {
		for _, r := range e.sleepSets[d] {
			if int(r.tid) == tid {
				return r.cases
			}
		}
	}
	return 0
}

// keepSleepSet stores the sleeping choices of the new node at depth d.
func (e *engine) keepSleepSet(d int) {
	for len(e.sleepSets) <= d {
		e.sleepSets = append(e.sleepSets, nil)
	}
	e.sleepSets[d] = append(e.sleepSets[d][:0], e.nextSleepSet...)
}

// choicesNow returns the choices that t has in the present state.
func (e *engine) choicesNow(t *thread) uint64 {
	if t.found() {
		return 1 << t.chanOp.taken
	}
	out, sure := uint64(0), ops[t.op].gated()
	for i, c := range t.chanOp.cases {
		if e.can(t, c) {
			out |= 1 << i
			sure = sure || e.surely(c)
		}
	}
	if !sure || out == 0 {
		out |= chooseNone
	}
	return out
}

// sleepingAfter computes which choices still sleep after t's event at depth d, and returns the
// threads of sl that sleep as a whole.
func (e *engine) sleepingAfter(t *thread, d int, sl threadSet) threadSet {
	e.nextSleepSet = e.nextSleepSet[:0]
	who := sl
	if d < len(e.sleepSets) {
		for _, r := range e.sleepSets[d] {
			who.add(int(r.tid))
		}
	}
	who.remove(t.id)
	done := e.node(&e.stack[d], nodeDone)
	for i := who.first(); i >= 0; i = who.next(i + 1) {
		u := e.threads[i]
		if !u.choosesCase() {
			continue
		}
		now := e.choicesNow(u)
		asleep := now
		if !done.has(i) {
			asleep &= e.sleepingChoices(d, i)
		}
		if t.op.isChan() {
			for s := asleep; s != 0; s &= s - 1 {
				if b := bits.TrailingZeros64(s); e.wakesChoice(t, u, b) {
					asleep &^= 1 << b
				}
			}
		}
		sl.remove(i)
		if asleep != 0 {
			e.nextSleepSet = append(e.nextSleepSet, sleeper{int32(i), asleep})
			if asleep == now {
				sl.add(i)
			}
		}
	}
	return sl
}

// wakesChoice reports whether one choice of u depends on t's operation.
func (e *engine) wakesChoice(t, u *thread, choice int) bool {
	taken := int32(choice)
	if choice == 63 {
		taken = -1
	}
	e.pendingAcc = ops[u.op].accesses(e, u, e.pendingAcc[:0], taken)
	return e.anyDependent(e.pendingAcc, t.chanOp.acc)
}
