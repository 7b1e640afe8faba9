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
	en := e.enabledThreads()
	if e.bubbles != nil {
		en = en.union(e.timePasses())
	}
	idle, back, held := busy, threadSet{}, threadSet{}
	if en.empty() && e.gated.empty() { // every thread has ended
		return endBlocked
	}
	if en.empty() || !e.tired.empty() {
		all := en
		if en, idle = e.fairly(en); en.empty() {
			return endBlocked
		}
		held = all.without(en)
		if e.stopped = idle != busy && e.onlyBackground(); e.stopped {
			return endBlocked
		}
		if idle == timeRan {
			back = en
		}
	}
	if code, ends := e.endOfLong(idle); ends {
		return code
	}
	if d == len(e.stack) {
		e.grow()
	}
	cand := en.without(e.sleep)
	if cand.empty() {
		return endPruned
	}
	next := -1
	if e.optimal {
		var more threadSet
		next, more = e.beginNode(d, cand)
		back = back.union(more)
	}
	given := e.givenAt(d)
	ch, done := -1, threadSet{}
	switch {
	case given == nil:
		ch = e.choose(en, cand, next)
	case e.leadsOn(given, d, cand):
		ch, done = given.Thread, setOf(given.Done)
		back = back.union(setOf(given.Back))
	}
	if ch < 0 {
		return endFailed
	}
	ev := &e.stack[d]
	if e.selects && e.reduce {
		e.keepSleepSet(d)
	}
	back = back.union(e.tiesWith(e.threads[ch]).intersection(en))
	back.add(ch)
	done.add(ch)
	*ev = event{plain: e.isPlain(given, d)}
	ev.tid, ev.pending, ev.idle, ev.objs = int32(ch), e.pending, idle, int32(e.nobjs)
	ev.low[nodeEnabled], ev.low[nodeSleep], ev.low[nodeBack] = en.low, e.sleep.low, back.low
	ev.low[nodeDone], ev.low[nodeHeld] = done.low, held.low
	if e.n > wordThreads {
		e.setHigh(d, nodeHigh{en.high, e.sleep.high, back.high, done.high, held.high})
	}
	e.putBackBefore(d)
	return ch
}

// enabledThreads returns the threads whose pending operation can run.
func (e *engine) enabledThreads() threadSet {
	enabled := e.runnable
	for w := e.gated.low; w != 0; w &= w - 1 {
		if t := e.threads[bits.TrailingZeros64(w)]; ops[t.op].enabled(e, t) {
			enabled.low |= w & -w
		}
	}
	if e.gated.high != nil {
		enabled = enabled.union(e.gatedBeyondOneWord())
	}
	return enabled
}

// gatedBeyondOneWord returns the gated threads that are enabled, of those that a threadSet has no
// bit of its own for. It makes one set, not a new one for each thread.
func (e *engine) gatedBeyondOneWord() threadSet {
	enabled := make(highWords, len(*e.gated.high))
	for i := e.gated.next(wordThreads); i >= 0; i = e.gated.next(i + 1) {
		if t := e.threads[i]; ops[t.op].enabled(e, t) {
			k, bit := highPlace(i)
			enabled[k] |= bit
		}
	}
	return threadSet{high: trimmed(enabled)}
}

// choose returns the thread that runs next at a new node, where those of en are enabled and those
// of cand do not sleep; next is the one that the wakeup tree names, or -1. It returns -1 if a
// schedule that is replayed names one that cannot run, or a guide does not get where it leads.
func (e *engine) choose(en, cand threadSet, next int) int {
	cur := e.cur.id
	switch {
	case e.cfg.guide != nil:
		return e.cfg.guide.choose(e, en)
	case e.replay != nil:
		return e.replayChoice(en)
	case e.rng.on:
		return e.randomChoice(en, cur)
	case next >= 0:
		return next
	case !cand.has(cur):
		return cand.first()
	}
	return cur
}

// preemptive reports whether running thread ch at depth d preempts a thread that could continue.
func (e *engine) preemptive(d, ch int) bool {
	if d == 0 {
		return false
	}
	last := e.stack[d-1].tid
	return int(last) != ch && e.node(&e.stack[d], nodeEnabled).has(int(last))
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
