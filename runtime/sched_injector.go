package runtime

import (
	"sync"
	"sync/atomic"
)

// The injector is the queue that all workers share. It holds tasks that were submitted or woken
// from outside, and tasks that rings had no room for. It is first in, first out, and unbounded.
//
// It is a mutex and a growing ring, not a lock-free list: a worker takes up to 32 tasks under one
// lock, an overflow adds half a ring under one, and the closed flag must agree with the content.
// Tasks need no link field for it.
//
// Which accesses rely on which
//
//	pusher   1 length.Store under the lock  2 notify: look for a sleeper
//	parker   1 set its bit                  2 recheck: length.Load
//	         Either the parker sees the task, or the pusher sees the parker: no lost wakeup.
//	         (idle/I1)
//	closed   read by push and set by stopIfDone under the lock: a task is queued before the
//	         runtime closes, or refused
//
// Proved (package proofs), J1 to J10 for any number of workers, submitters and tasks, the others
// within bounds:
//
//	injector/J1, injector/J7      no task is lost or duplicated between injector, batches in
//	                              transit, and rings
//	injector/J2                   length is the length
//	injector/J3                   tasks from outside are refused after the end
//	injector/J4, injector/J6      no lost wakeup while batches are in transit; the count of
//	                              searchers stays exact
//	injector/J5, injector/J10     when all workers have stopped, all accepted tasks are done
//	injector/J8, injector/J9      first in, first out; a batch fits
//	injector/X1, injector/X2      the same in every reachable state, and every run ends
//	injector/S1, injector/S2      the same for a second model, with long tasks,
//	injector/S3                   and every fair run completes all tasks and stops all workers
//	injector/R1                   how workers look here, fall asleep, sleep, wake and stop refines
//	                              the tables that idle is proved with
type injector struct {
	// length is the number of queued tasks. Written under the lock, read by any goroutine: 0 means
	// that the queue was empty at that instant.
	length atomic.Int64
	_      [120]byte

	lock sync.Mutex
	// The rest is under the lock.

	// tasks is a ring whose size is a power of two; entries [head, head+length) modulo the size
	// are queued, the others nil.
	tasks  []*task
	head   int
	closed bool // push refuses tasks from outside
	// accepted counts the tasks that came from outside; public is the copy of it that Stats reads.
	accepted uint64
	public   atomic.Uint64
}

const (
	injectorMin  = 64      // entries; the ring is never smaller
	injectorKept = 1 << 15 // entries that are kept for the next burst: 256 KB
)

// push appends batch and returns true; or returns false if fresh is set and the injector is closed.
// fresh marks new tasks. Others, which are never refused, are tasks in transit: the caller
// subtracts them from live afterwards. Any goroutine may call it.
func (q *injector) push(fresh bool, batch ...*task) bool {
	q.lock.Lock()
	if fresh && q.closed {
		q.lock.Unlock()
		return false
	}
	if fresh {
		q.accepted += uint64(len(batch))
	}
	n := int(q.length.Load())
	if n+len(batch) > len(q.tasks) {
		q.resize(n, n+len(batch))
	}
	mask := len(q.tasks) - 1
	for i, t := range batch {
		q.tasks[(q.head+n+i)&mask] = t
	}
	// Partner: takeable, which loads length after its worker has set its bit. (idle/I1)
	q.length.Store(int64(n + len(batch)))
	q.lock.Unlock()
	return true
}

// fill is push for n tasks that put writes in place: put fills dst with tasks from, from+1 and so
// on. It is called once, or twice if the ring wraps.
func (q *injector) fill(fresh bool, n int, put func(dst []*task, from int)) bool {
	q.lock.Lock()
	defer q.lock.Unlock()
	if fresh && q.closed {
		return false
	}
	if fresh {
		q.accepted += uint64(n)
	}
	queued := int(q.length.Load())
	if queued+n > len(q.tasks) {
		q.resize(queued, queued+n)
	}
	start := (q.head + queued) & (len(q.tasks) - 1)
	straight := min(n, len(q.tasks)-start)
	put(q.tasks[start:start+straight], 0)
	put(q.tasks[:n-straight], straight)
	// Partner: as in push.
	q.length.Store(int64(queued + n))
	return true
}

// take moves the oldest tasks to dst and returns how many: at most the fair share of one worker,
// rounded up so that a single task can be taken. Worker w calls it and counts the tasks.
func (q *injector) take(w *worker, dst []*task) int {
	if q.length.Load() == 0 {
		return 0
	}
	q.lock.Lock()
	queued := int(q.length.Load())
	n := min(queued/len(w.rt.workers)+1, queued, len(dst))
	w.takeCredit(n) // before they leave; partner: stopIfDone, which checks both under the lock
	if q.public.Load() != q.accepted {
		q.public.Store(q.accepted)
	}
	mask := len(q.tasks) - 1
	for i := range n {
		slot := &q.tasks[(q.head+i)&mask]
		dst[i], *slot = *slot, nil
	}
	q.head += n
	q.length.Store(int64(queued - n))
	if queued-n < len(q.tasks)/8 && len(q.tasks) > injectorKept {
		q.resize(queued-n, max(2*(queued-n), injectorKept))
	}
	q.lock.Unlock()
	return n
}

// resize moves the n queued tasks to a ring of at least want entries.
func (q *injector) resize(n, want int) {
	size := injectorMin
	for size < want {
		size *= 2
	}
	tasks := make([]*task, size)
	for i := range n {
		tasks[i] = q.tasks[(q.head+i)&(len(q.tasks)-1)]
	}
	q.tasks, q.head = tasks, 0
}
