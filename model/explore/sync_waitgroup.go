package explore

import (
	"strconv"
	"unsafe"
)

// The counter of a WaitGroup is kept in its model, and so are those that wait. Wait is two
// operations, as in package sync: it looks at the counter, and if that is not 0 it is counted as a
// waiter; then it waits until the counter has been 0, and returns. What was added before it returns
// has come too early, and Wait panics: "WaitGroup is reused before previous Wait has returned".
// Package sync also panics in an Add that meets the release of the waiters. Such an Add may come
// after the release as well, and then the waiter panics.
func init() {
	ops[OpWGAdd] = operation{
		name:    "WaitGroup.Add",
		class:   add,
		resolve: waitGroupAddClass,
		before:  waitGroupBefore,
		meet:    meetGroup,
		apply:   waitGroupAdd,
		detail:  func(t *thread, _ *event) string { return strconv.Itoa(int(int32(t.old))) },
	}
	ops[OpWGLook] = operation{
		name:    "WaitGroup.Wait",
		resolve: waitGroupLookClass,
		before:  waitGroupBefore,
		meet:    meetGroup,
		apply:   waitGroupLook,
	}
	ops[OpWGWait] = operation{
		name:          "WaitGroup.Wait",
		class:         read,
		resolve:       waitGroupWaitClass,
		enabled:       func(_ *engine, t *thread) bool { return !t.counted || t.signal >= 0 },
		enabledBefore: waitGroupReturnsBefore,
		before:        waitGroupBefore,
		apply:         func(e *engine, t *thread, _ int32) { e.checkDominance(t) },
	}
}

func waitGroupBefore(o *object) uint8 {
	if o.count != 0 {
		return 1
	}
	return 0
}

// waitGroupAddClass: additions are writes if they must be ordered (needsOrderedAdds), and all
// changes if a counter was below zero. Else an addition of zero changes nothing, and learns
// nothing.
func waitGroupAddClass(e *engine, t *thread) class {
	delta := int32(t.old)
	switch {
	case e.orderDones || e.orderAdds && delta > 0:
		return write
	case delta == 0:
		return none
	}
	return add
}

// waitGroupLookClass: where additions are ordered, a look is ordered with all that changes the
// counter.
func waitGroupLookClass(e *engine, _ *thread) class {
	if e.orderAdds || e.orderDones {
		return read
	}
	return none
}

// waitGroupWaitClass: a Wait that found 0 depends on nothing after its look has read the counter.
func waitGroupWaitClass(e *engine, t *thread) class {
	if !t.counted && (e.orderAdds || e.orderDones) {
		return none
	}
	return read
}

// waitGroupReturnsBefore: once the counter has been 0, a Wait may return at any time.
func waitGroupReturnsBefore(t *thread, f *event, d int32) bool {
	return f.state == 0 || t.counted && t.signal >= 0 && d > t.signal
}

func waitGroupAdd(e *engine, t *thread, d int32) {
	o := &e.objs[t.obj]
	e.associate(t, o)
	o.count += int32(t.old)
	o.adds, e.usesWG = true, true
	if o.count < 0 && e.reduce && !e.orderDones {
		e.wantOrderDones = true
	}
	if d < 0 {
		o.base += int32(t.old)
	}
	if o.count != 0 {
		return
	}
	for _, w := range o.waiters {
		e.threads[w].signal = max(d, 0)
		o.bubble = nil
	}
	o.waiters = o.waiters[:0]
}

func waitGroupLook(e *engine, t *thread, _ int32) {
	o := &e.objs[t.obj]
	e.noteUser(t, o)
	if o.count == 0 && len(o.waiters) == 0 && o.bubble == t.bubble {
		o.bubble = nil
	}
	if t.counted = o.count != 0; t.counted {
		t.signal = -1
		if len(o.waiters) == 0 {
			waitGroupFirstWaiter(t.ptr)
		}
		o.waiters = append(o.waiters, int32(t.id))
	}
}

// LookAtGroup is the first operation of Wait on the WaitGroup at p. It reports whether the caller
// runs in a checked execution, and whether the counter was 0, so that it need not wait.
func LookAtGroup(p unsafe.Pointer) (checked, free bool) {
	if InExecution() {
		RaceRead(unsafe.Add(p, groupState))
	}
	if !Enter(p, OpWGLook) {
		return false, false
	}
	return true, !eng.cur.counted
}

// ReturnFromGroup is the second. It reports whether something was added before it came to return.
func ReturnFromGroup(p unsafe.Pointer) (reused bool) {
	Enter(p, OpWGWait)
	t := eng.cur
	return t.counted && eng.objs[t.obj].count != 0
}

// waitingForGroups returns the threads that wait for a WaitGroup.
func (e *engine) waitingForGroups() (who threadSet) {
	for i := e.gated.first(); i >= 0; i = e.gated.next(i + 1) {
		if e.threads[i].op == OpWGWait {
			who.add(i)
		}
	}
	return who
}

// EnterDelta is Enter for WaitGroup.Add of delta.
func EnterDelta(p unsafe.Pointer, delta int) bool {
	if e := eng; e != nil && InExecution() {
		RaceRead(unsafe.Add(p, groupState))
		e.cur.old = uint64(int64(delta))
	}
	return Enter(p, OpWGAdd)
}

// needsOrderedAdds reports, after an execution, whether additions to a WaitGroup must be ordered.
// As a rule they commute with one another and with subtractions, so that joining n goroutines adds
// no traces. That is sound if no Wait can return in between and no subtraction can come too early:
//
//  1. every Wait, also one that waits forever, is ordered by happens-before with every addition;
//  2. the look before it is ordered with every addition that may find the counter at 0;
//  3. every subtraction has an addition of its own in its past.
//
// If an execution violates one of these, the exploration starts again with additions as writes:
// every addition is ordered with all else.
//
// A counter below zero tells subtractions from one another and from an addition of zero: some
// panic, and the program may recover. If an execution has one, the exploration starts again with
// all of them as writes. With additions as writes it is not overlooked: just before an addition the
// counter is the same whatever the order of the subtractions since the one before.
func (e *engine) needsOrderedAdds() bool {
	for i := 0; i < e.nobjs; i++ {
		if o := &e.objs[i]; o.adds && (o.assigned || e.irregular(o)) {
			return true
		}
	}
	for i := e.waiting.first(); i >= 0; i = e.waiting.next(i + 1) {
		t := e.threads[i]
		for f := e.objs[t.obj].last; f >= 0; f = e.stack[f].prevObj {
			ev := &e.stack[f]
			if ev.op == OpWGAdd && int32(ev.arg) > 0 && !e.inPast(t.prev, f) {
				return true
			}
		}
	}
	return false
}
