package explore

import "slices"

// races finds the reversible races between earlier events and t's operation, which has class c and
// runs at depth d or is blocked there forever. For each of them it makes sure that the other order
// is explored.
//
// A race is a pair of dependent operations of different threads that no other chain of dependence
// orders. It is reversible if the second operation could have run before the first. A Lock that
// waited for an Unlock does not race with that Unlock, but with the Lock before it.
func (e *engine) races(t *thread, c class, d int) {
	if c == none {
		return
	}
	if e.bounded {
		e.racesWithin(t, c)
		return
	}
	e.cands = e.cands[:0]
	o := &e.objs[t.obj]
	for i := range o.recent {
		r := &o.recent[i]
		for k, f := range r.last {
			if f >= 0 && class(k).dependsOn(c) {
				e.lastRace(t, f)
			}
		}
	}
	if o.written >= 0 {
		e.racesBefore(t, c, o.written)
	}
	if e.overlaid {
		e.racesOverlapping(t, c)
	}
	if len(e.cands) > 1 {
		slices.SortFunc(e.cands, func(f, g int32) int { return int(g - f) })
	}
	n := 0
	for _, f := range e.cands {
		direct := true
		for _, g := range e.cands[:n] {
			if e.entry(g, e.stack[f].tid) > f {
				direct = false
				break
			}
		}
		if direct {
			e.cands[n] = f
			n++
		}
	}
	for _, f := range e.cands[:n] {
		e.reverse(int(f), d, t, c, false)
	}
}

// lastRace adds to cands the last event of a thread, of those of one class up to f, that does not
// happen before t's operation, and without which that could have run. It happens after the others.
func (e *engine) lastRace(t *thread, f int32) {
	enabledBefore := ops[t.op].enabledBefore
	for ; f >= 0 && !e.inPast(t.prev, f); f = e.stack[f].own {
		if enabledBefore == nil || enabledBefore(t, &e.stack[f], f) {
			e.cands = append(e.cands, f)
			return
		}
	}
}

// racesBefore adds the others to cands: a write and those before it. What comes before a write that
// t's operation comes after, or could have come before, comes before that, too.
func (e *engine) racesBefore(t *thread, c class, f int32) {
	enabledBefore := ops[t.op].enabledBefore
	for f >= 0 {
		fe := &e.stack[f]
		at := f
		f = fe.before(c)
		if !fe.class.dependsOn(c) {
			continue
		}
		if past := e.inPast(t.prev, at); !past {
			if enabledBefore != nil && !enabledBefore(t, fe, at) {
				continue
			}
			e.cands = append(e.cands, at)
		}
		if fe.class == write {
			return
		}
	}
}

// reverse makes sure that t's operation at depth d is also explored before event i. It adds to the
// backtracking set of node i one of the initials of notdep(i)·t, where notdep(i) are the events
// after i that do not happen after it (source sets: Abdulla, Aronis, Jonsson, Sagonas, POPL 2014).
// With alone, notdep(i) is reduced to the events in t's past.
func (e *engine) reverse(i, d int, t *thread, c class, alone bool) {
	if i < e.root {
		return // every thread is explored from there (search_part.go)
	}
	if e.bounded {
		e.reverseWithin(i, t.id)
		return
	}
	initials := e.initials(i, d, t, c, alone)
	if e.optimal && !e.stack[i].plain {
		e.noteRace(i, d, t, c, initials)
		return
	}
	e.backtrackTo(i, t.id, initials)
}

// backtrackTo makes sure that one of the initials is explored from node i, thread t if that is one.
func (e *engine) backtrackTo(i, t int, initials threadSet) {
	p := &e.stack[i]
	if initials.meets(e.node(p, nodeBack)) || initials.meets(e.node(p, nodeSleep)) {
		return
	}
	tired := initials.meets(e.node(p, nodeHeld))
	if initials = initials.intersection(e.node(p, nodeEnabled)); initials.empty() && tired {
		return // the other order is not that of a patient execution (thread_fair.go)
	}
	switch {
	case initials.empty():
		// Cannot happen while dependence is complete; explore everything
		// rather than miss a schedule.
		e.backAll(p)
	case initials.has(t):
		e.addTo(p, nodeBack, t)
	default:
		e.addTo(p, nodeBack, initials.first())
	}
}

// initials returns the threads whose first step in notdep(i)·t depends on no earlier step of that
// sequence. Each of them can begin an execution in which t's operation comes before event i.
func (e *engine) initials(i, d int, t *thread, c class, alone bool) (initials threadSet) {
	ptid, pmark := e.stack[i].tid, int32(i)+1
	for _, r := range e.seen {
		e.firsts[r] = 0
	}
	e.seen = e.seen[:0]
	if len(e.firsts) < e.n {
		e.firsts = make([]int32, 2*e.n)
	}
	blocked := false // an event of notdep(i) must come before t's
	for j := i + 1; j < d; j++ {
		q := &e.stack[j]
		if e.entry(int32(j), ptid) >= pmark {
			continue // happens after event i
		}
		if alone && !e.inPast(t.prev, int32(j)) {
			continue
		}
		if e.shareMemory(q.obj, t.obj) && q.class.dependsOn(c) ||
			t.op.isChan() && e.isDep(int32(j)) {
			blocked = true
		}
		if e.firsts[q.tid] != 0 {
			continue
		}
		if e.precededByNone(int32(j)) {
			initials.add(int(q.tid))
		}
		e.seen = append(e.seen, q.tid)
		e.firsts[q.tid] = int32(j) + 1
	}
	if !blocked && e.firsts[t.id] == 0 && (t.prev < 0 || e.precededByNone(t.prev)) {
		initials.add(t.id)
	}
	return initials
}

// precededByNone reports whether none of the first events of the threads in seen happens before
// event d or is it.
func (e *engine) precededByNone(d int32) bool {
	for _, r := range e.seen {
		if e.entry(d, r) >= e.firsts[r] {
			return false
		}
	}
	return true
}

// blockedRaces searches the operations that are blocked forever for races.
func (e *engine) blockedRaces() {
	for i := e.gated.first(); i >= 0; i = e.gated.next(i + 1) {
		t := e.threads[i]
		if t.obj >= 0 {
			e.races(t, e.classOf(t), e.depth)
		}
	}
	e.chanBlocked()
}

// toNext is backtrack after an execution that is counted.
func (e *engine) toNext() bool {
	if e.estimator != nil {
		e.estimator.observe(e)
	}
	return e.backtrack()
}

// backtrack sets the path to the next schedule: up to the deepest node that has something left to
// explore. It reports false if there is none.
func (e *engine) backtrack() bool {
	e.release(e.follow)
	e.follow = nil
	for d := e.depth - 1; d >= e.root; d-- {
		ev := &e.stack[d]
		if e.optimal {
			e.forgetRaces(d)
			e.leaveNode(d)
			if !e.unexplored(ev).empty() {
				e.noteTaken(d)
			}
		}
		if ev.choice+1 < ev.choices {
			ev.choice++
			e.plen = d + 1
			return true
		}
		for todo := e.unexplored(ev); !todo.empty(); todo = e.unexplored(ev) {
			i := e.nextBranch(d, todo)
			e.addTo(ev, nodeDone, i)
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
	if e.later && e.root <= e.depth {
		if ev := &e.stack[e.root-1]; ev.choice+1 < ev.choices {
			ev.choice++
			e.plen = e.root
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
