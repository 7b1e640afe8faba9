package explore

import "unsafe"

// Enter is the scheduling point before the operation op on *p; p is nil for operations without an
// object. With Wide, the operation is one of sync/atomic on 8 bytes. Enter returns when the search
// lets the operation run, and the caller does the real operation right afterwards. It reports false
// outside of an execution.
func Enter(p unsafe.Pointer, op Op) bool {
	e := eng
	if e == nil {
		return false
	}
	if e.cfg.Before != nil {
		return enterBelow(p, op)
	}
	word := op & (Wide | pointing)
	op &^= Wide | pointing
	// What enterAlone does, here: where control changes hands, each call in between costs more than
	// it does elsewhere, as the processor does not foresee where it returns to.
	t := e.cur
	var mark byte
	if sp := uintptr(unsafe.Pointer(&mark)); !t.stack.holds(sp) && e.isUncontrolled(t, sp) {
		return false
	}
	if e.quiet && e.quietStep(t, p, op, word) {
		return true
	}
	if p == nil && op >= OpLoad && op <= OpOnceDone {
		_ = *(*byte)(p) // panics here, where the program may recover
	}
	t.op, t.ptr, t.word = op, p, word
	e.step(t)
	return true
}

// Leave records the result of the operation that Enter announced, for lanes and Config.Observe. If
// the result differs from that of the same step in an earlier run of the same schedule, the
// execution fails as nondeterministic.
func Leave(val uint64) {
	if e := eng; e == nil || e.quiet {
		return
	} else if e.cfg.Before != nil {
		leaveBelow(val)
		return
	}
	leave(val)
}

func leave(val uint64) {
	e := eng
	ev := &e.stack[e.depth-1]
	if e.depth < e.plen && ev.seen && ev.val != val && !e.aborting {
		e.differentResult(ev, val)
	}
	ev.val, ev.seen = val, true
	if e.watched || len(e.cur.spin.laps) > 0 {
		e.noteResult(ev)
	}
}

// noteResult tells those who watch, and the loops of the thread, the result of the last event, ev.
func (e *engine) noteResult(ev *event) {
	e.lapResult(e.cur, ev.did(), ev.val, false)
	if e.rec != nil {
		e.rec.value(ev, ev.val)
	}
	if e.cfg.Observe != nil {
		e.observe(e.cur, ev.val)
	}
}

// LeavePointer is Leave for a pointer. Pointers are not compared: they differ between executions.
func LeavePointer(p unsafe.Pointer) {
	if e := eng; e == nil || e.quiet {
		return
	} else if e.cfg.Before != nil {
		leavePointerBelow(p)
		return
	}
	leavePointer(p)
}

func leavePointer(p unsafe.Pointer) {
	e := eng
	e.lapResult(e.cur, e.stack[e.depth-1].class, uint64(uintptr(p)), true)
	if e.rec != nil {
		e.rec.text(e.rec.pointer(p))
	}
	if e.cfg.Observe != nil {
		e.observe(e.cur, 0)
	}
}

// LeaveValue is Leave for a result that is shown in lanes but not compared.
func LeaveValue(format func() string) {
	if e := eng; e == nil || e.quiet {
		return
	} else if e.cfg.Before != nil {
		leaveValueBelow(format)
		return
	}
	leaveValue(format)
}

func leaveValue(format func() string) {
	e := eng
	e.lapResult(e.cur, e.stack[e.depth-1].class, 0, true)
	if e.rec != nil {
		e.rec.text(format())
	}
	if e.cfg.Observe != nil {
		e.observe(e.cur, 0)
	}
}

// step makes t's operation pending, lets the search decide which thread runs, and returns when t's
// operation has been committed.
func (e *engine) step(t *thread) {
	if e.aborting {
		panic(abort{})
	}
	if len(t.spin.laps) > 0 && e.tired.has(t.id) {
		e.restIfNew(t)
	}
	t.obj = -1
	if t.ptr != nil {
		if e.overlaid {
			t.obj = e.overlaidObject(t)
		} else {
			t.obj = e.object(t.ptr)
		}
		if e.meetsOld && t.op.isAtomic() {
			e.lookAt(t.ptr, OpNone, t.word)
		}
	}
	if t.op.isAtomic() {
		e.runnable.add(t.id)
	} else {
		e.arrive(t)
	}
	t.key = (uint64(uint32(t.obj))<<32 | uint64(t.op)<<24 | uint64(t.id) + 1) * 0x9E3779B97F4A7C15
	e.pending += t.key
	if Race && e.bubbles != nil {
		e.hasCome()
	}
	if e.rec != nil {
		e.rec.announce(t)
	}
	if e.follows != nil {
		e.stepFollowing(t)
		return
	}
	n := endStart
	if !e.starting && e.unstarted == 0 {
		if d := e.depth; d < e.plen && e.stack[d].pending == e.pending {
			n = int(e.stack[d].tid)
		} else {
			n = e.pick()
		}
	}
	if n != t.id {
		e.next = n
		e.handOff(t)
		if e.aborting {
			panic(abort{})
		}
	}
	e.commit(t)
}

// arrive is what step does for an operation that is none of sync/atomic.
func (e *engine) arrive(t *thread) {
	if t.obj >= 0 {
		e.meet(t)
	}
	if ops[t.op].gated() {
		t.parks()
		e.gated.add(t.id)
	} else {
		e.runnable.add(t.id)
	}
}

// quietStep handles an operation while only one thread can affect the result. It reports false if
// the operation must be a scheduling point after all, because it chooses or blocks, or there were
// too many.
func (e *engine) quietStep(t *thread, p unsafe.Pointer, op, word Op) bool {
	if e.aborting {
		panic(abort{})
	}
	if e.follows != nil && !e.follows.quietly(t) {
		return false
	}
	e.quietOps++
	beatEvery(e.quietOps)
	if e.quietOps > e.cfg.MaxSteps { // as events they are compared: it may be a loop that waits
		e.quiet = false
		return false
	}
	if op.isAtomic() {
		if e.meetsOld && p != nil {
			e.lookAt(p, op, word)
		}
		t.spin.effects = t.spin.effects || op != OpLoad
		*e.quietAfter(t)++
		return true
	}
	if op == OpChoose {
		return false
	}
	t.op, t.ptr, t.obj = op, p, -1
	if p != nil {
		t.obj = e.object(p)
		e.meet(t)
	}
	m := &ops[op]
	if m.accesses != nil {
		e.forced, e.forcedDue, e.asleep = &e.clock, e.dueAlone(t, m), 0
	}
	blocked := m.gated() && !m.enabled(e, t)
	if blocked || m.choices != nil && m.choices(e, t) > 1 {
		// Many choices may be a loop that waits: then its iterations are compared.
		e.quiet, e.forcedDue = e.quiet && !blocked && e.depth < mostChosen, -1
		return false
	}
	t.chosen = 0
	if m.accesses != nil {
		e.chanPrepare(t, 0)
	}
	t.spin.effects = true
	*e.quietAfter(t)++
	e.apply(t, -1)
	return true
}

// quietAfter counts the operations of t since its last event, which were no events.
func (e *engine) quietAfter(t *thread) *int32 {
	if d := e.lastOf(t.id); d >= 0 {
		return &e.stack[d].quiet
	}
	return &t.quietOps
}
