package explore

import "slices"

// A loop that waits can have a select in which several cases are ready again and again, some of
// which lead nowhere:
//
//	for {
//		select {
//		case <-quit:
//			return
//		case <-closed:
//		}
//	}
//
// An execution that never takes quit is not fair: select chooses at random. So iterations that
// differ by the case that they took are known beside one another, and repeating any of them is
// fruitless. Once the thread is tired, its select takes a case that it has not taken in this place
// of an iteration, and any of them by a fixed pseudo-random sequence if there is none: a loop can
// need one case twice in a row, or cases in an order of their own. Before, each select of the
// fruitless iterations takes each of its cases, in an execution of its own.
//
// What is repeated then is a livelock if every iteration, whichever cases it takes, begins and ends
// in one state. So it must leave the loop's variables and what it shares as they were, and all
// iterations that there are must be known.

// maxOthers bounds the iterations that are known beside the one before.
const maxOthers = 8

// repeats reports whether the iteration that has ended did what a known one did.
func (l *lap) repeats() bool {
	return slices.Equal(l.ops, l.before) || slices.ContainsFunc(l.others, func(o []lapOp) bool {
		return slices.Equal(l.ops, o)
	})
}

// repeatsSoFar reports whether the iteration has done up to now what a known one did.
func (l *lap) repeatsSoFar() bool {
	return begins(l.before, l.ops) || slices.ContainsFunc(l.others, func(o []lapOp) bool {
		return begins(o, l.ops)
	})
}

func begins(l, with []lapOp) bool {
	return len(l) >= len(with) && slices.Equal(l[:len(with)], with)
}

// next begins another iteration. Those that did not choose are known only if they were the last.
func (l *lap) next() {
	if !l.chose {
		l.others = l.others[:0]
		l.ops, l.before = l.before[:0], l.ops
		return
	}
	l.chose = false
	if !slices.Equal(l.ops, l.before) {
		l.others = slices.DeleteFunc(l.others, func(o []lapOp) bool {
			return slices.Equal(l.ops, o)
		})
		if len(l.others) == maxOthers {
			l.others = slices.Delete(l.others, 0, 1)
		}
		l.others = append(l.others, slices.Clone(l.before))
	}
	l.ops, l.before = l.before[:0], l.ops
}

// couldTakeAnother reports whether another case was ready than the one that t's operation took.
func (e *engine) couldTakeAnother(t *thread) bool {
	for i, c := range t.chanOp.cases {
		if int32(i) != t.chanOp.taken && e.ready(c) && e.surely(c) {
			return true
		}
	}
	return false
}

// mostChosen bounds how often the selects of an execution choose freely among cases that are ready
// (Other loops, thread_fair.go). Each such choice multiplies the executions, so a search that needs
// more of them would not end.
const mostChosen = 64

// freely is 1 if t's operation, which is ev, could have taken another case, 0 otherwise.
func (e *engine) freely(t *thread, ev *event) int {
	if ev.choices > 1 && ops[ev.op].takes && e.couldTakeAnother(t) {
		return 1
	}
	return 0
}

// inTurn stands for event.choices of a select that took its cases in turn. In a schedule it has no
// value, as its choice follows from the steps before.
const inTurn = -1

// takeInTurn chooses the case that the select of a tired thread takes, and leaves out the others.
func (e *engine) takeInTurn(t *thread, ev *event) {
	if choice, ok := e.caseInTurn(t, ev.choices); ok {
		ev.choice, ev.choices = choice, inTurn
	}
}

// caseInTurn returns which of n choices the select of a tired thread takes. It reports false if one
// of them is to wait, or a timer that is not due: it will be, as the clock moves meanwhile.
//
// The depth is that of the select in each linearization of the trace, as a step of a tired thread
// depends on all before it.
func (e *engine) caseInTurn(t *thread, n int32) (choice int32, ok bool) {
	sequence := rng{state: uint64(e.depth)}
	l := t.spin.tiredOf()
	choice = int32(sequence.next() % uint64(n))
	fresh := false
	for c := range n {
		taken, _ := e.chooseCase(t, c)
		if taken < 0 || !e.surely(t.chanOp.cases[taken]) {
			return 0, false
		}
		if !fresh && !l.took(taken) {
			choice, fresh = c, true
		}
	}
	e.noteCut(only(t.id), "the ready cases of a select in turn in ")
	return choice, true
}

// took reports whether a known iteration began like this one and then took the case.
func (l *lap) took(taken int32) bool {
	n := len(l.ops)
	did := func(known []lapOp) bool {
		return len(known) > n && slices.Equal(known[:n], l.ops) && known[n].taken == taken
	}
	return did(l.before) || slices.ContainsFunc(l.others, did)
}

// closed reports whether the known iterations are all that there are, and leave what the thread
// shares as it was.
func (l *lap) closed() bool {
	return len(l.others) < maxOthers && leavesAll(l.before) &&
		!slices.ContainsFunc(l.others, func(o []lapOp) bool { return !leavesAll(o) })
}

// leavesAll reports whether an iteration that moved no value leaves what the thread shares as it
// was: it reads, lets time pass, and releases the locks that it takes.
func leavesAll(iteration []lapOp) bool {
	for _, o := range iteration {
		m := &ops[o.op]
		switch {
		case m.takes || o.obj < 0 || !class(o.val&classMask).changes():
		case o.op == OpRWAnnounce: // the beginning of a Lock
		case m.loop == loopLocks || m.loop == loopUnlocks:
			held := 0
			for _, p := range iteration {
				switch role := ops[p.op].loop; {
				case p.obj != o.obj || !class(p.val&classMask).changes():
				case role == loopLocks:
					held++
				case role == loopUnlocks:
					held--
				}
			}
			if held != 0 {
				return false
			}
		default:
			return false
		}
	}
	return true
}
