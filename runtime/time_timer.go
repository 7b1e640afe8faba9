package runtime

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/surewake/surewake/taskstate"
)

// A timer wakes its task when the runtime's clock shows the time for which it was set, or later. It
// belongs to its maker until it is set, and then to the timers until it has fired or is stopped.
type timer struct {
	task *task
	// The others are under the lock of the timers once it has been set.
	index int32  // in the heap; unset if it is not in it
	order uint32 // of timers that were set for the same time; it wraps
}

// unset is the index of a timer that is not set. That of one that never was is not looked at,
// except if it is the alarm of a future.
const unset = -1

// timers is the set of a runtime's timers: a heap under a lock. Any goroutine may call its methods.
type timers struct {
	// next is the earliest deadline, or math.MaxInt64. Written under the lock, read by any
	// goroutine.
	next  atomic.Int64
	count atomic.Int64 // len(heap): written under the lock, read by any goroutine
	first atomic.Int64 // len(ready) + len(kept): likewise
	lock  sync.Mutex
	heap  timerHeap
	order uint32 // of the timer that was set last
	// ready are tasks that are SCHEDULED, and queued only here: they count as due, before all
	// timers. (runtime/R77)
	ready []*task
	// kept are such tasks that come before those, and never queue behind a pile. (runtime/R79)
	kept []*task
	// fired: what takeNext took last was due. (runtime/R82)
	fired bool
}

func (ts *timers) init() { ts.next.Store(math.MaxInt64) }

// until returns the time from now to the earliest deadline: 0 if it has passed, never if there is
// none.
func (ts *timers) until(now int64) time.Duration {
	next := ts.next.Load()
	if next == math.MaxInt64 {
		return never
	}
	return time.Duration(max(next-now, 0))
}

// set sets t, which is not set, for when, and reports whether t is now the earliest timer.
func (ts *timers) set(t *timer, when int64) bool {
	ts.lock.Lock()
	defer ts.lock.Unlock()
	return ts.setLocked(t, when)
}

// setLocked is set, under the lock.
func (ts *timers) setLocked(t *timer, when int64) bool {
	ts.order++
	t.order = ts.order
	ts.heap.push(timerEntry{when, t})
	ts.count.Store(int64(len(ts.heap)))
	if t.index != 0 || ts.next.Load() == atOnce {
		return false
	}
	// Partner: drive, which becomes the driver and then loads next.
	ts.next.Store(when)
	return true
}

// move sets t for when, whether it is set or not, and reports whether t is the earliest timer and
// was not set for that time before. t must have been set before, or have the index unset.
func (ts *timers) move(t *timer, when int64) bool {
	ts.lock.Lock()
	defer ts.lock.Unlock()
	if t.index != unset {
		if ts.heap[t.index].when == when {
			return false
		}
		ts.heap.remove(t.index)
		defer ts.publish()
	}
	return ts.setLocked(t, when)
}

// stop stops t, and reports whether t was set. A stopped timer does not fire.
func (ts *timers) stop(t *timer) bool {
	ts.lock.Lock()
	defer ts.lock.Unlock()
	if t.index == unset {
		return false
	}
	ts.heap.remove(t.index)
	ts.publish()
	return true
}

// add queues t, which is SCHEDULED, before all timers, and reports whether it is the first there.
func (ts *timers) add(t *task) bool {
	ts.lock.Lock()
	defer ts.lock.Unlock()
	ts.ready = append(ts.ready, t)
	return ts.atOnce()
}

// keep puts tasks, which are SCHEDULED, after those that are kept, and reports as add does.
func (ts *timers) keep(kept []*task) bool {
	ts.lock.Lock()
	defer ts.lock.Unlock()
	ts.kept = append(ts.kept, kept...)
	return ts.atOnce()
}

// atOnce stores a deadline that has passed, and reports whether another was there. It is called
// under the lock.
func (ts *timers) atOnce() bool {
	ts.countFirst()
	if ts.next.Load() == atOnce {
		return false
	}
	// Partner: drive, which becomes the driver and then loads next.
	ts.next.Store(atOnce)
	return true
}

// dropReady drops what is ready or kept when no task is left: stale entries.
func (ts *timers) dropReady() {
	if ts.next.Load() != atOnce {
		return
	}
	ts.lock.Lock()
	stale := append(ts.kept, ts.ready...)
	ts.kept, ts.ready = nil, nil
	ts.publish()
	ts.lock.Unlock()
	for _, t := range stale {
		t.dropStale()
	}
}

// takeKept removes the first task that is kept, and returns it, or nil.
func (ts *timers) takeKept() (t *task) {
	if ts.next.Load() != atOnce {
		return nil
	}
	ts.lock.Lock()
	defer ts.lock.Unlock()
	if len(ts.kept) > 0 {
		t, ts.kept = removeFirst(ts.kept)
		ts.publish()
	}
	return t
}

// removeFirst returns the first of all, and the others.
func removeFirst(all []*task) (first *task, others []*task) {
	first, all[0] = all[0], nil
	if len(all) == 1 {
		return first, nil
	}
	return first, all[1:]
}

// atOnce is a deadline that has passed: no clock shows less.
const atOnce = -1 << 62

// takeReady removes the first task that is ready, and returns it, or nil.
func (ts *timers) takeReady() (t *task) {
	if ts.next.Load() != atOnce {
		return nil
	}
	ts.lock.Lock()
	defer ts.lock.Unlock()
	if len(ts.ready) > 0 {
		t, ts.ready = removeFirst(ts.ready)
		ts.publish()
	}
	return t
}

// takeNext is takeDue for one task. What is ready and what is due have their turns.
func (ts *timers) takeNext(now int64, dst *[1]*task) (n, ready int) {
	ts.lock.Lock()
	defer ts.lock.Unlock()
	ts.fired = !ts.fired && len(ts.heap) > 0 && ts.heap[0].when <= now
	if ts.fired {
		return ts.takeDueLocked(now, dst[:], 0)
	}
	return ts.takeDueLocked(now, dst[:], 1)
}

// takeDue removes what is ready, at most so many, and fires timers that are due, in the order of
// their deadlines: as many as dst is long. It stores the tasks there, and returns how many, and how
// many of them were ready. The caller wakes the others.
func (ts *timers) takeDue(now int64, dst []*task, mostReady int) (n, ready int) {
	ts.lock.Lock()
	defer ts.lock.Unlock()
	return ts.takeDueLocked(now, dst, mostReady)
}

// takeDueLocked is takeDue, under the lock.
func (ts *timers) takeDueLocked(now int64, dst []*task, mostReady int) (n, ready int) {
	for ready < min(len(dst), mostReady) && len(ts.ready) > 0 {
		dst[ready], ts.ready = removeFirst(ts.ready)
		ready++
	}
	n = ready
	for n < len(dst) && len(ts.heap) > 0 && ts.heap[0].when <= now {
		dst[n] = ts.heap[0].timer.task
		ts.heap.remove(0)
		n++
	}
	ts.publish()
	return n, ready
}

// publish stores the earliest deadline and the number of timers. It is called under the lock.
func (ts *timers) publish() {
	next := int64(math.MaxInt64)
	if len(ts.heap) > 0 {
		next = ts.heap[0].when
	}
	if ts.countFirst() > 0 {
		next = atOnce
	}
	ts.next.Store(next)
	ts.count.Store(int64(len(ts.heap)))
}

// countFirst stores how many are ready or kept, and returns it. It is called under the lock.
func (ts *timers) countFirst() int {
	n := len(ts.ready) + len(ts.kept)
	if int64(n) != ts.first.Load() { // a store costs as much as the rest
		ts.first.Store(int64(n))
	}
	return n
}

// A timerHeap is a heap in which each entry has up to four children, and none that comes before it.
// It keeps timer.index.
type timerHeap []timerEntry

// A timerEntry is a timer with what it is compared by, which saves most accesses to the timer.
type timerEntry struct {
	when  int64
	timer *timer
}

const heapChildren = 4

func (e *timerEntry) before(f *timerEntry) bool {
	return e.when < f.when || e.when == f.when && int32(e.timer.order-f.timer.order) < 0
}

func (h *timerHeap) push(e timerEntry) {
	*h = append(*h, timerEntry{})
	h.up(int32(len(*h)-1), e)
}

// remove removes the entry at i.
func (h *timerHeap) remove(i int32) {
	old := *h
	old[i].timer.index = unset
	n := int32(len(old) - 1)
	last := old[n]
	old[n] = timerEntry{}
	*h = old[:n]
	if i < n {
		h.down(i, last)
		if last.timer.index == i {
			h.up(i, last)
		}
	}
}

// up puts e at i, or at a place above it.
func (h timerHeap) up(i int32, e timerEntry) {
	for i > 0 {
		parent := (i - 1) / heapChildren
		if !e.before(&h[parent]) {
			break
		}
		h.put(i, h[parent])
		i = parent
	}
	h.put(i, e)
}

// down puts e at i, or at a place below it.
func (h timerHeap) down(i int32, e timerEntry) {
	for {
		first := heapChildren*int(i) + 1
		if first >= len(h) {
			break
		}
		least := int32(first)
		for c := least + 1; c < int32(min(first+heapChildren, len(h))); c++ {
			if h[c].before(&h[least]) {
				least = c
			}
		}
		if !h[least].before(&e) {
			break
		}
		h.put(i, h[least])
		i = least
	}
	h.put(i, e)
}

func (h timerHeap) put(i int32, e timerEntry) {
	h[i] = e
	e.timer.index = i
}

// How tasks begin in the order of their deadlines (runtime/R13)
//
// What is due stays among the timers until a worker picks it: the first, as what it runs next, if
// none of those before it is left in the ring. So nothing that others start or wake can take its
// place, and a single timer does not wait for what the ring holds. Between two of those that are
// picked so, something else has a turn, except where the ring has overflown (see below).
//
// The others follow at the back of the ring, in this order, and only as many as there is room for,
// where thieves can take them; or, if there is a backlog in the injector, stay for the next picks,
// or all queue behind that (sched_pile.go). If the ring overflows, those that must leave it go back
// to the timers, before all others: the backlog that this begins may be long. (runtime/R79)
//
// Rejected alternatives:
//
//   - The slot for each, as for any wake. The last one then begins first, and most of the others go
//     through the injector.
//   - The slot for the first. Whatever runs before it and starts or wakes a task takes its place,
//     and with a backlog it was seconds late. (runtime/R79)

// lookForDue notes whether timers are due.
func (w *worker) lookForDue() {
	if w.ring.Tail()-w.dueEnd > longPast { // positions wrap
		w.dueEnd = w.ring.Tail() - longPast
	}
	next := w.rt.timers.next.Load()
	// A comparison is cheaper than reading the clock.
	w.dueLeft = next != math.MaxInt64 && next <= w.rt.now()
}

// pickDue returns what is due first, SCHEDULED, if that may go next, or nil.
func (w *worker) pickDue() *task {
	if w.due.last {
		return nil
	}
	ts := &w.rt.timers
	piles := w.queuesBehind()
	if t := ts.takeKept(); t != nil {
		return w.dueNext(t, piles)
	}
	behind := piles && w.due.queued >= w.ring.Cap() || w.due.behind > 0
	if w.dueQueued() {
		if !behind {
			if t := ts.takeReady(); t != nil {
				return w.dueNext(t, piles)
			}
		}
		return nil
	}
	now := w.rt.now()
	if behind {
		w.putBehind(now)
		return nil
	}
	t := w.takeFirstDue(now)
	if t == nil {
		w.dueLeft = false
		return nil
	}
	w.due.last, w.due.passed = true, 0 // until the next pick
	if w.backlog() {
		w.beginDueTurn(piles)
	} else if room := w.ring.Cap() - w.ring.Len(); room > 0 && ts.next.Load() <= now {
		if before := w.ring.Tail(); w.takeDue(now, room) != before {
			w.dueEnd = w.ring.Tail()
		}
	}
	w.dueLeft = ts.next.Load() <= now
	return t
}

// dueNext returns t, which counts as due and goes next. Something else has the turn after it.
func (w *worker) dueNext(t *task, piles bool) *task {
	w.due.last, w.due.passed = true, 0
	w.beginDueTurn(piles)
	return t
}

// addReady makes t, which is SCHEDULED and must end, count as due.
func (w *worker) addReady(t *task) {
	w.dueLeft = true
	if w.rt.timers.add(t) {
		w.rt.urge() // w may go on for long, and who adds another does not say so again
	}
}

// fewTasks is how many queued tasks are no crowd.
const fewTasks = 4

// crowded reports whether a task that is queued at w may wait for many others.
func (w *worker) crowded() bool { return w.rt.injector.Len() > 0 || w.hasMany() }

// hasMany reports whether w has many tasks queued. Any goroutine may call it.
func (w *worker) hasMany() bool {
	return w.ring.Len() > fewTasks || w.buffer != nil && w.buffer.Len() > fewTasks
}

// manyWorkers is how many workers are asked what they have queued, and are urged.
const manyWorkers = 64

// crowded reports whether a task that is queued anywhere may wait for many others. Any goroutine
// may call it.
func (rt *Runtime) crowded() bool {
	if rt.injector.Len() > 0 || len(rt.workers) > manyWorkers {
		return true
	}
	return slices.ContainsFunc(rt.workers, (*worker).hasMany)
}

// urge lets the workers look at what is ready among the timers before they run another task: a look
// at its time may be many slow polls away. (runtime/R82)
func (rt *Runtime) urge() {
	rt.wakeDriver()
	for _, w := range rt.workers[:min(len(rt.workers), manyWorkers)] {
		if !w.urged.Load() {
			w.urged.Store(true) // partner: pick
		}
	}
}

// longPast is how far ahead of a position in the ring the tail is when the position has been popped
// for certain: more than any capacity.
const longPast = 1 << 30

// dueQueued reports whether the ring may hold tasks of timers that were due.
func (w *worker) dueQueued() bool {
	return int32(w.dueEnd-w.ring.Tail())+int32(w.ring.Len()) > 0
}

// takeFirstDue fires timers that are due until one has woken its task, and returns that, or nil.
func (w *worker) takeFirstDue(now int64) (t *task) {
	due := w.one[:]
	for t == nil {
		n, ready := w.rt.timers.takeNext(now, &w.one)
		if n == 0 {
			return nil
		}
		if ready > 0 || due[0].state.Wake() == taskstate.WakeEnqueue {
			t = due[0]
		}
		due[0] = nil
	}
	return t
}

// takeDue fires timers that are due, at most the given number, and queues their tasks at the back
// of the ring, whose tail it returns. What is ready stays where it is if there are many tasks
// before it.
func (w *worker) takeDue(now int64, most int) (tail uint32) {
	due := w.batch(most)
	mostReady := most
	if w.crowded() {
		mostReady = 0
	}
	n, ready := w.rt.timers.takeDue(now, due, mostReady)
	for i, t := range due[:n] {
		if i < ready || t.state.Wake() == taskstate.WakeEnqueue {
			w.pushBack(t)
		}
	}
	clear(due[:n])
	return w.ring.Tail()
}

// takeDueBehind fires some timers that are due, and queues their tasks in the injector. It returns
// false if there were none.
func (w *worker) takeDueBehind(now int64) bool {
	due := w.batch(w.ring.Cap())
	n, ready := w.rt.timers.takeDue(now, due, len(due))
	due = due[:n]
	woken := due[:ready]
	for _, t := range due[ready:] {
		if t.state.Wake() == taskstate.WakeEnqueue {
			woken = append(woken, t)
		}
	}
	if len(woken) > 0 {
		w.rt.injector.Push(woken)
		w.addCredit(len(woken))
		w.rt.notify()
	}
	clear(due)
	return n > 0
}

// deadlineAfter returns now+d, or the latest possible deadline if that overflows.
func deadlineAfter(now int64, d time.Duration) int64 {
	if int64(d) > math.MaxInt64-1-now {
		return math.MaxInt64 - 1
	}
	return now + int64(d)
}

// setTimer sets t for when. If t is now the earliest timer, it wakes the driver, which may sleep
// for longer. (runtime/P3)
func (rt *Runtime) setTimer(t *timer, when int64) {
	if rt.timers.set(t, when) {
		rt.wakeDriver()
	}
}
