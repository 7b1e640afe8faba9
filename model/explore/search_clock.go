package explore

// The clock of an event has an entry for each thread: 1 + the depth of its last event that happens
// before this event or is it, 0 if there is none. The entries of threads 0 to 63 lie side by side
// in engine.clk. Those of the others are in pages, which clocks share: a clock copies the list of
// the pages of an earlier one, and makes new ones where it differs. So most of what n threads with
// k events have in their clocks is one page for an event, and not n entries.

// clockPage has the entries of wordThreads threads. It does not change once a clock has it.
type clockPage [wordThreads]int32

// clockOf computes the clock of ev, which is t's event at depth d. m is its operation.
func (e *engine) clockOf(t *thread, ev *event, m *operation, d int32) {
	c := e.lowEntries(d)
	if t.prev >= 0 {
		copy(c, e.lowEntries(t.prev))
	} else {
		clear(c)
	}
	if e.pages != nil {
		e.beginPages(d, t.prev)
	}
	switch {
	case ev.idle == tiredRan: // after everything
		e.joinAll(d)
	case m.accesses != nil:
		e.chanClock(t, ev, d)
	case t.obj >= 0:
		o := &e.objs[t.obj]
		for i := range o.recent {
			r := &o.recent[i]
			for k, f := range r.last {
				if f >= 0 && class(k).dependsOn(ev.class) && e.entryIn(c, d, r.tid) <= f {
					e.join(d, f)
				}
			}
		}
		if f := o.written; f >= 0 && write.dependsOn(ev.class) &&
			e.entryIn(c, d, e.stack[f].tid) <= f {
			e.join(d, f)
		}
		if e.overlaid {
			e.joinOverlapping(t.obj, ev.class, d)
		}
	case ev.source >= 0:
		e.join(d, ev.source)
	}
	if m.past != nil {
		m.past(e, t, d)
	}
	if t.id < len(c) {
		c[t.id] = d + 1
	} else {
		e.setInPage(d, t.id)
	}
}

// beginPages gives the clock of event d the pages of event prev; prev is -1 for none.
func (e *engine) beginPages(d, prev int32) {
	for len(e.pages) <= int(d) {
		e.pages = append(e.pages, nil)
	}
	e.pages[d] = e.pages[d][:0]
	if prev >= 0 {
		e.joinPages(d, prev)
	}
}

// setInPage sets the entry of thread i, whose event d is, in the clock of that event.
func (e *engine) setInPage(d int32, i int) {
	k := i/wordThreads - 1
	for len(e.pages[d]) <= k {
		e.pages[d] = append(e.pages[d], nil)
	}
	p := clockPage{}
	if old := e.pages[d][k]; old != nil {
		p = *old
	}
	p[i%wordThreads] = d + 1
	e.pages[d][k] = &p
}

// joinAll adds everything that has happened so far to the clock of event d.
func (e *engine) joinAll(d int32) {
	for i := range e.n {
		if p := e.threads[i].prev; p >= 0 {
			e.join(d, p)
		}
	}
}

// join adds event f, and what happens before it, to the clock of event d.
func (e *engine) join(d, f int32) {
	join(e.lowEntries(d), e.lowEntries(f))
	if e.pages != nil {
		e.joinPages(d, f)
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

// joinPages is join for the pages. It takes them one by one, as the runtime reports a copy of
// several pointers to the race detector.
func (e *engine) joinPages(d, f int32) {
	own := e.pages[d]
	for k, p := range e.pages[f] {
		if k == len(own) {
			own = append(own, nil)
		}
		own[k] = own[k].join(p)
	}
	e.pages[d] = own
}

// join returns a page of which each entry is the larger one of those of a and b.
func (a *clockPage) join(b *clockPage) *clockPage {
	switch {
	case a == b || b == nil:
		return a
	case a == nil:
		return b
	}
	p, isA, isB := *a, true, true
	for i, v := range b {
		isA = isA && v <= p[i]
		isB = isB && v >= p[i]
		p[i] = max(p[i], v)
	}
	switch {
	case isA:
		return a
	case isB:
		return b
	}
	return &p
}

// lowEntries returns the first entries of the clock of event d.
func (e *engine) lowEntries(d int32) []int32 {
	i := int(d) * e.stride
	return e.clk[i : i+e.stride : i+e.stride]
}

// entry returns the entry of thread i in the clock of event d.
func (e *engine) entry(d, i int32) int32 {
	if int(i) < e.stride {
		return e.clk[int(d)*e.stride+int(i)]
	}
	return e.highEntry(d, i)
}

// entryIn is entry where the first entries are at hand.
func (e *engine) entryIn(low []int32, d, i int32) int32 {
	if int(i) < len(low) {
		return low[i]
	}
	return e.highEntry(d, i)
}

// highEntry is entry for threads that have no entry in engine.clk.
//
//go:noinline
func (e *engine) highEntry(d, i int32) int32 {
	k := int(i)/wordThreads - 1
	if int(d) >= len(e.pages) || k >= len(e.pages[d]) || e.pages[d][k] == nil {
		return 0
	}
	return e.pages[d][k][i%wordThreads]
}

// widen doubles the number of threads that every clock has room for in engine.clk.
func (e *engine) widen() {
	old, s := e.clk, e.stride
	e.stride *= 2
	e.clk = make([]int32, len(e.stack)*e.stride)
	for d := range e.stack {
		copy(e.clk[d*e.stride:], old[d*s:d*s+s])
	}
}

// before reports whether event a happens before event b, or is it.
func (e *engine) before(a, b int32) bool { return e.entry(b, e.stack[a].tid) > a }

// inPast reports whether event a happens before event b or is it; b is -1 for the event of a thread
// that has no past.
func (e *engine) inPast(b, a int32) bool { return b >= 0 && e.before(a, b) }

// ordered reports whether either event happens before the other.
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
	if !e.alive.has(t.id) || e.alive.count() > 1 || !e.reduce || e.rec != nil ||
		e.certificate != nil || e.cfg.AllSteps || e.unstarted > 0 || t.prev < 0 {
		return
	}
	for i := 0; i < e.n; i++ {
		if i != t.id && e.lastOf(i) >= 0 && e.entry(t.prev, int32(i)) <= e.lastOf(i) {
			return
		}
	}
	e.quiet = true
}
