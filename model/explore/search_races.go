package explore

import "math/bits"

// races finds the reversible races between earlier events and t's operation, which has class c and
// runs at depth d or is blocked there forever. For each of them it makes sure that the other order
// is explored.
//
// A race is a pair of dependent operations of different threads that no other chain of dependence
// orders. It is reversible if the second operation could have run before the first. A Lock that
// waited for an Unlock does not race with that Unlock, but with the Lock before it.
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
		if enabledBefore != nil && !enabledBefore(t, fe, f) {
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

// reverse makes sure that t's operation at depth d is also explored before event i. It adds to the
// backtracking set of node i one of the initials of notdep(i)·t, where notdep(i) are the events
// after i that do not happen after it (source sets: Abdulla, Aronis, Jonsson, Sagonas, POPL 2014).
// With alone, notdep(i) is reduced to the events in t's past.
func (e *engine) reverse(i, d int, t *thread, c class, alone bool) {
	p := &e.stack[i]
	mine := uint64(1) << t.id
	initials := e.initials(i, d, t, c, alone)
	if initials&(p.back|p.sleep) != 0 {
		return
	}
	tired := initials&p.held != 0
	if initials &= p.enabled; initials == 0 && tired {
		return // the other order is not that of a patient execution (thread_fair.go)
	}
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

// initials returns the threads whose first step in notdep(i)·t depends on no earlier step of that
// sequence. Each of them can begin an execution in which t's operation comes before event i.
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
		if q.obj == t.obj && q.class.dependsOn(c) && t.obj >= 0 ||
			t.op.isChan() && e.isDep(int32(j)) {
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
	if !blocked && seen&mine == 0 &&
		(t.prev < 0 || precededByNone(e.clockAt(t.prev), seen, &first)) {
		initials |= mine
	}
	return initials
}

// precededByNone reports whether the clock c contains none of the first events of the threads in
// seen.
func precededByNone(c []int32, seen uint64, first *[maxThreads]int32) bool {
	for s := seen; s != 0; s &= s - 1 {
		r := bits.TrailingZeros64(s)
		if c[r] > first[r] {
			return false
		}
	}
	return true
}

// blockedRaces searches the operations that are blocked forever for races.
func (e *engine) blockedRaces() {
	for s := e.gated; s != 0; s &= s - 1 {
		t := e.threads[bits.TrailingZeros64(s)]
		if t.obj >= 0 {
			e.races(t, e.classOf(t), e.depth)
		}
	}
	e.chanBlocked()
}

// backtrack sets the path to the next schedule: up to the deepest node that has something left to
// explore. It reports false if there is none.
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
			if e.cfg.Preemptions >= 0 && e.preemptive(d, i) &&
				e.preemptionsBefore(d) >= e.cfg.Preemptions {
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
