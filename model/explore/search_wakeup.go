package explore

// Wakeup trees.
//
// A race of event i with a later operation o asks for an execution in which o comes before i. If
// only the first step of that execution is fixed, the search may go on from there in a way that
// turns out to be redundant: it comes to a node where everything that can run sleeps. So a race
// names the whole way to the other order, a sequence of events that do not happen after i, and then
// o. It is inserted at the node of i unless it has a weak initial that sleeps there or was explored
// from there. A weak initial is a thread whose step at that node
//
//   - is in the sequence and depends on nothing before it there, or
//   - is not in the sequence and independent of all of it.
//
// What begins with the sequence begins, in another order, with that step, too. Each step that
// sleeps at the node of i therefore depends on something in an inserted sequence. So nothing sleeps
// at its end, and no execution is cut short (Abdulla, Aronis, Jonsson, Sagonas: Optimal Dynamic
// Partial Order Reduction, POPL 2014).
//
// The sequences that are to be explored from a node are a tree (wakeNode). A new one goes down
// along the first children that are weak initials of what is left of it. It is not enough to leave
// what begins with a child to the executions from there: a step that sleeps in them can keep them
// from an order that was left to them because of the same child.
//
// There are two sequences for a race. The short one has the events before o, and then o. It is
// inserted as soon as the execution has ended, if all that sleeps depends on it. If not, the long
// one has all events of the execution, and o at its end: what wakes a sleeping step may come later
// than o. It differs between the executions that have a common beginning with o. So such a race
// stays in engine.raced until no further execution begins like this. A race stays, too, if its
// sequence went down along a child that is not in it.
//
// A step of the tree is of an earlier execution. Threads that began after the node had other
// numbers in it, so a step has the label of its thread (nameThread). Objects may also have had
// other numbers (present), and what o does to a channel that is closed is not known before it comes
// first. If it is therefore not known whether a thread is a weak initial, the sequence is inserted
// as if it were none, and also as if it were one (addBelow). What it leads to may be redundant, and
// something may sleep at its end, so that others can continue it (wakeNode.sure).
//
// A sequence is advice: it ends where its next thread cannot run, and the search goes on as if
// there were none.

// certain has the operations of which it is known, before they run, on what they depend: everything
// that can differ between two orders is in the accesses and in the order of their numbers, or in
// the class, which is known to be either of two (classInstead). A program with others is searched
// without wakeup trees, by backtracking sets: one initial of each race is explored, which may turn
// out to be redundant (backtrackTo).
var certain = [opCount]bool{
	OpLoad: true, OpStore: true, OpSwap: true, OpAdd: true, OpAnd: true, OpOr: true, OpCAS: true,
	OpLock: true, OpUnlock: true, OpTryLock: true,
	OpRWAnnounce: true, OpRWLock: true, OpRWUnlock: true, OpRLock: true, OpRUnlock: true,
	OpWGAdd: true, OpWGLook: true, OpWGWait: true,
	OpOnce: true, OpOnceDone: true,
	OpCondAdd: true, OpCondWait: true, OpCondBroadcast: true,
	OpMapLoad: true, OpMapStore: true, OpMapUpdate: true, OpMapRange: true, OpPoolPut: true,
	OpJoin: true, OpCall: true, OpReturn: true,
	OpSend: true, OpRecv: true, OpPost: true, OpPosted: true, OpClose: true, OpLen: true,
}

// classInstead returns the class that t's operation, which has class c, has if it comes just before
// f. Some operations only read if they would change nothing, and else write. With either, it is not
// known which of the two it is.
func (e *engine) classInstead(t *thread, c class, f *event) (instead class, either bool) {
	writes := false
	switch {
	case e.alwaysWrites(t):
		return c, false
	case t.op == OpCAS && t.width > 0 && f.op == OpCAS && f.class == write && f.obj == t.obj:
		writes = uint64(f.arg) == t.old
	case t.op == OpTryLock:
		writes = mutexFreeBefore(t, f, 0)
	case t.op == OpOnce:
		writes = f.state != onceDone
	default:
		return c, t.op == OpCAS || t.op == OpMapUpdate
	}
	if writes {
		return write, false
	}
	return read, false
}

// isCertain reports whether t's operation, which is about to become ev, is one of those in certain,
// and neither on a timer nor a step of a thread that comes last.
func (e *engine) isCertain(t *thread, ev *event) bool {
	return ev.idle == busy && e.opIsCertain(t)
}

func (e *engine) opIsCertain(t *thread) bool {
	return certain[t.op] && !(t.op.isChan() && (e.rendezvous.any() || e.hasTimer(t)))
}

// blockedAreCertain reports whether the operations that are blocked at the end are in certain.
func (e *engine) blockedAreCertain() bool {
	for i := e.gated.first(); i >= 0; i = e.gated.next(i + 1) {
		if !e.opIsCertain(e.threads[i]) {
			return false
		}
	}
	return true
}

// searchSimply goes on without wakeup trees: at once in the first execution, else the exploration
// starts again.
func (e *engine) searchSimply() {
	if e.res.Executions() > 0 {
		e.wantSimple = true
		return
	}
	e.optimal, e.simple = false, true
	for _, r := range e.raced {
		e.backtrackTo(int(r.first), int(r.tid), r.initials)
	}
	e.raced, e.branches = e.raced[:0], nil
}

// raced is a race that was found and is not yet, or not for all executions, inserted.
type raced struct {
	first, later int32     // the event at whose node the other order begins; o
	tid          int32     // the thread of o
	obj          int32     // the object of o
	op           Op        // o
	class        class     // of o in the other order
	changing     bool      // that is read or write
	initials     threadSet // of the short sequence (engine.initials)
	surely       threadSet // of them, those that are initials whatever o does then
}

// wakeNode is a step of the wakeup tree below a node of the search tree.
type wakeNode struct {
	step        stepTaken
	name        int32     // of its thread (thread.label)
	sure        bool      // nothing sleeps after it: all that follows will be found
	child, next *wakeNode // its first child; the next one of its parent
}

// covers reports whether all that begins with the step will be found, without further guidance.
func (b *wakeNode) covers() bool { return b.sure && b.child == nil }

// known says whether something is so.
type known uint8

const (
	no known = iota
	perhaps
	yes
)

// either returns whether one of two things is so.
func (k known) either(o known) known { return max(k, o) }

// stepTaken is what is remembered of a step that was explored from a node, or is to be.
type stepTaken struct {
	depth, tid, obj int32
	class           class
	changing        bool  // its class is read or write
	anyCase         bool  // its accesses may be others on the same objects
	fresh           int32 // the numbers of objects from this one on are not those of this execution
	acc             []access
}

// noteRace notes a race of event first with t's operation, of class c, which is the event later, or
// blocked at the end.
func (e *engine) noteRace(first, later int, t *thread, c class, initials threadSet) {
	instead, either := e.classInstead(t, c, &e.stack[first])
	surely := initials
	if (t.op.isChan() || either || instead != c) && len(e.seen) > 0 && e.firsts[t.id] == 0 {
		surely.remove(t.id) // its accesses have other numbers then, or its class is another
	}
	if !e.atEnd && e.leadsTo(&e.stack[first], first, surely) {
		return
	}
	r := raced{
		first: int32(first), later: int32(later), tid: int32(t.id),
		obj: t.obj, op: t.op, class: instead, changing: either, initials: initials, surely: surely,
	}
	if e.atEnd {
		e.noteAccesses(t, later)
		e.insertRace(&r)
		return
	}
	e.raced = append(e.raced, r)
}

// leadsTo reports whether one of the initials sleeps at the node of p, which has the depth d, was
// explored from there, or is to be with all that follows.
func (e *engine) leadsTo(p *event, d int, initials threadSet) bool {
	if initials.meets(e.node(p, nodeSleep)) {
		return true
	}
	back := initials.intersection(e.node(p, nodeBack))
	if back.empty() {
		return false
	}
	if back.meets(e.node(p, nodeDone)) {
		return true
	}
	if d < len(e.branches) {
		for b := e.branches[d]; b != nil; b = b.next {
			if b.covers() && e.isOneOf(b, back) {
				return true
			}
		}
	}
	return false
}

// noteAccesses keeps the accesses of t's operation, the event at depth d, until another event is
// there.
func (e *engine) noteAccesses(t *thread, d int) {
	for len(e.accs) <= d {
		e.accs = append(e.accs, nil)
	}
	e.accs[d] = append(e.accs[d][:0], t.chanOp.acc...)
}

// accessesOf returns the accesses of event j.
func (e *engine) accessesOf(j int32) []access {
	if e.stack[j].op.isChan() && int(j) < len(e.accs) {
		return e.accs[j]
	}
	return nil
}

// insertRaces inserts the races of the execution that has ended.
func (e *engine) insertRaces() {
	kept := e.raced[:0]
	for k := range e.raced {
		if r := e.raced[k]; !e.insertRace(&r) {
			kept = append(kept, r)
		}
	}
	e.raced = kept
}

// forgetRaces drops the races of events from depth d on.
func (e *engine) forgetRaces(d int) {
	n := len(e.raced)
	for n > 0 && int(e.raced[n-1].later) >= d {
		n--
	}
	e.raced = e.raced[:n]
}

// insertRace inserts a wakeup sequence of a race. It reports false if those of other executions
// with the same race are still to be inserted.
func (e *engine) insertRace(r *raced) bool {
	p := &e.stack[r.first]
	if e.leadsTo(p, int(r.first), r.surely) {
		return true
	}
	initials := r.initials.intersection(e.node(p, nodeEnabled))
	if initials.empty() {
		if !r.initials.meets(e.node(p, nodeHeld)) {
			// Cannot happen while dependence is complete; explore everything
			// rather than miss a schedule.
			e.backAll(p)
		} // else the other order is not that of a patient execution (thread_fair.go)
		return true
	}
	e.reverseAccesses(r)
	short := min(int(r.later), e.depth)
	if e.next != endBlocked { // what would come after its last event is not known
		e.addSequence(r, p, short, initials, false)
		return false
	}
	if e.sleepsThrough(r, p, short) == no {
		return e.addSequence(r, p, short, initials, true)
	}
	if sleeps := e.sleepsThrough(r, p, e.depth); sleeps != yes {
		e.addSequence(r, p, e.depth, initials, sleeps == no)
	}
	return false
}

// sleepsThrough says whether a weak initial of the sequence of events of race r up to depth end
// sleeps at the node of p, or was explored from there.
func (e *engine) sleepsThrough(r *raced, p *event, end int) known {
	others := e.node(p, nodeSleep).union(e.node(p, nodeDone))
	others.remove(int(p.tid))
	sleeps := no
	for q := others.first(); q >= 0 && sleeps != yes; q = others.next(q + 1) {
		sleeps = sleeps.either(e.isWeakInitial(q, r, end))
	}
	return sleeps
}

// isWeakInitial says whether thread q, which sleeps at the node of race r, is a weak initial of the
// sequence of events up to depth end.
func (e *engine) isWeakInitial(q int, r *raced, end int) known {
	taken := e.stepsTaken(q, r.first)
	if len(taken) == 0 {
		return perhaps
	}
	is := yes
	for j := r.first + 1; int(j) < end; j++ {
		ev := &e.stack[j]
		if e.before(r.first, j) || j == r.later {
			continue
		}
		if int(ev.tid) == q {
			return is
		}
		switch wakesAny(taken, func(s *stepTaken) known { return e.wakes(j, s) }) {
		case yes:
			return no
		case perhaps:
			is = perhaps
		}
	}
	if int(r.tid) == q {
		return is
	}
	switch wakesAny(taken, func(s *stepTaken) known { return e.isWokenBy(r, s) }) {
	case yes:
		return no
	case perhaps:
		return perhaps
	}
	return is
}

// stepsTaken returns what is known of the step of thread q that sleeps at the node at depth d: one
// for each of its choices.
func (e *engine) stepsTaken(q int, d int32) []stepTaken {
	for k := len(e.taken); k > 0; k-- {
		s := &e.taken[k-1]
		if int(s.tid) == q && s.depth <= d {
			from := k - 1
			for from > 0 && e.taken[from-1].depth == s.depth && e.taken[from-1].tid == s.tid {
				from--
			}
			return e.taken[from:k]
		}
	}
	return nil
}

// addSequence adds to the wakeup tree of the node of p the events of race r up to depth end that do
// not happen after p, and then its operation. One of initials comes first. sure says that nothing
// sleeps after it. It reports whether the sequence leads to the other order in all executions that
// have the race.
func (e *engine) addSequence(r *raced, p *event, end int, initials threadSet, sure bool) bool {
	s := &e.sequence
	s.begin()
	for j := r.first + 1; int(j) < end; j++ {
		if !e.before(r.first, j) && j != r.later {
			s.add(j, e.threads[e.stack[j].tid].label)
		}
	}
	s.add(r.later, e.threads[r.tid].label)
	if !initials.has(int(e.tidOf(r, s.events[0]))) {
		s.leadWith(func(j int32) bool { return initials.has(int(e.tidOf(r, j))) })
	}
	for len(e.branches) <= int(r.first) {
		e.branches = append(e.branches, nil)
	}
	at := &e.branches[r.first]
	for *at != nil {
		at = &(*at).next
	}
	own := e.addBelow(&e.branches[r.first], r, sure)
	if b := *at; b != nil {
		if i := e.threadNamed(b.name); i >= 0 {
			e.addTo(p, nodeBack, i)
		}
	}
	return own && end <= int(r.later)
}

// addBelow adds what is left of the sequence of race r to a wakeup tree. It reports whether nothing
// sleeps after it, and it went down only along steps that are in it.
func (e *engine) addBelow(at **wakeNode, r *raced, sure bool) (own bool) {
	s := &e.sequence
	own = true
	for *at != nil {
		b := *at
		prev, k, is := e.startsWith(b, r)
		if is == no {
			at = &b.next
			continue
		}
		own = own && k >= 0
		mark := len(s.went)
		s.goTo(b.name, prev, k)
		done := s.first < 0 || b.child == nil && b.sure
		if s.first < 0 {
			own = own && b.sure
		}
		switch {
		case is == yes && done:
			return own
		case is == yes:
			at = &b.child
			continue
		case !done:
			own = e.addBelow(&b.child, r, sure) && own
		}
		s.goBack(mark)
		sure = false // b may sleep after the sequence
		at = &b.next
	}
	for k := s.first; k >= 0; k = s.next[k] {
		b := e.newWakeNode()
		e.stepOf(r, s.events[k], &b.step)
		b.step.fresh = e.stack[r.first].objs
		b.name, b.sure = s.names[k], sure && s.next[k] < 0
		*at, at = b, &b.child
	}
	return own && sure
}

// startsWith says whether the step b is a weak initial of what is left of the sequence, and where
// it is in it, -1 if it is not. prev is what comes before it there.
func (e *engine) startsWith(b *wakeNode, r *raced) (prev, k int32, is known) {
	s, step := &e.sequence, e.present(b, r)
	is, prev = yes, -1
	for k := s.first; k >= 0; prev, k = k, s.next[k] {
		if s.names[k] == b.name {
			return prev, k, is
		}
		wakes := no
		if j := s.events[k]; j == r.later {
			wakes = e.isWokenBy(r, step)
		} else {
			wakes = e.wakes(j, step)
		}
		switch wakes {
		case yes:
			return -1, -1, no
		case perhaps:
			is = perhaps
		}
	}
	return -1, -1, is
}
