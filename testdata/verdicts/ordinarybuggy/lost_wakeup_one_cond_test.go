package buggy

import (
	"sync"
	"sync/atomic"
	"testing"
)

// A slot holds one value. Writers and readers wait on the same Cond.
type slot struct {
	mu      sync.Mutex
	changed *sync.Cond
	full    bool
	value   int
}

func newSlot() *slot {
	s := &slot{}
	s.changed = sync.NewCond(&s.mu)
	return s
}

func (s *slot) put(v int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.full {
		s.changed.Wait()
	}
	s.full, s.value = true, v
	s.changed.Signal()
}

func (s *slot) take() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.full {
		s.changed.Wait()
	}
	s.full = false
	s.changed.Signal()
	return s.value
}

// verdict: FAILED ^deadlock: .*Cond.Wait
func TestLostWakeupOneCond(t *testing.T) {
	s := newSlot()
	var all sync.WaitGroup
	var sum atomic.Int64
	for range 2 {
		all.Go(func() { sum.Add(int64(s.take())) })
	}
	s.put(1)
	s.put(2)
	all.Wait()
	if sum.Load() != 3 {
		t.Errorf("sum %d", sum.Load())
	}
}
