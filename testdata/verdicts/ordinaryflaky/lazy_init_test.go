package flaky

import (
	"sync"
	"sync/atomic"
	"testing"
)

type settings struct {
	mu     sync.Mutex
	loaded atomic.Bool
	limits map[string]int
}

func (s *settings) limit(name string) int {
	if !s.loaded.Load() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.loaded.Load() {
			s.loaded.Store(true)
			s.limits = map[string]int{"conns": 8}
		}
	}
	return s.limits[name]
}

// verdict: FAILED ^in the race run: data race
func TestLazyInit(t *testing.T) {
	var s settings
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if n := s.limit("conns"); n != 8 {
				t.Errorf("limit is %d", n)
			}
		})
	}
	both.Wait()
}
