package explore

import "math/bits"

// races finds the events that are in a reversible race with t's operation of
// class c, executed (or, at the end of a deadlocked execution, blocked) at
// depth d, and sees to it that each race is also explored the other way round.
//
// A race is a pair of dependent operations of different threads of which the
// first does not happen before the second by any other way. It is reversible
// if the second could have run before the first: a Lock that had to wait for
// an Unlock is not in a race with it, but with the Lock before that Unlock.
func (e *engine) races(t *thread, c class, d int) {
	f := e.objs[t.obj].last
	if f < 0 || c == none {
		return
	}
	var clk []int32
	if t.prev >= 0 {
		clk = e.clockAt(t.prev)
	}
	enabledBefore := ops[t.op].enabledBefore
	n := 0
	for f >= 0 {
		fe := &e.stack[f]
		next := fe.prevObj
		if !fe.class.dependsOn(c) {
			f = next
			continue
		}
		if clk != nil && clk[fe.tid] > f {
			if fe.class == write {
				break
			}
			f = next
			continue
		}
		if enabledBefore != nil && !enabledBefore(fe) {
			f = next
			continue
		}
		direct := true
		for _, g := range e.cands[:n] {
			if e.clockAt(g)[fe.tid] > f {
				direct = false
				break
			}
		}
		if direct {
			e.cands = append(e.cands[:n], f)
			n++
		}
		if fe.class == write {
			break
		}
		f = next
	}
	for _, f := range e.cands[:n] {
		e.reverse(int(f), d, t, c, false)
	}
}

// reverse adds to the node at depth i a thread from which t's operation at
// depth d can come before event i: one of the initials of notdep(i)·t (source
// sets, Abdulla, Aronis, Jonsson and Sagonas, POPL 2014). alone leaves out of
// notdep(i) what is not in t's past.
func (e *engine) reverse(i, d int, t *thread, c class, alone bool) {
	p := &e.stack[i]
	mine := uint64(1) << t.id
	initials := e.initials(i, d, t, c, alone)
	if initials&(p.back|p.sleep) != 0 {
		return
	}
	initials &= p.enabled
	switch {
	case initials == 0:
		// Cannot happen while dependence is complete; explore everything
		// rather than miss a schedule.
		p.back |= p.enabled &^ p.sleep
	case initials&mine != 0:
		p.back |= mine
	default:
		p.back |= initials & -initials
	}
}

// initials gives the threads whose first step in notdep(i)·t depends on none
// before it there: any of them can begin an execution in which t's operation comes
// before event i.
func (e *engine) initials(i, d int, t *thread, c class, alone bool) (initials uint64) {
	ptid, pmark := e.stack[i].tid, int32(i)+1
	var first [maxThreads]int32 // depth of a thread's first event in notdep(i)
	var seen uint64
	blocked := false // an event of notdep(i) must come before t's
	for j := i + 1; j < d; j++ {
		q := &e.stack[j]
		cj := e.clockAt(int32(j))
		if cj[ptid] >= pmark {
			continue // happens after event i
		}
		if alone && (t.prev < 0 || e.clockAt(t.prev)[q.tid] <= int32(j)) {
			continue
		}
		if q.obj == t.obj && q.class.dependsOn(c) && t.obj >= 0 || t.op.isChan() && e.isDep(int32(j)) {
			blocked = true
		}
		bit := uint64(1) << q.tid
		if seen&bit != 0 {
			continue
		}
		if precededByNone(cj, seen, &first) {
			initials |= bit
		}
		seen |= bit
		first[q.tid] = int32(j)
	}
	mine := uint64(1) << t.id
	if !blocked && seen&mine == 0 && (t.prev < 0 || precededByNone(e.clockAt(t.prev), seen, &first)) {
		initials |= mine
	}
	return initials
}

// precededByNone reports whether no thread of seen has its first event before
// what has the clock c.
func precededByNone(c []int32, seen uint64, first *[maxThreads]int32) bool {
	for s := seen; s != 0; s &= s - 1 {
		r := bits.TrailingZeros64(s)
		if c[r] > first[r] {
			return false
		}
	}
	return true
}

// blockedRaces does for operations that never ran, because their threads are
// blocked for ever, what races does for those that did.
func (e *engine) blockedRaces() {
	for s := e.gated; s != 0; s &= s - 1 {
		t := e.threads[bits.TrailingZeros64(s)]
		if t.obj >= 0 {
			e.races(t, e.classOf(t), e.depth)
		}
	}
	e.chanBlocked()
}

// backtrack sets the path to the next schedule to explore: the deepest node
// with something left. It reports false when there is none.
func (e *engine) backtrack() bool {
	for d := e.depth - 1; d >= 0; d-- {
		ev := &e.stack[d]
		if ev.choice+1 < ev.choices {
			ev.choice++
			e.plen = d + 1
			return true
		}
		todo := ev.back &^ ev.done &^ ev.sleep
		if !e.reduce {
			todo = ev.enabled &^ ev.done
		}
		for ; todo != 0; todo &= todo - 1 {
			i := bits.TrailingZeros64(todo)
			ev.done |= 1 << i
			if e.cfg.Preemptions >= 0 && e.preemptive(d, i) && e.preemptionsBefore(d) >= e.cfg.Preemptions {
				e.res.cut = true
				continue
			}
			ev.tid, ev.choice, ev.choices = int32(i), 0, 0 // choices are counted when it runs
			e.plen = d + 1
			return true
		}
	}
	return false
}

func (e *engine) preemptionsBefore(d int) int {
	if d == 0 {
		return 0
	}
	return int(e.stack[d-1].preempt)
}
