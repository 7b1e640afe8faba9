package buggy

import (
	"sync"
	"testing"
)

type workQueue struct {
	mu     sync.Mutex
	some   *sync.Cond
	work   []func()
	closed bool
}

func newWorkQueue() *workQueue {
	q := &workQueue{}
	q.some = sync.NewCond(&q.mu)
	return q
}

// next returns nil when the queue is closed and empty.
func (q *workQueue) next() func() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.work) == 0 {
		if q.closed {
			return nil
		}
		q.some.Wait()
	}
	f := q.work[0]
	q.work = q.work[1:]
	return f
}

func (q *workQueue) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.some.Signal()
}

// verdict: FAILED ^deadlock: .*Cond.Wait
func TestLostWakeupClose(t *testing.T) {
	q := newWorkQueue()
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for f := q.next(); f != nil; f = q.next() {
				f()
			}
		})
	}
	q.close()
	workers.Wait()
}
