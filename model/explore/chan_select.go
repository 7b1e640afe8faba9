package explore

// ready reports whether a case can be taken without a partner who arrives.
func (e *engine) ready(c chanCase) bool {
	if c.obj < 0 {
		return false
	}
	ch := e.objs[c.obj].ch
	if ch.timer != nil {
		return !c.send && e.mayFire(ch.timer)
	}
	return ch.closed || c.send && ch.sent-ch.received < ch.cap || !c.send && ch.hasValue()
}

// anyReady reports whether one of t's cases is ready.
func (e *engine) anyReady(t *thread) bool {
	for _, c := range t.chanOp.cases {
		if e.ready(c) {
			return true
		}
	}
	return false
}

// surelyReady reports whether one of t's cases is ready and must be.
func (e *engine) surelyReady(t *thread) bool {
	for _, c := range t.chanOp.cases {
		if e.ready(c) && e.surely(c) {
			return true
		}
	}
	return false
}

// surely reports whether a case that is ready must be. A timer that is not due may fire, or may not
// have fired yet.
func (e *engine) surely(c chanCase) bool {
	tm := e.objs[c.obj].ch.timer
	return tm == nil || !e.isApart(tm.clock) && e.due(tm) && !tm.fires()
}

// can reports whether t can take the case now.
func (e *engine) can(t *thread, c chanCase) bool {
	if t.op == OpArrive {
		if _, ok := e.partner(t, c); ok {
			return true
		}
	}
	return e.ready(c)
}

// chanChoices counts the cases that t's operation chooses among, default included. Choices that
// sleep are left out.
func chanChoices(e *engine, t *thread) int32 {
	if t.found() {
		return 1
	}
	n, sure := int32(0), ops[t.op].gated()
	for i, c := range t.chanOp.cases {
		if e.can(t, c) {
			sure = sure || e.surely(c)
			if e.asleep>>i&1 == 0 {
				n++
			}
		}
	}
	if !sure && e.asleep&chooseNone == 0 {
		n += e.queueings(t)
	}
	return max(1, n)
}

// chooseCase returns the case with the number choice, -1 for default or for waiting, which are the
// first choice or the first few (queueings) if they can be chosen. Choices that sleep are not
// numbered; value is the number if they were.
func (e *engine) chooseCase(t *thread, choice int32) (taken, value int32) {
	sure := ops[t.op].gated()
	for _, c := range t.chanOp.cases {
		sure = sure || e.can(t, c) && e.surely(c)
	}
	if !sure {
		n := e.queueings(t)
		if e.asleep&chooseNone == 0 {
			if choice < n {
				t.chanOp.queueing = choice
				return -1, choice
			}
			choice -= n
		}
		value += n
	}
	for i, c := range t.chanOp.cases {
		if !e.can(t, c) {
			continue
		}
		if e.asleep>>i&1 == 0 {
			if choice == 0 {
				return int32(i), value
			}
			choice--
		}
		value++
	}
	return -1, 0
}
