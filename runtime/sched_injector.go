package runtime

import (
	"sync"
	"sync/atomic"
)

// An injector is the queue that all workers share: what comes from outside, and what rings have no room for. It is first in,
// first out, and has no bound.
//
// It is a mutex and a ring that grows, not a lock-free list: a worker takes up to 32 tasks under one acquisition, an overflow
// brings half a ring under one, and the flag that ends it has to agree with what is in it. Tasks have no link field for it.
//
// Which accesses rely on which
//
//	length.Store under the lock, then    the parker's bit, then length.Load     lost wakeup: either the parker sees the task, or the
//	  a look for a sleeper (notify)        in its recheck                         pusher sees the parker (idle/I1)
//	closed under the lock                push under the lock                    a task is in the queue before the end, or refused
//
// What is proved (package proofs): J1 to J10 for any number of workers, outsiders and tasks, the others within bounds.
//
//	injector/J1, injector/J7      nothing is lost or there twice on its way through the injector, batches in hand, and rings
//	injector/J2                   length is the length
//	injector/J3                   what comes from outside after the end is refused
//	injector/J4, injector/J6      no lost wakeup while batches are in transit; searching stays exact
//	injector/J5, injector/J10     when all workers have ended, all that was accepted is done
//	injector/J8, injector/J9      first in, first out; a batch fits
//	injector/X1, injector/X2      the same in every state, and every run ends
//	injector/S1, injector/S2      the same of a second model, whose tasks may be long,
//	injector/S3                   and in every fair run all are done and all workers end
//	injector/R1                   how workers look here, fall asleep, sleep, wake and end is what idle's proofs are about
type injector struct {
	// length is len(tasks in the queue), written under the lock, read by anybody: 0 means that the queue was empty at that instant.
	length atomic.Int64
	_      [120]byte

	lock sync.Mutex
	// The rest is under the lock.

	// tasks is a ring of a power-of-two size; entries [head, head+length) modulo the size are queued, the others nil.
	tasks  []*task
	head   int
	closed bool // push refuses what comes from outside
	// accepted is how many tasks came from outside; public is what Stats sees of it.
	accepted uint64
	public   atomic.Uint64
}

const (
	injectorMin  = 64      // entries; the ring is never smaller
	injectorKept = 1 << 15 // entries that are kept for the next burst: 256 KB
)

// push appends batch, and reports whether it did: it does not if fresh is set and the injector is closed. fresh tells tasks that
// are new from those that are on their way already, which are never refused, and which the caller takes from live afterwards. Anyone
// may call it.
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
	q.length.Store(int64(n + len(batch)))
	q.lock.Unlock()
	return true
}

// fill is push for n tasks that put writes to where they belong: all of dst, from task number from on. It is called once or twice.
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
	q.length.Store(int64(queued + n))
	return true
}

// take moves the oldest tasks to dst, at most as many as the fair share of one worker, and returns how many. The share is rounded up so
// that a single task is somebody's. Worker w calls it, which counts them.
func (q *injector) take(w *worker, dst []*task) int {
	if q.length.Load() == 0 {
		return 0
	}
	q.lock.Lock()
	queued := int(q.length.Load())
	n := min(queued/len(w.rt.workers)+1, queued, len(dst))
	w.takeCredit(n)
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

// resize moves the n queued tasks to a ring that holds at least want.
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
