package explore

import (
	"maps"
	"slices"
	"unsafe"

	"github.com/surewake/surewake/model/wire"
)

// order finds which steps of a recorded execution synchronize before which, in the sense of Go's
// memory model: an unlock before the next lock, a send before the end of its receive, a store
// before a load that sees it, a go statement before the first step of what it starts. The clocks of
// events have more: they also order two steps if only the search must distinguish their orders.
//
// While the execution runs it writes a log, which is read at the end: the race detector would see
// what threads do to a map.
type order struct {
	log  []entry
	ends bool // steps are left out: what comes later is not ordered
}

// An entry says what the last step of a thread does for the order of steps.
type entry struct {
	kind   entryKind
	thread int
	at     meeting
	other  int // entryMade: the number of the step; entryStarts, entryJoins: a thread
}

type entryKind uint8

const (
	entryMade entryKind = iota // the thread has made a step
	entryStarts
	entryJoins
	entryAcquires // what was released there comes before
	entryReleases // in place of what was released there before
	entryMerges   // with it
)

// A meeting is where one thread releases and another one acquires: an object, or a token of the
// engine.
type meeting struct {
	kind  meetingKind
	obj   int32
	token unsafe.Pointer
}

type meetingKind uint8

const (
	meetObject meetingKind = iota
	meetReaders
	meetToken
)

func tokenOf(p unsafe.Pointer) meeting { return meeting{kind: meetToken, token: p} }

func (o *order) add(kind entryKind, thread int, at meeting) {
	o.note(entry{kind: kind, thread: thread, at: at})
}

func (o *order) note(e entry) {
	if !o.ends {
		o.log = append(o.log, e)
	}
}

// step notes step n, which is event ev of t. Attempts to lock are noted when their
// result is known, by locked.
func (o *order) step(t *thread, ev *event, n int) {
	o.note(entry{kind: entryMade, thread: t.id, other: n})
	at, readers := meeting{obj: ev.obj}, meeting{obj: ev.obj, kind: meetReaders}
	switch ev.op {
	case OpStore, OpUnlock, OpRWUnlock, OpOnceDone:
		o.add(entryReleases, t.id, at)
	case OpSwap, OpAdd, OpAnd, OpOr:
		o.add(entryAcquires, t.id, at)
		o.add(entryReleases, t.id, at)
	case OpCAS:
		if o.add(entryAcquires, t.id, at); ev.did() == write {
			o.add(entryReleases, t.id, at)
		}
	case OpLoad, OpLock, OpRLock, OpOnce, OpWGWait:
		o.add(entryAcquires, t.id, at)
	case OpRWLock:
		o.add(entryAcquires, t.id, at)
		o.add(entryAcquires, t.id, readers)
	case OpRUnlock:
		o.add(entryMerges, t.id, readers)
	case OpWGAdd:
		if int32(t.old) < 0 {
			o.add(entryMerges, t.id, at)
		}
	}
}

// locked notes that the attempt of thread to lock, its last step, succeeded.
func (o *order) locked(thread int, ev *event) {
	switch ev.op {
	case OpRWTryLock:
		o.add(entryAcquires, thread, meeting{obj: ev.obj, kind: meetReaders})
		fallthrough
	case OpTryLock, OpTryRLock:
		o.add(entryAcquires, thread, meeting{obj: ev.obj})
	}
}

// An ordering reads a log.
type ordering struct {
	steps   []wire.Step
	threads map[int]*ordered
	places  map[meeting][]released
}

// ordered is what is known of one thread.
type ordered struct {
	last int         // its last step, -1 before the first one
	past map[int]int // by thread: its last step that comes before what this thread does next
	wait []released  // of these comes the first step
}

// A released is a step after which something can synchronize.
type released struct {
	thread, step int
	past         map[int]int // of the thread, then
}

// apply gives each of the steps the steps of other threads that synchronize before it. Those that
// come before it by way of others are left out.
func (o *order) apply(steps []wire.Step) {
	r := ordering{steps, map[int]*ordered{}, map[meeting][]released{}}
	for _, e := range o.log {
		r.read(&e)
	}
}

func (r *ordering) read(e *entry) {
	t := r.of(e.thread)
	switch e.kind {
	case entryMade:
		t.last = e.other
		r.after(t, t.wait)
		t.wait = nil
	case entryAcquires:
		r.after(t, r.places[e.at])
	case entryReleases:
		r.places[e.at] = r.now(e.thread)
	case entryMerges:
		r.places[e.at] = append(r.places[e.at], r.now(e.thread)...)
	case entryStarts:
		child := r.of(e.other)
		child.wait = append(slices.Clone(t.wait), r.now(e.thread)...)
	case entryJoins:
		r.after(t, r.now(e.other))
	}
}

func (r *ordering) of(thread int) *ordered {
	t := r.threads[thread]
	if t == nil {
		t = &ordered{last: -1, past: map[int]int{}}
		r.threads[thread] = t
	}
	return t
}

// now is the last step of a thread, if it has made one.
func (r *ordering) now(thread int) []released {
	t := r.of(thread)
	if t.last < 0 {
		return nil
	}
	return []released{{thread, t.last, maps.Clone(t.past)}}
}

// after notes that all of them synchronize before the last step of t.
func (r *ordering) after(t *ordered, all []released) {
	if t.last < 0 {
		t.wait = append(t.wait, all...)
		return
	}
	s := &r.steps[t.last]
	for _, before := range slices.Backward(all) { // the later ones know of the earlier ones
		if before.thread != s.Thread && !t.knows(before.thread, before.step) {
			s.After = append(s.After, before.step)
			t.past[before.thread] = before.step
		}
		for u, step := range before.past {
			if u != s.Thread && !t.knows(u, step) {
				t.past[u] = step
			}
		}
	}
	slices.Sort(s.After)
}

// knows reports whether that step of thread u comes before what t does next.
func (t *ordered) knows(u, step int) bool {
	last, ok := t.past[u]
	return ok && last >= step
}

// acquireFrom and releaseTo are an edge of happens-before: what came before the last releaseTo the
// token comes before what follows.
func (t *thread) acquireFrom(token *uint64) {
	if r := eng.rec; r != nil {
		r.order.add(entryAcquires, t.id, tokenOf(unsafe.Pointer(token)))
	}
	t.raceAcquire(token)
}

func (t *thread) releaseTo(token *uint64) {
	if r := eng.rec; r != nil {
		r.order.add(entryReleases, t.id, tokenOf(unsafe.Pointer(token)))
	}
	t.raceRelease(token)
}

// edges are the edges that the memory model gives a buffered channel: a send synchronizes before
// the end of the receive of its value, a receive before the end of the send that needs its room,
// and close before a receive that returns because of it. The runtime's own edges are hidden from
// the race detector: they are stronger for values of size 0.
type edges struct {
	slots []*[2]uint64 // by the number of the value modulo the capacity: sent, received
	end   uint64       // close, but for its access to the channel
	done  uint64       // that, too
}

// wanted reports whether anybody looks at edges.
func (*edges) wanted() bool { return Race || eng.rec != nil }

func (g *edges) slot(n, capacity int32) *[2]uint64 {
	i := int(n % capacity)
	for len(g.slots) <= i {
		g.slots = append(g.slots, new([2]uint64))
	}
	return g.slots[i]
}

// send and receive are called for value n, counted from 0.
func (g *edges) send(t *thread, n, capacity int32) {
	if !g.wanted() {
		return
	}
	s := g.slot(n, capacity)
	if n >= capacity {
		t.acquireFrom(&s[1])
	}
	t.chanOp.sent = &s[0]
	t.releaseTo(&s[0])
}

func (g *edges) receive(t *thread, n, capacity int32) {
	if !g.wanted() {
		return
	}
	s := g.slot(n, capacity)
	t.acquireFrom(&s[0])
	t.releaseTo(&s[1])
}

func (g *edges) close(t *thread) { t.releaseTo(&g.end) }

// closed is called for a receive that returns because of the close.
func (g *edges) closed(t *thread) {
	t.acquireFrom(&g.end)
	t.acquireFrom(&g.done)
}

// refused is called for a send that panics because of the close: its access to the channel, which
// is still to come, is not ordered with that of the close, but what recovers comes after it.
func (g *edges) refused(t *thread) { t.acquireFrom(&g.end) }
