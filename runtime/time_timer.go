package runtime

import (
	"container/heap"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// A timer wakes its waker when the runtime's clock shows when, or later. It belongs to its maker
// until it is set, and then to the timers until it has fired or is stopped.
type timer struct {
	when  int64
	order uint64 // of timers with the same deadline
	index int    // in the heap; -1 while it is not set
	waker waker
}

// timers is the set of a runtime's timers: a heap under a lock. Any goroutine may call its methods.
type timers struct {
	// next is the earliest deadline, or math.MaxInt64. Written under the lock, read by any
	// goroutine.
	next  atomic.Int64
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
	t.order = ts.order
	heap.Push(&ts.heap, t)
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
	heap.Remove(&ts.heap, t.index)
	ts.publish()
	return true
}

// fire wakes the wakers of all timers that are due, in the order of their deadlines. w is the
// calling worker.
func (ts *timers) fire(now int64, w *worker) {
	for {
		ts.lock.Lock()
		if len(ts.heap) == 0 || ts.heap[0].when > now {
			ts.lock.Unlock()
			return
		}
		t := heap.Pop(&ts.heap).(*timer).waker
		ts.publish()
		ts.lock.Unlock()
		t.wake(w)
	}
}

// publish stores the earliest deadline. It is called under the lock.
func (ts *timers) publish() {
	next := int64(math.MaxInt64)
	if len(ts.heap) > 0 {
		next = ts.heap[0].when
	}
	ts.next.Store(next)
}

// timerHeap implements heap.Interface, and keeps timer.index.
type timerHeap []*timer

func (h timerHeap) Len() int { return len(h) }
func (h timerHeap) Less(i, j int) bool {
	return h[i].when < h[j].when || h[i].when == h[j].when && h[i].order < h[j].order
}
func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push implements heap.Interface.
func (h *timerHeap) Push(x any) {
	t := x.(*timer)
	t.index = len(*h)
	*h = append(*h, t)
}

// Pop implements heap.Interface.
func (h *timerHeap) Pop() any {
	n := len(*h) - 1
	t := (*h)[n]
	(*h)[n] = nil
	*h = (*h)[:n]
	t.index = -1
	return t
}

// fireTimers fires the timers that are due.
func (w *worker) fireTimers() {
	ts := &w.rt.timers
	if ts.next.Load() == math.MaxInt64 { // a load is cheaper than reading the clock
		return
	}
	if now := w.rt.now(); ts.next.Load() <= now {
		ts.fire(now, w)
	}
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
