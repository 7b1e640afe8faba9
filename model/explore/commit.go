package explore

// commit turns t's pending operation into the event at the present depth and applies it to the
// model of its object. t does the real operation afterwards.
func (e *engine) commit(t *thread) {
	d := e.depth
	ev := &e.stack[d]
	// A step of the prefix runs again. Its event exists and keeps its class: if the memory has
	// changed so that another class were right, the result will differ.
	again := d < e.plen-1
	if again && (ev.obj != t.obj || ev.op != t.op) {
		e.mismatch(t, ev)
	}
	ev.quiet = 0
	e.pending -= t.key
	if t.op.isAtomic() {
		e.runnable.remove(t.id)
	} else {
		e.depart(t, ev, again)
	}
	if !again {
		e.newEvent(t, ev)
	}
	if e.rec != nil {
		e.rec.commit(t, ev, d)
	}
	e.depth = d + 1
	beatEvery(d + 1)
	if t.obj >= 0 {
		e.noteOn(&e.objs[t.obj], t, ev, int32(d))
	}
	t.prev = int32(d)
	if !t.op.isAtomic() {
		t.chosen = ev.choice
		e.apply(t, int32(d))
	}
	if Race {
		e.goesOn()
	}
	if ev.idle != busy || !e.tired.empty() {
		e.noteIdle(t, ev, int32(d))
	} else {
		e.restedAt = int32(d)
	}
	if t.spin.on || t.op.takesCase() {
		e.lapNote(t, ev, int32(d))
	}
	if e.watched {
		e.noteEvent(t, ev, int32(d))
	}
}

// depart is what commit does first for an operation that is none of sync/atomic.
func (e *engine) depart(t *thread, ev *event, again bool) {
	m := &ops[t.op]
	if m.gated() {
		e.gated.remove(t.id)
	} else {
		e.runnable.remove(t.id)
	}
	if e.cfg.TimePasses && m.deadline != nil && e.follows == nil && t.bubble == nil {
		e.noteTie(t, ev, m)
	}
	if m.accesses == nil {
		return
	}
	if e.chanBegin(t); again {
		e.chanPrepare(t, ev.choice)
	}
}

// noteEvent tells those who watch of event d, which t has committed. An observer gets it with its
// result, from Leave or one of its kind if there is one.
func (e *engine) noteEvent(t *thread, ev *event, d int32) {
	if e.certificate != nil {
		e.certificate.event(e, t, ev, d)
	}
	if e.cfg.Observe != nil && !ops[t.op].leaves {
		e.observeCommitted(t)
	}
}

// newEvent fills in the event of a step that was not run before, and lets the search know of it.
func (e *engine) newEvent(t *thread, ev *event) {
	d, m := e.depth, &ops[t.op]
	c := m.class
	if m.resolve != nil {
		c = m.resolve(e, t)
	}
	ev.obj, ev.op, ev.class, ev.source, ev.seen = t.obj, t.op, c, -1, false
	if e.mixed {
		ev.fails = e.alwaysWrites(t) && !t.swaps()
	}
	if ev.choices == 0 {
		ev.choice, ev.choices = 0, 1
		if m.choices != nil {
			ev.choices = m.choices(e, t)
			ev.choice = e.firstChoice(ev.choices)
			if ev.idle == tiredRan && ev.choices > 1 && m.takes {
				e.takeInTurn(t, ev)
			}
		}
	}
	ev.preempt = 0
	ev.hash = 0x9ae16a3b2f90404f
	if d > 0 {
		before := &e.stack[d-1]
		ev.preempt, ev.hash = before.preempt, before.hash
		if int(before.tid) != t.id && e.node(ev, nodeEnabled).has(int(before.tid)) {
			ev.preempt++
		}
	}
	ev.hash ^= uint64(t.id&0xff) | uint64(t.op)<<8 | uint64(uint32(t.obj))<<16 | uint64(c)<<48 |
		uint64(ev.choice)<<52 ^ uint64(t.id>>8)<<40
	ev.hash *= 0x9E3779B97F4A7C15
	ev.hash ^= ev.hash >> 29
	ev.prevObj, ev.changed = -1, -1
	if t.obj >= 0 {
		o := &e.objs[t.obj]
		ev.prevObj, ev.changed, ev.state = o.last, e.lastChange(o.last), 0
		if m.before != nil {
			ev.state = m.before(o)
		}
	}
	ev.arg = int64(t.old)
	if m.wokenBy != nil {
		ev.source = m.wokenBy(e, t)
	}
	ev.value = ev.choice
	if m.accesses != nil {
		if e.chanPrepare(t, ev.choice); m.choices != nil {
			ev.value = t.chanOp.value
		}
	}
	switch {
	case e.reduce:
		if t.op == OpPoll && t.spin.on {
			e.notePoll()
		}
		if e.optimal && !e.isCertain(t, ev) {
			e.searchSimply()
		}
		e.searchFrom(t, ev, m)
	case e.rng.on:
		e.randomAfter(t, c)
	}
}

// lastChange returns the last event up to f, on the object of f, that changed it; -1 if there is
// none.
func (e *engine) lastChange(f int32) int32 {
	if f < 0 || e.stack[f].class.changes() {
		return f
	}
	return e.stack[f].changed
}

// before returns the last event before f, on the object of f, on which an operation of class c can
// depend: a read depends on changes only.
func (ev *event) before(c class) int32 {
	if c == read {
		return ev.changed
	}
	return ev.prevObj
}

// searchFrom finds the races of the new event and computes which threads sleep after it: those that
// slept or were explored before it, except the ones whose pending operation depends on it.
func (e *engine) searchFrom(t *thread, ev *event, m *operation) {
	d := e.depth
	switch {
	case ev.idle == tiredRan: // it comes last
	case m.accesses != nil:
		e.chanRaces(t, d)
		e.partnerInstead(t, ev)
	case t.obj >= 0:
		e.races(t, ev.class, d)
	}
	e.clockOf(t, ev, m, int32(d))
	if e.bounded {
		if m.gated() {
			e.waitsWithin(t, int32(d))
		}
		return // nothing sleeps (search_bounded.go)
	}
	asleep := e.node(ev, nodeSleep).union(e.node(ev, nodeDone))
	asleep.remove(t.id)
	for i := asleep.first(); i >= 0; i = asleep.next(i + 1) {
		u := e.threads[i]
		if e.sameObjectWakes(t, u, ev.class) ||
			m.accesses != nil && !u.choosesCase() && e.chanWakes(t, u) {
			asleep.remove(i)
		}
	}
	if e.selects {
		asleep = e.sleepingAfter(t, d, asleep)
	}
	e.sleep = asleep
}

// sameObjectWakes reports whether u's pending operation depends on t's, which has class c and is
// about to run, because both are on the same object.
func (e *engine) sameObjectWakes(t, u *thread, c class) bool {
	return e.shareMemory(t.obj, u.obj) && c.dependsOn(e.classOf(u))
}

// apply changes the model of the object as the operation does. The event is d; d is negative if
// there is none (quietStep).
func (e *engine) apply(t *thread, d int32) {
	switch m := &ops[t.op]; {
	case m.accesses != nil:
		e.chanApply(t, m, d)
	case m.apply != nil:
		m.apply(e, t, d)
	}
}

func (e *engine) grow() {
	n := max(256, 2*len(e.stack))
	s := make([]event, n)
	copy(s, e.stack)
	e.stack = s
	c := make([]int32, n*e.stride)
	copy(c, e.clk)
	e.clk = c
}
