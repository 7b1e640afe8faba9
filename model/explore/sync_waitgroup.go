package explore

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"
)

// The counter of a WaitGroup is kept in its model: Wait is enabled while it is 0.
func init() {
	ops[OpWGAdd] = operation{
		name:    "WaitGroup.Add",
		class:   add,
		resolve: waitGroupClass,
		before:  waitGroupBefore,
		apply:   waitGroupAdd,
		detail:  func(t *thread, _ *event) string { return fmt.Sprint(int32(t.old)) },
	}
	ops[OpWGWait] = operation{
		name:          "WaitGroup.Wait",
		class:         read,
		enabled:       func(e *engine, t *thread) bool { return e.objs[t.obj].count == 0 },
		enabledBefore: func(f *event) bool { return f.state == 0 },
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

// waitGroupClass: additions are writes if they must be ordered (needsOrderedAdds), and all changes
// if a counter was below zero.
func waitGroupClass(e *engine, t *thread) class {
	if e.orderDones || e.orderAdds && int32(t.old) > 0 {
		return write
	}
	return add
}

func waitGroupAdd(e *engine, t *thread, d int32) {
	o := &e.objs[t.obj]
	o.count += int32(t.old)
	o.adds, e.usesWG = true, true
	if o.count < 0 && e.reduce && !e.orderDones {
		e.wantOrderDones = true
	}
	if d < 0 {
		o.base += int32(t.old)
	}
}

// waitingForGroups returns the threads that wait for a WaitGroup.
func (e *engine) waitingForGroups() (who uint64) {
	for s := e.gated; s != 0; s &= s - 1 {
		if i := bits.TrailingZeros64(s); e.threads[i].op == OpWGWait {
			who |= 1 << i
		}
	}
	return who
}

// EnterDelta is Enter for WaitGroup.Add of delta.
func EnterDelta(p unsafe.Pointer, delta int) bool {
	if e := eng; e != nil {
		e.cur.old = uint64(int64(delta))
	}
	return Enter(p, OpWGAdd)
}

// needsOrderedAdds reports, after an execution, whether additions to a WaitGroup must be ordered.
// As a rule they commute with one another and with subtractions, so that joining n goroutines adds
// no traces. That is sound if no Wait can return in between and no subtraction can come too early:
//
//  1. every Wait, also one that waits forever, is ordered by happens-before with every addition;
//  2. every subtraction has an addition of its own in its past.
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
		if e.objs[i].adds && e.irregular(&e.objs[i]) {
			return true
		}
	}
	for s := e.waiting; s != 0; s &= s - 1 {
		t := e.threads[bits.TrailingZeros64(s)]
		for f := e.objs[t.obj].last; f >= 0; f = e.stack[f].prevObj {
			ev := &e.stack[f]
			if ev.op == OpWGAdd && int32(ev.arg) > 0 && (t.prev < 0 || e.clockAt(t.prev)[ev.tid] <= f) {
				return true
			}
		}
	}
	return false
}

// irregular reports whether the events on o, which ran to their end, violate one of the two.
func (e *engine) irregular(o *object) bool {
	// Of an addition, by depth: how much of it has been subtracted.
	e.used = slices.Grow(e.used[:0], e.depth)[:e.depth]
	used := e.used
	clear(used)
	base := o.base
	for f := o.last; f >= 0; f = e.stack[f].prevObj {
		fe := &e.stack[f]
		if fe.op == OpWGWait {
			for g := o.last; g >= 0; g = e.stack[g].prevObj {
				if ge := &e.stack[g]; ge.op == OpWGAdd && int32(ge.arg) > 0 && !e.ordered(f, g) {
					return true
				}
			}
			continue
		}
		n := -int32(fe.arg)
		for g := fe.prevObj; g >= 0 && n > 0; g = e.stack[g].prevObj {
			ge := &e.stack[g]
			if ge.op == OpWGAdd && int32(ge.arg) > used[g] && e.before(g, f) {
				k := min(n, int32(ge.arg)-used[g])
				used[g] += k
				n -= k
			}
		}
		if n > 0 {
			if base < n {
				return true
			}
			base -= n // what was added before there was a second goroutine
		}
	}
	return false
}
