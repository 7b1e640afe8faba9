package explore

// clockOf computes the clock of ev, which is t's event at depth d: for each thread, 1 + the depth
// of its last event that happens before ev or is ev.
func (e *engine) clockOf(t *thread, ev *event, d int) {
	c := e.clockAt(int32(d))
	if t.prev >= 0 {
		copy(c, e.clockAt(t.prev))
	} else {
		clear(c)
	}
	switch {
	case ev.idle == tiredRan: // after everything
		e.joinAll(c)
	case t.op.isChan():
		e.chanClock(t, ev, c)
	case t.obj >= 0:
		for f := ev.prevObj; f >= 0; {
			fe := &e.stack[f]
			if fe.class.dependsOn(ev.class) && c[fe.tid] <= f {
				join(c, e.clockAt(f))
			}
			if fe.class == write {
				break
			}
			f = fe.prevObj
		}
	case ev.source >= 0:
		join(c, e.clockAt(ev.source))
	}
	if past := ops[t.op].past; past != nil {
		past(e, t, c)
	}
	c[t.id] = int32(d) + 1
}

// joinAll adds everything that has happened so far to the clock c.
func (e *engine) joinAll(c []int32) {
	for i := range e.n {
		if p := e.threads[i].prev; p >= 0 {
			join(c, e.clockAt(p))
		}
	}
}

// join raises each entry of c to that of o.
func join(c, o []int32) {
	o = o[:len(c)]
	for i, v := range o {
		if v > c[i] {
			c[i] = v
		}
	}
}

// clockAt returns the clock of the event at depth d.
func (e *engine) clockAt(d int32) []int32 {
	i := int(d) * e.stride
	return e.clk[i : i+e.stride : i+e.stride]
}

// widen doubles the number of threads that every clock has room for.
func (e *engine) widen() {
	old, s := e.clk, e.stride
	e.stride *= 2
	e.clk = make([]int32, len(e.stack)*e.stride)
	for d := range e.stack {
		copy(e.clk[d*e.stride:], old[d*s:d*s+s])
	}
}

// before reports whether event a happens before event b; ordered, whether either happens before the
// other.
func (e *engine) before(a, b int32) bool { return e.clockAt(b)[e.stack[a].tid] > a }

func (e *engine) ordered(a, b int32) bool { return e.before(a, b) || e.before(b, a) }

// lastOf returns the last event of thread i, -1 if it has none.
func (e *engine) lastOf(i int) int32 {
	u := e.threads[i]
	if u.prev >= 0 && int(e.stack[u.prev].tid) != i {
		return -1 // it did nothing: its clock is its parent's
	}
	return u.prev
}

// checkDominance turns scheduling off when every other thread has ended and all that they did
// happens before t: then nothing can overlap with what t does from here on.
func (e *engine) checkDominance(t *thread) {
	if e.alive != 1<<t.id || !e.reduce || e.rec != nil || e.certificate != nil ||
		e.unstarted > 0 || t.prev < 0 {
		return
	}
	c := e.clockAt(t.prev)
	for i := 0; i < e.n; i++ {
		if i != t.id && e.lastOf(i) >= 0 && c[i] <= e.lastOf(i) {
			return
		}
	}
	e.quiet = true
}
