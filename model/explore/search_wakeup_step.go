package explore

import "slices"

// A birth names a thread in all executions: by the label of the thread that started it, and how
// many that one had started before. Its number depends on the order of the steps: two threads may
// each start one.
type birth struct{ parent, nth int32 }

// nameThread gives t its label: births are numbered as they come up. It needs no map, because the
// race detector sees what is done to one.
func (e *engine) nameThread(t *thread, b birth) {
	for len(e.labels) <= int(b.parent) {
		e.labels = append(e.labels, nil)
	}
	of := &e.labels[b.parent]
	for len(*of) <= int(b.nth) {
		*of = append(*of, 0)
	}
	if (*of)[b.nth] == 0 {
		if len(e.labelled) == 0 {
			e.labelled = append(e.labelled, 0) // of main
		}
		(*of)[b.nth] = int32(len(e.labelled))
		e.labelled = append(e.labelled, 0)
	}
	t.label = (*of)[b.nth]
	e.labelled[t.label] = int32(t.id)
}

// threadNamed returns the thread with that label, -1 if there is none in this execution.
func (e *engine) threadNamed(label int32) int {
	if int(label) < len(e.labelled) {
		if i := int(e.labelled[label]); i < e.n && e.threads[i].label == label {
			return i
		}
	}
	return -1
}

// sequence is a wakeup sequence that goes down a wakeup tree: a list of events, of which those that
// it has met in the tree are taken out.
type sequence struct {
	events, names []int32     // and the names of their threads
	next          []int32     // by place: the next one that is left, or -1
	first         int32       // the first place that is left, or -1
	went          []descent   // the steps of the tree
	steps         []stepCount // by name of a thread: those of them that are its own
}

// stepCount counts steps of one thread, and those of them that are not in the sequence.
type stepCount struct{ all, foreign int32 }

// descent is a step of the tree that a sequence went down along.
type descent struct{ name, prev, place int32 }

func (s *sequence) begin() {
	s.goBack(0)
	s.events, s.names, s.next, s.first = s.events[:0], s.names[:0], s.next[:0], -1
}

// add adds event j, of the thread of that name, at the end.
func (s *sequence) add(j, name int32) {
	k := int32(len(s.events))
	if k == 0 {
		s.first = 0
	} else {
		s.next[k-1] = k
	}
	s.events, s.names, s.next = append(s.events, j), append(s.names, name), append(s.next, -1)
}

// leadWith moves the first event that is so to the front.
func (s *sequence) leadWith(so func(j int32) bool) {
	k := slices.IndexFunc(s.events, so)
	if k < 0 {
		return
	}
	j, name := s.events[k], s.names[k]
	for ; k > 0; k-- {
		s.events[k], s.names[k] = s.events[k-1], s.names[k-1]
	}
	s.events[0], s.names[0] = j, name
}

// stepsOf counts the steps of the thread of that name.
func (s *sequence) stepsOf(name int32) stepCount {
	if int(name) < len(s.steps) {
		return s.steps[name]
	}
	return stepCount{}
}

// goTo goes down along a step of the thread of that name, which is at a place after prev; the place
// is -1 if the step is not in the sequence.
func (s *sequence) goTo(name, prev, place int32) {
	s.went = append(s.went, descent{name, prev, place})
	for len(s.steps) <= int(name) {
		s.steps = append(s.steps, stepCount{})
	}
	s.steps[name].all++
	switch {
	case place < 0:
		s.steps[name].foreign++
	case prev < 0:
		s.first = s.next[place]
	default:
		s.next[prev] = s.next[place]
	}
}

// goBack goes up again to where the sequence had gone down along n steps.
func (s *sequence) goBack(n int) {
	for len(s.went) > n {
		w := s.went[len(s.went)-1]
		s.went = s.went[:len(s.went)-1]
		s.steps[w.name].all--
		switch {
		case w.place < 0:
			s.steps[w.name].foreign--
		case w.prev < 0:
			s.first = w.place
		default:
			s.next[w.prev] = w.place
		}
	}
}

// present returns the step b, which may be of an earlier execution, with the objects that it has in
// this one: their numbers differ. The operation is that of its thread after the steps that lead to
// b, if these were the same: all of that thread, and of those that it comes from, are in the
// sequence.
func (e *engine) present(b *wakeNode, r *raced) *stepTaken {
	if b.step.isKnown() {
		return &b.step
	}
	s, acc := &e.presentStep, e.presentStep.acc
	*s = b.step
	s.acc = append(acc[:0], b.step.acc...)
	for k := e.sequence.first; k >= 0; k = e.sequence.next[k] {
		if e.sequence.names[k] == b.name {
			e.stepOf(r, e.sequence.events[k], s)
			return s
		}
	}
	i := e.threadNamed(b.name)
	if i < 0 || e.leftSequence(i) {
		return s
	}
	before := e.sequence.stepsOf(b.name).all
	for j := r.first; int(j) < e.depth; j++ {
		if int(e.stack[j].tid) != i {
			continue
		}
		if before == 0 {
			s.take(e.stack[j].obj, e.accessesOf(j))
			return s
		}
		before--
	}
	return s
}

// leftSequence reports whether the tree has a step of thread i, or of one that it comes from, that
// is not in the sequence: what the thread does next may be something else in this execution.
func (e *engine) leftSequence(i int) bool {
	for ; i >= 0; i = int(e.threads[i].parent) {
		if e.sequence.stepsOf(e.threads[i].label).foreign > 0 {
			return true
		}
	}
	return false
}

// allKnown is stepTaken.fresh if all of its objects have the numbers of this execution.
const allKnown = 1<<31 - 1

// isKnown reports whether all objects of the step have the numbers of this execution.
func (s *stepTaken) isKnown() bool {
	if s.obj >= s.fresh {
		return false
	}
	for k := range s.acc {
		if s.acc[k].obj >= s.fresh {
			return false
		}
	}
	return true
}

// take gives the step the number of its object, and of the channel that its accesses are to.
func (s *stepTaken) take(obj int32, acc []access) {
	if len(s.acc) == 0 && len(acc) == 0 {
		s.obj, s.fresh = obj, allKnown
		return
	}
	if !oneChannel(s.acc) || !oneChannel(acc) {
		return
	}
	s.obj, s.fresh = obj, allKnown
	for i := range s.acc {
		s.acc[i].obj = acc[0].obj
	}
}

// oneChannel reports whether there are accesses, all to one channel.
func oneChannel(acc []access) bool {
	for i := range acc {
		if acc[i].obj != acc[0].obj {
			return false
		}
	}
	return len(acc) > 0
}

// tidOf returns the thread of event j, which is in a sequence of race r.
func (e *engine) tidOf(r *raced, j int32) int32 {
	if j == r.later {
		return r.tid
	}
	return e.stack[j].tid
}

// stepOf makes s what is to be remembered of event j, which is in a sequence of race r.
func (e *engine) stepOf(r *raced, j int32, s *stepTaken) {
	if j != r.later {
		e.stepAt(j, s)
		return
	}
	*s = stepTaken{
		depth: r.first, tid: r.tid, obj: r.obj, class: r.class, anyCase: true, acc: s.acc[:0],
		fresh: allKnown, changing: r.changing,
	}
	if r.op.isChan() {
		s.acc, s.anyCase = append(s.acc, e.reversed...), !e.exactly
	}
}

// reverseAccesses finds out what the operation of race r does in the other order, if it is on
// channels: exactly so for one without a choice. It is the n-th of its side then, less those on
// that side that happen after the first event of the race.
func (e *engine) reverseAccesses(r *raced) {
	e.reversed, e.exactly = e.reversed[:0], true
	if !r.op.isChan() {
		return
	}
	e.reversed = append(e.reversed, e.accs[r.later]...)
	for i := range e.reversed {
		a := &e.reversed[i]
		ch := e.objs[a.obj].ch
		switch {
		case ch.closed || a.kind == accClose || a.kind == accLen:
			e.exactly = false
			return
		case a.kind == accLookRecv: // blocked forever
			a.kind = accRecv
			a.n++
		case a.kind == accLookSend:
			a.kind = accSend
			a.n++
		}
		made := ch.history.sends
		if a.kind == accRecv {
			made = ch.history.recvs
		}
		a.n -= int32(e.madeAfter(made, r.first, r.later))
	}
}

// stepAt makes s what is to be remembered of event j.
func (e *engine) stepAt(j int32, s *stepTaken) {
	ev := &e.stack[j]
	*s = stepTaken{
		depth: j, tid: ev.tid, obj: ev.obj, class: ev.class, fresh: allKnown,
		acc: append(s.acc[:0], e.accessesOf(j)...),
	}
}

// wakes says whether event j depends on a step.
func (e *engine) wakes(j int32, s *stepTaken) known {
	ev := &e.stack[j]
	if is := e.onObject(s, ev.obj, ev.class, false); is != no || len(s.acc) == 0 {
		return is
	}
	return e.accessesDepend(e.accessesOf(j), s, !s.anyCase)
}

// isWokenBy says whether the operation of a race depends on a step if it comes first.
func (e *engine) isWokenBy(r *raced, s *stepTaken) known {
	if is := e.onObject(s, r.obj, r.class, r.changing); is != no || len(s.acc) == 0 {
		return is
	}
	return e.accessesDepend(e.reversed, s, e.exactly && !s.anyCase)
}

// onObject says whether the step depends on an operation of class c on that object. With either,
// the class of that is read or write.
func (e *engine) onObject(s *stepTaken, obj int32, c class, either bool) known {
	switch {
	case s.obj < 0 || obj < 0:
		return no
	case s.obj < s.fresh:
		if !e.shareMemory(s.obj, obj) {
			return no
		}
	case obj < s.fresh && !e.overlaid: // an object that was new there may overlap any other one
		return no
	}
	is := dependence(s.class, c, s.changing, either)
	if s.obj >= s.fresh {
		is = min(is, perhaps)
	}
	return is
}

// dependence says whether operations of two classes on one object depend on one another. The class
// of either that is changing may be read or write instead.
func dependence(a, b class, aChanging, bChanging bool) known {
	switch {
	case aChanging:
		return both(dependence(read, b, false, bChanging), dependence(write, b, false, bChanging))
	case bChanging:
		return both(dependence(a, read, false, false), dependence(a, write, false, false))
	case a.dependsOn(b):
		return yes
	}
	return no
}

// both returns what is known of something that is so in one of two ways.
func both(a, b known) known {
	if a == b {
		return a
	}
	return perhaps
}

// wakesAny says whether one of the steps is so.
func wakesAny(steps []stepTaken, so func(*stepTaken) known) known {
	wakes := no
	for k := range steps {
		wakes = wakes.either(so(&steps[k]))
	}
	return wakes
}

// accessesDepend says whether some accesses depend on those of a step; exactly says that they are
// known, and not only their objects.
func (e *engine) accessesDepend(as []access, s *stepTaken, exactly bool) known {
	is := no
	for i := range as {
		for j := range s.acc {
			switch a, b := &as[i], &s.acc[j]; {
			case b.obj >= s.fresh:
				if a.obj >= s.fresh {
					is = perhaps
				}
			case a.obj != b.obj:
			case !exactly:
				is = perhaps
			case e.dependent(a, b):
				return yes
			}
		}
	}
	return is
}

// noteTaken remembers the step of the event at depth d, from whose node another one is explored
// next.
func (e *engine) noteTaken(d int) {
	n := len(e.taken)
	e.taken = slices.Grow(e.taken, 1)[:n+1]
	e.stepAt(int32(d), &e.taken[n])
}

// leaveNode forgets what was remembered of the steps from nodes below depth d.
func (e *engine) leaveNode(d int) {
	n := len(e.taken)
	for n > 0 && int(e.taken[n-1].depth) > d {
		n--
	}
	e.taken = e.taken[:n]
}

// nextBranch returns the thread with which the next execution continues from the node at depth d,
// one of todo, and follows its wakeup tree if it has one.
func (e *engine) nextBranch(d int, todo threadSet) int {
	if d < len(e.branches) {
		for e.branches[d] != nil {
			b := e.branches[d]
			e.branches[d] = b.next
			if e.isOneOf(b, todo) {
				i := e.threadNamed(b.name)
				e.followFrom(b)
				return i
			}
			b.next = nil
			e.release(b)
		}
	}
	return todo.first()
}

// followFrom makes the subtree of b, which is not in a tree any more, the one to be followed.
func (e *engine) followFrom(b *wakeNode) {
	e.release(e.follow)
	e.follow = b.child
	b.child, b.next = nil, nil
	e.release(b)
}

// beginNode makes the wakeup tree that is followed that of the new node at depth d. It returns the
// thread that runs next by it, -1 if there is none, and those that are to run from this node.
func (e *engine) beginNode(d int, cand threadSet) (ch int, back threadSet) {
	for len(e.branches) <= d {
		e.branches = append(e.branches, nil)
	}
	e.release(e.branches[d])
	e.branches[d], ch = nil, -1
	for e.follow != nil && ch < 0 {
		b := e.follow
		if e.isOneOf(b, cand) {
			ch = e.threadNamed(b.name)
			e.branches[d], e.follow = b.next, nil
			e.followFrom(b)
			break
		}
		e.follow = b.next
		b.next = nil
		e.release(b)
	}
	if ch >= 0 {
		back.add(ch)
	}
	for b := e.branches[d]; b != nil; b = b.next {
		if e.isOneOf(b, cand) {
			back.add(e.threadNamed(b.name))
		}
	}
	return ch, back
}

// isOneOf reports whether the step is of a thread in set.
func (e *engine) isOneOf(b *wakeNode, set threadSet) bool {
	i := e.threadNamed(b.name)
	return i >= 0 && set.has(i)
}

// newWakeNode returns a node without children. Its step may have memory for accesses.
func (e *engine) newWakeNode() *wakeNode {
	b := e.spareNodes
	if b == nil {
		return new(wakeNode)
	}
	e.spareNodes, b.next = b.next, nil
	return b
}

// release takes back b, those after it, and all below.
func (e *engine) release(b *wakeNode) {
	for b != nil {
		next := b.next
		if last := b.child; last != nil {
			for last.next != nil {
				last = last.next
			}
			last.next, next = next, b.child
		}
		b.child, b.next = nil, e.spareNodes
		e.spareNodes, b = b, next
	}
}
