package explore

import (
	"math/bits"
	"slices"
	"unsafe"
)

// EnterDelta announces WaitGroup.Add of delta.
func EnterDelta(p unsafe.Pointer, delta int) bool {
	if e := eng; e != nil {
		e.cur.old = uint64(int64(delta))
	}
	return Enter(p, OpWGAdd)
}

// Additions to and subtractions from a WaitGroup commute as far as anyone can
// see, so that joining n goroutines adds no schedules. That holds if no Wait
// can slip in between and no subtraction can come too early:
//
//   - every Wait, also one that waits for ever, is ordered, by what happens before it, with every addition;
//   - every subtraction has an addition of its own in its past.
//
// Both are looked at after each execution. If one is violated, the exploration
// starts again with additions as writes, which order everything.
func (e *engine) needsStrict() bool {
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
