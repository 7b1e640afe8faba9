package explore

import (
	"slices"
	"sync/atomic"
	"unsafe"
)

// Atomic words that overlap.
//
// By a conversion of unsafe pointers, an operation of sync/atomic on 8 bytes and one on 4 may meet
// in one half of a word. Where checked code converts so (OverlayWords), the exploration starts
// again with an object for each address and each size, and objects that have bytes in common share
// what happens on them: an event depends on those of its own object and of the objects that overlap
// it, by the same table of classes.
//
// What two operations have in common is known from their addresses and sizes. It does not change in
// the course of an execution, nor with what else happens in it. So dependence is one relation for
// the whole exploration, as the search requires, and no more of it than there is: operations on
// two halves commute, also where the whole is used. The numbers of objects are those of their first
// use. Where the allocator puts an object has no part in any of this.
//
// Objects are noted as overlapping when a step comes to the later one of them, thus before there
// are events on both. Each keeps its own history, in which a write is a barrier for that object
// only. So races and clocks look into the histories of all objects that overlap, which are two or
// three. Of the candidates for races, those that happen before another one are dropped (races).
// The union of the histories may have more of them than one history would, but no others remain.
//
// A step of a wakeup sequence that is of an earlier execution may be on an object that had no
// number at its node. Where words overlap it may depend on any object, and not only on such as were
// new too (onObject). It is inserted as if it did and as if it did not.
//
// A CompareAndSwap that fails only reads. The search relies on this: what makes it fail, or
// succeed, depends on all that the outcome makes a difference to. On 8 bytes that is not so: a
// store to the upper half makes one fail, and the one that succeeds depends on a load of the lower
// half, from which the store is independent. A sleeping store would seem to cover the order in
// which the load comes before the CompareAndSwap; but after the store that only reads. So those on
// 8 bytes are writes, whether they fail or not, as soon as some execution has words that do overlap
// (mixed): then the exploration starts again. Until then nothing overlaps in any execution, and
// what has been explored is what a program would do whose words of both sizes lie apart. Its
// executions and the real ones are the same up to the first step at which words meet, and so one of
// those that begin like this is explored. On 4 bytes there is nothing to mend: what overlaps a half
// overlaps all of it. To a loop that waits, a CompareAndSwap that fails is none the less a read
// (event.did).
//
// Only words may lie over one another. The state of a lock has more in it than its model has, and
// an atomic.Value is stored and loaded one word after the other. So an execution that has a word,
// or another object, as a part of one of those is refused. Every 4 bytes of an object are looked up
// when a step comes to it for the first time. Then what two objects have in common is found at the
// later one of them; a word that is not aligned is refused.
//
// Rejected alternatives:
//
//   - One object for each aligned word of 8 bytes. Of what is 4 bytes wide, which ones lie in one
//     word may differ between two executions: the allocator puts small objects at any multiple of
//     4. Then steps of one schedule depended on one another in one execution and not in another,
//     and the check was undecided.
//   - To join the objects of two halves once an operation on 8 bytes has met them. Operations on
//     the two halves commute before that and after it. To call them dependent after it makes
//     dependence a matter of the order of steps: two loads of the halves and one of the whole
//     commute, and whether the halves are joined then depends on where the third one stands. Sleep
//     sets bear that. Wakeup sequences do not, as they carry what depends on what to other
//     executions.
//   - To join all aligned words once an execution has words that overlap. That is sound, but a
//     program that has such words and small arrays, too, stays undecided.
//   - The address within its allocation as a key. Small objects without pointers share one, and the
//     runtime does not say where in it an object begins.
//   - To learn from the types which words others may lie over. A conversion says which type it
//     leads to, and not where the pointer comes from.

// overlap has the other objects that have bytes in common with one.
type overlap struct {
	layout layout // of the object; noLayout if no step was on it yet
	with   []int32
}

// overlaidBefore: a conversion was made outside of executions, when packages were initialised or by
// a test before its check. What it led to may be used in every execution that follows.
var overlaidBefore atomic.Bool

// OverlayWords says that atomic words of different sizes may lie over one another. The exploration
// starts again, and looks for such words; one that has not begun looks for them from the start. So
// does a search that reduces nothing, and a schedule that is replayed: what ends the wait of a loop
// depends on it.
//
//go:noinline
func OverlayWords() {
	if e := eng; e == nil {
		overlaidBefore.Store(true)
	} else if !e.overlaid {
		e.wantOverlaid = true
	}
}

// EnterValue is Enter for an operation on the atomic.Value at p.
func EnterValue(p unsafe.Pointer, op Op) bool {
	if e := eng; e != nil && e.overlaid && InExecution() {
		e.cur.onValue = !e.quiet
	}
	return Enter(p, op|WideIfPointer)
}

// overlaidObject returns the number of the object of t's pending operation where words may overlap.
func (e *engine) overlaidObject(t *thread) int32 {
	l := t.layout()
	t.onValue = false
	id := e.object(unsafe.Add(t.ptr, layouts[l].key))
	if l != noLayout {
		e.noteOverlaps(id, uintptr(t.ptr), l)
	}
	return id
}

// noteOverlaps notes which objects overlap the one of number id, which is at that address.
func (e *engine) noteOverlaps(id int32, at uintptr, l layout) {
	e.makeOverlaps(id)
	if was := e.overlaps[id].layout; was == l {
		return
	} else if was != noLayout {
		e.refuseOverlap(l, was)
	}
	e.overlaps[id].layout = l
	if l <= word8 && at%4 != 0 {
		e.fail(KindRefused, "an atomic word at an address that is no multiple of 4 is not modelled")
	}
	for near := at + 4 - largest; near < at+layouts[l].size; near += 4 {
		for key := range uintptr(3) {
			other := e.table.find(near + key)
			if other < 0 || other == id {
				continue
			}
			e.makeOverlaps(other)
			switch o := e.overlaps[other].layout; {
			case near+layouts[o].size <= at || o == noLayout:
			case o > word8 || l > word8:
				e.refuseOverlap(l, o)
			default:
				e.noteOverlap(id, other)
				e.noteOverlap(other, id)
				e.wantMixed = !e.mixed
			}
		}
	}
}

// refuseOverlap ends an execution in which objects of different layouts lie over one another, not
// both words. The state of a lock, say, has more in it than the model of one.
func (e *engine) refuseOverlap(a, b layout) {
	if layouts[a].size > layouts[b].size {
		a, b = b, a
	}
	e.fail(KindRefused, "%s as a part of %s is not modelled", layouts[a].name, layouts[b].name)
}

// makeOverlaps makes room for what overlaps object id.
func (e *engine) makeOverlaps(id int32) {
	for n := len(e.overlaps); n <= int(id); n++ {
		e.overlaps = slices.Grow(e.overlaps, 1)[:n+1]
		e.overlaps[n] = overlap{with: e.overlaps[n].with[:0]}
	}
}

// noteOverlap notes that other overlaps object id.
func (e *engine) noteOverlap(id, other int32) {
	if o := &e.overlaps[id]; !slices.Contains(o.with, other) {
		o.with = append(o.with, other)
	}
}

// overlapping returns the other objects that have bytes in common with the one of number id.
func (e *engine) overlapping(id int32) []int32 {
	if int(id) >= len(e.overlaps) {
		return nil
	}
	return e.overlaps[id].with
}

// shareMemory reports whether two objects are one, or overlap; -1 stands for none.
func (e *engine) shareMemory(a, b int32) bool {
	return a == b && a >= 0 || e.overlaid && e.overlap(a, b)
}

// overlap reports whether two objects are not one, but have bytes in common.
func (e *engine) overlap(a, b int32) bool {
	return a >= 0 && slices.Contains(e.overlapping(a), b)
}

// racesOverlapping adds to cands what races adds, of the objects that overlap t's. This, and
// joinOverlapping, repeats what is done there for t's own object: one loop for all of them made
// every exploration slower by 2 %.
func (e *engine) racesOverlapping(t *thread, c class) {
	for _, id := range e.overlapping(t.obj) {
		o := &e.objs[id]
		for i := range o.recent {
			for k, f := range o.recent[i].last {
				if f >= 0 && class(k).dependsOn(c) {
					e.lastRace(t, f)
				}
			}
		}
		if o.written >= 0 {
			e.racesBefore(t, c, o.written)
		}
	}
}

// joinOverlapping adds to the clock of event d, which has class c, what happens before it on the
// objects that overlap its own.
func (e *engine) joinOverlapping(id int32, c class, d int32) {
	for _, id := range e.overlapping(id) {
		o := &e.objs[id]
		for i := range o.recent {
			for k, f := range o.recent[i].last {
				if f >= 0 && class(k).dependsOn(c) {
					e.join(d, f)
				}
			}
		}
		if f := o.written; f >= 0 && write.dependsOn(c) {
			e.join(d, f)
		}
	}
}

// alwaysWrites reports whether t's operation is a CompareAndSwap that is a write even if it fails.
func (e *engine) alwaysWrites(t *thread) bool {
	return e.mixed && t.op == OpCAS && t.word&Wide != 0
}

// did returns the class of what the event did: a CompareAndSwap that failed has only read.
func (ev *event) did() class {
	if ev.fails {
		return read
	}
	return ev.class
}
