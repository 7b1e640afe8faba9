package buggy

import (
	"sync/atomic"
	"testing"
)

// A lease is held by one at a time and may be taken away. What its last holder gives back late must
// not end that of the next one.
type lease struct{ holder atomic.Int64 } // 0 if nobody holds it

type holder struct {
	lease *lease
	id    int64
}

func (l *lease) acquire(id int64) (h holder, ok bool) {
	return holder{l, id}, l.holder.CompareAndSwap(0, id)
}

func (l *lease) expire() { l.holder.Store(0) }

func (h holder) release() bool { return h.lease.holder.CompareAndSwap(h.id, 0) }

// verdict: FAILED ^assertion failed: .*lost its lease
func TestABALease(t *testing.T) {
	const worker = 1
	l := &lease{}
	old, _ := l.acquire(worker)
	late := make(chan struct{})
	go func() {
		old.release() // it was slow
		close(late)
	}()
	l.expire()
	h, ok := l.acquire(worker)
	if ok && !h.release() {
		t.Error("a worker lost its lease")
	}
	<-late
}
