package buggy

import (
	"sync"
	"testing"
)

// A registration is reused when it has been cancelled. Who cancels late must not cancel the next.
type registration struct {
	active bool
}

type registrations struct {
	mu   sync.Mutex
	free []*registration
}

func (s *registrations) add() *registration {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &registration{}
	if len(s.free) > 0 {
		r, s.free = s.free[0], s.free[1:]
	}
	r.active = true
	return r
}

func (s *registrations) cancel(r *registration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.active {
		r.active = false
		s.free = append(s.free, r)
	}
}

// verdict: FAILED ^assertion failed: .*cancelled by another
func TestABAPointerPool(t *testing.T) {
	s := &registrations{}
	first := s.add()
	var both sync.WaitGroup
	both.Go(func() { s.cancel(first) }) // at its timeout
	both.Go(func() {
		s.cancel(first) // at its end
		second := s.add()
		s.mu.Lock()
		defer s.mu.Unlock()
		if !second.active {
			t.Error("cancelled by another")
		}
	})
	both.Wait()
}
