package repaired

import (
	"sync"
	"testing"
)

type visitStats struct {
	mu     sync.Mutex
	visits map[string]int
}

func (s *visitStats) add(page string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.visits[page]++
}

func (s *visitStats) of(page string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.visits[page]
}

// verdict: proved without assumptions
func TestMapReader(t *testing.T) {
	s := &visitStats{visits: map[string]int{}}
	done := make(chan struct{})
	go func() {
		s.add("/")
		close(done)
	}()
	if n := s.of("/"); n > 1 {
		t.Errorf("%d visits", n)
	}
	<-done
}
