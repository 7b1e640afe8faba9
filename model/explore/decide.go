package explore

import "math/bits"

// pick decides which thread runs next, or returns one of the end codes. It is called when the next
// operation of every live thread is pending, on the stack of whichever thread is running.
func (e *engine) pick() int {
	d := e.depth
	if d < e.plen {
		ev := &e.stack[d]
		if ev.pending != e.pending {
			e.nondeterministic("at step %d of the same schedule other operations were about to run "+
				"than before (now %s)", d+1, e.pendingList())
			return endFailed
		}
		return int(ev.tid)
	}
	en := e.runnable
	for g := e.gated; g != 0; g &= g - 1 {
		i := bits.TrailingZeros64(g)
		if t := e.threads[i]; ops[t.op].enabled(e, t) {
			en |= 1 << i
		}
	}
	all, idle, forced := en, busy, uint64(0)
	if en == 0 || e.tired != 0 {
		if en, idle = e.fairly(en); en == 0 {
			return endBlocked
		}
		if e.stopped = idle != busy && e.onlyBackground(); e.stopped {
			return endBlocked
		}
		if idle == timeRan {
			forced = en
		}
	}
	if d >= e.cfg.MaxSteps {
		e.failure = e.endless()
		return endFailed
	}
	if d == len(e.stack) {
		e.grow()
	}
	cand := en &^ e.sleep
	if cand == 0 {
		return endPruned
	}
	cur := e.cur.id
	ch := cur
	switch {
	case e.replay != nil:
		ch = e.replayChoice(en)
		if ch < 0 {
			return endFailed
		}
	case e.rng.on:
		ch = e.randomChoice(en, cur)
	case cand>>cur&1 == 0:
		ch = bits.TrailingZeros64(cand)
	}
	ev := &e.stack[d]
	if e.selects && e.reduce {
		e.keepSleepSet(d)
	}
	*ev = event{tid: int32(ch), pending: e.pending, enabled: en, sleep: e.sleep,
		back: 1<<ch | forced, done: 1 << ch, held: all &^ en, idle: idle}
	return ch
}

// preemptive reports whether running thread ch at depth d preempts a thread that could continue.
func (e *engine) preemptive(d, ch int) bool {
	if d == 0 {
		return false
	}
	last := e.stack[d-1].tid
	return int(last) != ch && e.stack[d].enabled>>last&1 == 1
}

// classOf returns the class of t's pending operation in the present memory: a CompareAndSwap or
// TryLock that would fail only reads. While t sleeps the answer cannot change, because whatever
// would change it wakes t.
func (e *engine) classOf(t *thread) class {
	m := &ops[t.op]
	if m.resolve != nil {
		return m.resolve(e, t)
	}
	return m.class
}
