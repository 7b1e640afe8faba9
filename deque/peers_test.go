package deque_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/deque"
)

// The peers are what one would use otherwise, and what the benchmarks compare with. They hold
// pointers: an atomic slot can hold nothing wider.

// A queue is a peer, with steals into one of its own kind.
type queue[Q any] interface {
	push(v *int) // what does not fit goes to dropped
	pop() *int
	stealInto(dst Q) *int
}

// dropped takes what overflows, in batches or one by one.
type dropped struct {
	n int
	f func(batch []*int)
}

func (d *dropped) batch(batch []*int) { d.n += len(batch) }

// ours is the deque itself, as a peer.
type ours struct {
	d *deque.Deque[*int]
	dropped
}

func newOurs(size int) *ours {
	q := &ours{d: deque.New[*int](size)}
	q.f = q.batch
	return q
}

func (q *ours) push(v *int) { q.d.Push(v, q.f) }

func (q *ours) pop() *int {
	v, _ := q.d.Pop()
	return v
}

func (q *ours) stealInto(dst *ours) *int {
	v, _ := q.d.StealInto(dst.d)
	return v
}

// atomicRing is the same ring with atomic slots.
type atomicRing struct {
	slots []atomic.Pointer[int]
	_     [104]byte
	head  atomic.Uint64
	_     [120]byte
	tail  atomic.Uint32
	next  uint32
	_     [120]byte
	dropped
	spare []*int
}

func newAtomicRing(size int) *atomicRing {
	return &atomicRing{slots: make([]atomic.Pointer[int], size), spare: make([]*int, size/2+1)}
}

func (q *atomicRing) slot(p uint32) *atomic.Pointer[int] {
	return &q.slots[p&uint32(len(q.slots)-1)]
}

func (q *atomicRing) push(v *int) {
	for {
		head := q.head.Load()
		steal, real := uint32(head>>32), uint32(head)
		if q.next-steal < uint32(len(q.slots)) {
			q.slot(q.next).Store(v)
			q.next++
			q.tail.Store(q.next)
			return
		}
		if steal != real {
			q.n++
			return
		}
		half := uint32(len(q.slots)) / 2
		if q.head.CompareAndSwap(head, uint64(real+half)<<32|uint64(real+half)) {
			for i := range half {
				q.spare[i] = q.slot(real + i).Swap(nil)
			}
			q.spare[half] = v
			q.batch(q.spare)
			clear(q.spare)
			return
		}
	}
}

func (q *atomicRing) pop() *int {
	for {
		head := q.head.Load()
		steal, real := uint32(head>>32), uint32(head)
		if real == q.next {
			return nil
		}
		after := uint64(real+1)<<32 | uint64(real+1)
		if steal != real {
			after = uint64(steal)<<32 | uint64(real+1)
		}
		if q.head.CompareAndSwap(head, after) {
			return q.slot(real).Swap(nil)
		}
	}
}

func (q *atomicRing) stealInto(dst *atomicRing) *int {
	head := q.head.Load()
	steal, real := uint32(head>>32), uint32(head)
	n := q.tail.Load() - real
	if steal != real || n == 0 || n > uint32(len(q.slots)) {
		return nil
	}
	room := uint32(len(dst.slots)) - (dst.next - uint32(dst.head.Load()>>32))
	n = min(n-n/2, room+1)
	if !q.head.CompareAndSwap(head, uint64(steal)<<32|uint64(real+n)) {
		return nil
	}
	v := q.slot(real).Swap(nil)
	for i := range n - 1 {
		dst.slot(dst.next + i).Store(q.slot(real + 1 + i).Swap(nil))
	}
	for {
		head := q.head.Load()
		if q.head.CompareAndSwap(head, head<<32|head&(1<<32-1)) {
			break
		}
	}
	dst.next += n - 1
	dst.tail.Store(dst.next)
	return v
}

// mutexRing is a ring under a lock.
type mutexRing struct {
	mu         sync.Mutex
	head, tail uint32
	slots      []*int
	dropped
	spare []*int
}

func newMutexRing(size int) *mutexRing {
	return &mutexRing{slots: make([]*int, size), spare: make([]*int, size/2+1)}
}

func (q *mutexRing) slot(p uint32) **int { return &q.slots[p&uint32(len(q.slots)-1)] }

func (q *mutexRing) take() *int {
	p := q.slot(q.head)
	v := *p
	*p = nil
	q.head++
	return v
}

func (q *mutexRing) push(v *int) {
	q.mu.Lock()
	if q.tail-q.head < uint32(len(q.slots)) {
		*q.slot(q.tail) = v
		q.tail++
		q.mu.Unlock()
		return
	}
	for i := range len(q.slots) / 2 {
		q.spare[i] = q.take()
	}
	q.spare[len(q.slots)/2] = v
	q.mu.Unlock()
	q.batch(q.spare)
	clear(q.spare)
}

func (q *mutexRing) pop() (v *int) {
	q.mu.Lock()
	if q.head != q.tail {
		v = q.take()
	}
	q.mu.Unlock()
	return v
}

// stealInto may be called by one thief at a time, or by several that steal from nobody who steals:
// it takes both locks.
func (q *mutexRing) stealInto(dst *mutexRing) *int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := q.tail - q.head
	if n == 0 {
		return nil
	}
	dst.mu.Lock()
	defer dst.mu.Unlock()
	n = min(n-n/2, uint32(len(dst.slots))-(dst.tail-dst.head)+1)
	v := q.take()
	for range n - 1 {
		*dst.slot(dst.tail) = q.take()
		dst.tail++
	}
	return v
}

// channel is a buffered channel.
type channel struct {
	c chan *int
	dropped
}

func newChannel(size int) *channel { return &channel{c: make(chan *int, size)} }

func (q *channel) push(v *int) {
	select {
	case q.c <- v:
		return
	default:
	}
	for range cap(q.c) / 2 { // one by one: a channel has no other way
		if q.pop() != nil {
			q.n++
		}
	}
	q.n++
}

func (q *channel) pop() *int {
	select {
	case v := <-q.c:
		return v
	default:
		return nil
	}
}

func (q *channel) stealInto(dst *channel) *int {
	n := len(q.c)
	first := q.pop()
	for range n - n/2 - 1 {
		v := q.pop()
		if v == nil {
			break
		}
		select {
		case dst.c <- v:
		default:
			dst.n++
		}
	}
	return first
}

// What the benchmarks compare does the same thing.
func TestPeersDoTheSame(t *testing.T) {
	t.Run("deque", func(t *testing.T) { peerWorks(t, newOurs(8), newOurs(8)) })
	t.Run("atomic slots", func(t *testing.T) { peerWorks(t, newAtomicRing(8), newAtomicRing(8)) })
	t.Run("mutex", func(t *testing.T) { peerWorks(t, newMutexRing(8), newMutexRing(8)) })
	t.Run("channel", func(t *testing.T) { peerWorks(t, newChannel(8), newChannel(8)) })
}

func peerWorks[Q queue[Q]](t *testing.T, a, b Q) {
	numbers := make([]int, 20)
	for round := range 5 {
		for i := range 9 { // the ninth overflows: 5 go, 4 stay
			numbers[i] = i
			a.push(&numbers[i])
		}
		require.Equal(t, 4, *a.pop(), "round %d", round)
		require.Equal(t, 5, *a.stealInto(b)) // 5 and 6 of 5, 6, 7
		require.Equal(t, 6, *b.pop())
		require.Equal(t, 7, *a.pop())
		require.Nil(t, a.pop())
		require.Nil(t, b.pop())
		require.Nil(t, a.stealInto(b))
	}
}
