package buggy

import (
	"sync"
	"testing"
)

type boundedQueue struct {
	mu    sync.Mutex
	some  *sync.Cond
	items []int
}

func newBoundedQueue() *boundedQueue {
	q := &boundedQueue{}
	q.some = sync.NewCond(&q.mu)
	return q
}

func (q *boundedQueue) put(items ...int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = append(q.items, items...)
	q.some.Broadcast()
}

func (q *boundedQueue) take() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) == 0 {
		q.some.Wait()
	}
	first := q.items[0]
	q.items = q.items[1:]
	return first
}

// verdict: FAILED ^panic: .*index out of range
func TestCondIf(t *testing.T) {
	q := newBoundedQueue()
	var takers sync.WaitGroup
	for range 2 {
		takers.Go(func() { q.take() })
	}
	q.put(1)
	q.put(2)
	takers.Wait()
	if len(q.items) != 0 {
		t.Errorf("%v is left", q.items)
	}
}
