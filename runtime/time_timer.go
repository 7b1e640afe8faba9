package runtime

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/surewake/surewake/taskstate"
)

// A timer wakes its task when the runtime's clock shows when, or later. It belongs to its maker
// until it is set, and then to the timers until it has fired or is stopped.
type timer struct {
	when  int64
	task  *task
	index int // in the heap; -1 once it has been in it and is no more
}

// timers is the set of a runtime's timers: a heap under a lock. Any goroutine may call its methods.
type timers struct {
	// next is the earliest deadline, or math.MaxInt64. Written under the lock, read by any
	// goroutine.
	next  atomic.Int64
	count atomic.Int64 // len(heap): written under the lock, read by any goroutine
	lock  sync.Mutex
	heap  timerHeap
	order uint64
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

// set sets t, and reports whether t is now the earliest timer.
func (ts *timers) set(t *timer) bool {
	ts.lock.Lock()
	defer ts.lock.Unlock()
	ts.order++
	ts.heap.push(timerEntry{t.when, ts.order, t})
	ts.count.Store(int64(len(ts.heap)))
	if t.index != 0 {
		return false
	}
	// Partner: drive, which becomes the driver and then loads next.
	ts.next.Store(t.when)
	return true
}

// stop stops t, and reports whether t was set. A stopped timer does not fire.
func (ts *timers) stop(t *timer) bool {
	ts.lock.Lock()
	defer ts.lock.Unlock()
	if t.index < 0 {
		return false
	}
	ts.heap.remove(t.index)
	ts.publish()
	return true
}

// takeDue fires timers that are due, in the order of their deadlines, up to the length of dst, and
// stores their tasks there: the caller wakes them. It returns how many.
func (ts *timers) takeDue(now int64, dst []*task) (n int) {
	ts.lock.Lock()
	defer ts.lock.Unlock()
	for n < len(dst) && len(ts.heap) > 0 && ts.heap[0].when <= now {
		dst[n] = ts.heap[0].timer.task
		ts.heap.remove(0)
		n++
	}
	ts.publish()
	return n
}

// publish stores the earliest deadline and the number of timers. It is called under the lock.
func (ts *timers) publish() {
	next := int64(math.MaxInt64)
	if len(ts.heap) > 0 {
		next = ts.heap[0].when
	}
	ts.next.Store(next)
	ts.count.Store(int64(len(ts.heap)))
}

// A timerHeap is a heap in which each entry has up to four children, and none that comes before it.
// It keeps timer.index.
type timerHeap []timerEntry

// A timerEntry is a timer with what it is compared by, which saves most accesses to the timer.
type timerEntry struct {
	when  int64
	order uint64 // of timers with the same deadline
	timer *timer
}

const heapChildren = 4

func (e *timerEntry) before(f *timerEntry) bool {
	return e.when < f.when || e.when == f.when && e.order < f.order
}

func (h *timerHeap) push(e timerEntry) {
	*h = append(*h, timerEntry{})
	h.up(len(*h)-1, e)
}

// remove removes the entry at i.
func (h *timerHeap) remove(i int) {
	old := *h
	old[i].timer.index = -1
	n := len(old) - 1
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
func (h timerHeap) up(i int, e timerEntry) {
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
func (h timerHeap) down(i int, e timerEntry) {
	for {
		first := heapChildren*i + 1
		if first >= len(h) {
			break
		}
		least := first
		for c := first + 1; c < min(first+heapChildren, len(h)); c++ {
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

func (h timerHeap) put(i int, e timerEntry) {
	h[i] = e
	e.timer.index = i
}

// How tasks begin in the order of their deadlines (runtime/R13)
//
// Tasks of timers that are due go to the back of the ring, in this order, and only as many as there
// is room for: an overflow would send the first of them through the injector. The others stay in
// the heap until the next look, or until the ring is empty.
//
// If none of those that came before is left in the ring, and the slot is empty or the ring is full,
// the first goes to the slot: a single timer does not wait for what the ring holds.
//
// Rejected alternative: the slot for each, as for any wake. The last one then begins first, and
// most of the others go through the injector.

// fireTimers queues tasks of timers that are due.
func (w *worker) fireTimers() {
	ts := &w.rt.timers
	w.dueLeft = false
	if w.ring.Tail()-w.dueEnd > longPast { // positions wrap
		w.dueEnd = w.ring.Tail() - longPast
	}
	if ts.next.Load() == math.MaxInt64 { // a load is cheaper than reading the clock
		return
	}
	for now := w.rt.now(); ts.next.Load() <= now; {
		room, queued := w.ring.Cap()-w.ring.Len(), w.dueQueued()
		switch {
		case room == 0 && queued:
			w.dueLeft = true
			return
		case !queued && (room == 0 || w.slot.Load() == nil) && w.lifoPolls < w.rt.config.lifoCap:
			w.takeDue(now, 1, w.pushLocal)
		default:
			w.takeDue(now, max(room, 1), w.pushBack)
			w.dueEnd = w.ring.Tail()
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

// takeDue fires timers that are due, at most the given number, and passes their tasks to push.
func (w *worker) takeDue(now int64, most int, push func(*task)) {
	due := w.scratch[:min(len(w.scratch), most)]
	due = due[:w.rt.timers.takeDue(now, due)]
	for _, t := range due {
		if t.state.Wake() == taskstate.WakeEnqueue {
			push(t)
		}
	}
	clear(due)
}

// deadlineAfter returns now+d, or the latest possible deadline if that overflows.
func deadlineAfter(now int64, d time.Duration) int64 {
	if int64(d) > math.MaxInt64-1-now {
		return math.MaxInt64 - 1
	}
	return now + int64(d)
}

// setTimer sets t. If t is now the earliest timer, it wakes the driver, which may sleep for longer.
// (runtime/P3)
func (rt *Runtime) setTimer(t *timer) {
	if rt.timers.set(t) {
		rt.wakeDriver()
	}
}
