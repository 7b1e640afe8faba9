package explore

import "unsafe"

// Enter is the scheduling point before an operation on *p. It reports whether
// the caller runs in a checked execution; if so the operation, done right
// after, is the one that was scheduled.
func Enter(p unsafe.Pointer, op Op) bool {
	e := eng
	if e == nil {
		return false
	}
	t := e.cur
	var mark byte
	if sp := uintptr(unsafe.Pointer(&mark)); !t.stack.holds(sp) && e.isForeign(t, sp) {
		return false
	}
	if e.quiet && e.quietStep(t, p, op) {
		return true
	}
	t.op, t.ptr = op, p
	e.step(t)
	return true
}

// EnterCAS is Enter for a CompareAndSwap of old to new on width bytes (4 or
// 8), which is a read if *p does not hold old.
func EnterCAS(p unsafe.Pointer, width uint8, old, new uint64) bool {
	if e := eng; e != nil {
		t := e.cur
		t.old, t.new, t.width = old, new, width
	}
	return Enter(p, OpCAS)
}

// EnterCASPointer is EnterCAS on a pointer.
func EnterCASPointer(p, old unsafe.Pointer) bool {
	return EnterCAS(p, uint8(unsafe.Sizeof(old)), uint64(uintptr(old)), 0)
}

// EnterCASFunc is EnterCAS where equal says whether *p holds the old value.
func EnterCASFunc(p unsafe.Pointer, equal func() bool) bool {
	if e := eng; e != nil {
		t := e.cur
		t.width, t.peek = 0, equal
	}
	return Enter(p, OpCAS)
}

// Leave notes the result of the operation that Enter announced. A result that
// differs when the same schedule runs again is nondeterminism.
func Leave(val uint64) {
	e := eng
	if e == nil || e.quiet {
		return
	}
	ev := &e.stack[e.depth-1]
	if e.depth < e.plen && ev.seen && ev.val != val && !e.aborting {
		e.fail(KindNondeterminism, "the same schedule gave another result: step %d, %s of %s, gave %#x before and %#x now; "+
			"the body depends on something the checker does not control (map order, a real clock, a random number, a global left over from the execution before, a real goroutine)",
			e.depth, ev.op, e.threads[ev.tid].name, ev.val, val)
	}
	ev.val, ev.seen = val, true
	if e.rec != nil {
		e.rec.value(val)
	}
	if e.cfg.Observe != nil {
		e.observe(e.cur, val)
	}
}

// LeavePointer is Leave for a pointer, whose value differs from one execution
// to the next.
func LeavePointer(p unsafe.Pointer) {
	e := eng
	if e == nil || e.quiet {
		return
	}
	if e.rec != nil {
		e.rec.text(e.rec.pointer(p))
	}
	if e.cfg.Observe != nil {
		e.observe(e.cur, 0)
	}
}

// LeaveValue is Leave for a result that is shown in lanes but not compared:
// pointers differ from one execution to the next.
func LeaveValue(format func() string) {
	e := eng
	if e == nil || e.quiet {
		return
	}
	if e.rec != nil {
		e.rec.text(format())
	}
	if e.cfg.Observe != nil {
		e.observe(e.cur, 0)
	}
}

func (e *engine) enterPlain(op Op) { Enter(nil, op) }

// step announces t's pending operation, lets the search decide who runs, and
// returns when it is t's turn.
func (e *engine) step(t *thread) {
	if e.aborting {
		panic(abort{})
	}
	info := &ops[t.op]
	t.obj = -1
	if t.ptr != nil {
		t.obj = e.object(t.ptr)
	}
	if info.gated {
		e.gated |= 1 << t.id
	} else {
		e.runnable |= 1 << t.id
	}
	t.key = (uint64(uint32(t.obj))<<16 | uint64(t.op)<<8 | uint64(t.id) + 1) * 0x9E3779B97F4A7C15
	e.pending += t.key
	if e.rec != nil {
		e.rec.announce(t)
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

// quietStep handles an operation while no other thread can observe it. It
// reports false when the operation must be a scheduling point after all.
func (e *engine) quietStep(t *thread, p unsafe.Pointer, op Op) bool {
	if e.aborting {
		panic(abort{})
	}
	e.quietOps++
	if e.quietOps > e.cfg.MaxSteps {
		e.fail(KindLivelock, "no end after %d operations of the only goroutine that is left: livelock, or a body that never ends", e.quietOps)
	}
	if op <= OpCAS {
		t.spin.effects = t.spin.effects || op != OpLoad
		return true
	}
	if op == OpChoose {
		return false
	}
	t.op, t.ptr, t.obj = op, p, -1
	if p != nil {
		t.obj = e.object(p)
	}
	if ops[op].gated && !e.enabled(t) {
		e.quiet = false
		return false
	}
	if op.isChan() {
		e.lateDue, e.asleep = -1, 0
		if op.chooses() && e.choicesOf(t) > 1 {
			return false
		}
		e.chanPrepare(t, 0)
	}
	if op == OpCondSignal {
		t.choices = max(1, int32(len(e.objs[t.obj].waiters)))
		if t.choices > 1 {
			return false
		}
		t.chosen = 0
	}
	t.spin.effects = true
	e.apply(t, -1)
	return true
}
