package injector

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
)

// It is a mutex and a growing ring, not a lock-free list: a worker takes up to a whole batch under
// one lock, an overflow adds half a ring under one, and the closed flag must agree with the
// content. Values need no link field for it.
//
// Which accesses rely on which
//
//	pusher   1 length.Store under the lock  2 notify: look for a sleeper
//	parker   1 set its bit                  2 recheck: length.Load
//	         Either the parker sees the value, or the pusher sees the parker: no lost wakeup.
//	         (idle/I1)
//	closed   read by Submit and set by Update under the lock: a value is queued before the
//	         queue closes, or refused
//
// Proved (package proofs), for any number of workers, submitters and values:
//
//	injector/J1, injector/J7      no value is lost or duplicated between the queue, batches in
//	                              transit, and the queues of the workers
//	injector/J2                   length is the length
//	injector/J3                   values from outside are refused after the end
//	injector/J8                   first in, first out
//	injector/R2                   this code does step by step what the proofs are about

// A Queue is an injector. The zero value is empty and open. A Queue must not be copied.
type Queue[T any] struct {
	// length is the number of queued values. Written under the lock, read by any goroutine: 0
	// means that the queue was empty at that instant. It is the first field: the tests that hold
	// code against the tables observe it by the address of the Queue.
	length atomic.Int64
	_      [120]byte

	lock sync.Mutex
	// The rest is under the lock.

	// slots is a ring whose size is a power of two; slots [head, head+length) modulo the size are
	// queued, the others zero.
	slots  []T
	head   int
	closed bool // Submit refuses
	// accepted counts what Submit has accepted; public is the copy of it that Accepted loads.
	accepted uint64
	public   atomic.Uint64
}

const (
	minSlots  = 64      // the ring is never smaller, once it is there
	keptSlots = 1 << 15 // that are kept for the next burst

	mostValues = math.MaxInt/2 + 1 // queued at a time: the largest ring
)

// Submit appends values in order and returns true, or returns false and appends none if the queue
// is closed. Anyone may call it.
func (q *Queue[T]) Submit(values []T) bool { return q.push(true, values) }

// Push appends values in order, whether or not the queue is closed. Anyone may call it.
func (q *Queue[T]) Push(values []T) { q.push(false, values) }

func (q *Queue[T]) push(fresh bool, values []T) bool {
	q.lock.Lock()
	if fresh && q.closed {
		q.lock.Unlock()
		return false
	}
	n := int(q.length.Load())
	if len(values) > mostValues-n {
		q.lock.Unlock()
		tooMany(len(values), n)
	}
	if fresh {
		q.accepted += uint64(len(values))
	}
	if n+len(values) > len(q.slots) {
		q.resize(n, n+len(values))
	}
	mask := len(q.slots) - 1
	for i, v := range values {
		q.slots[(q.head+n+i)&mask] = v
	}
	// Partner: Len, which a worker calls after it has set its bit. (idle/I1)
	q.length.Store(int64(n + len(values)))
	q.lock.Unlock()
	return true
}

// SubmitFunc is [Queue.Submit] for n values that fill writes in place: fill sets dst to the values
// from, from+1 and so on. It is called once, or twice if the ring wraps, under the lock, and must
// not use the queue. If it panics, nothing is appended.
func (q *Queue[T]) SubmitFunc(n int, fill func(dst []T, from int)) bool {
	return q.fill(true, n, fill)
}

// PushFunc is [Queue.Push] as SubmitFunc is Submit.
func (q *Queue[T]) PushFunc(n int, fill func(dst []T, from int)) { q.fill(false, n, fill) }

func (q *Queue[T]) fill(fresh bool, n int, put func(dst []T, from int)) bool {
	if n < 0 {
		panic(fmt.Sprintf("injector: SubmitFunc or PushFunc of %d values", n))
	}
	q.lock.Lock()
	defer q.lock.Unlock()
	if fresh && q.closed {
		return false
	}
	if n == 0 {
		return true
	}
	queued := int(q.length.Load())
	if n > mostValues-queued {
		tooMany(n, queued)
	}
	if queued+n > len(q.slots) {
		q.resize(queued, queued+n)
	}
	start := (q.head + queued) & (len(q.slots) - 1)
	straight := min(n, len(q.slots)-start)
	first, second := q.slots[start:start+straight], q.slots[:n-straight]
	filled := false
	defer func() {
		if !filled { // put panics: nothing of it stays
			clear(first)
			clear(second)
		}
	}()
	put(first[:straight:straight], 0)
	if n > straight {
		put(second[:n-straight:n-straight], straight)
	}
	filled = true
	if fresh {
		q.accepted += uint64(n)
	}
	// Partner: as in push.
	q.length.Store(int64(queued + n))
	return true
}

func tooMany(n, queued int) {
	panic(fmt.Sprintf("injector: %d more values than the %d queued: at most %d may be",
		n, queued, mostValues))
}

// Take moves the oldest values to dst, in order, and returns how many: at most len(dst), and at
// most the fair share of one of so many workers, rounded up so that a single value can be taken. It
// panics unless workers is positive.
func (q *Queue[T]) Take(dst []T, workers int) int { return q.TakeFunc(dst, workers, nil) }

// TakeFunc is [Queue.Take] that calls leaving with the number of values under the lock, before they
// leave: whoever counts values that are elsewhere misses none in between. leaving may be nil, must
// not panic, and must not use the queue.
func (q *Queue[T]) TakeFunc(dst []T, workers int, leaving func(n int)) int {
	if workers <= 0 {
		panic(fmt.Sprintf("injector: Take for %d workers", workers))
	}
	if q.length.Load() == 0 {
		return 0
	}
	q.lock.Lock()
	queued := int(q.length.Load())
	n := min(queued/workers+1, queued, len(dst))
	if leaving != nil {
		leaving(n)
	}
	if q.public.Load() != q.accepted {
		q.public.Store(q.accepted)
	}
	mask := len(q.slots) - 1
	var zero T
	for i := range n {
		slot := &q.slots[(q.head+i)&mask]
		dst[i], *slot = *slot, zero
	}
	q.head += n
	q.length.Store(int64(queued - n))
	if queued-n < len(q.slots)/8 && len(q.slots) > keptSlots {
		q.resize(queued-n, max(2*(queued-n), keptSlots))
	}
	q.lock.Unlock()
	return n
}

// resize moves the n queued values to a ring of at least want slots.
func (q *Queue[T]) resize(n, want int) {
	size := minSlots
	for size < want {
		size *= 2
	}
	slots := make([]T, size)
	for i := range n {
		slots[i] = q.slots[(q.head+i)&(len(q.slots)-1)]
	}
	q.slots, q.head = slots, 0
}

// Len returns the number of queued values at one instant within the call. Anyone may call it. It is
// one atomic load.
func (q *Queue[T]) Len() int { return int(q.length.Load()) }

// Accepted returns how many values Submit and SubmitFunc have accepted since the queue was made, as
// of the last Take that found something. Anyone may call it.
func (q *Queue[T]) Accepted() uint64 { return q.public.Load() }

// Close makes Submit refuse from then on. Anyone may call it, more than once.
func (q *Queue[T]) Close() { q.Update(func(bool) bool { return true }) }

// Update calls f with whether the queue is closed, and closes it if f returns true. While f runs,
// nothing enters or leaves the queue: what f sees of Len, and does elsewhere, is at one instant
// with the closing. f may call Len and Accepted, no other method. A closed queue stays closed.
func (q *Queue[T]) Update(f func(closed bool) bool) {
	q.lock.Lock()
	defer q.lock.Unlock()
	if f(q.closed) {
		q.closed = true
	}
}
