package repaired

import (
	"sync"
	"sync/atomic"
	"testing"
)

// A migrated store moves its data at the first access.
type migratedStore struct {
	mu       sync.Mutex
	migrated atomic.Bool
	version  int
}

func (s *migratedStore) open() int {
	if !s.migrated.Load() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.migrated.Load() {
			s.version = 2
			s.migrated.Store(true)
		}
	}
	return s.version
}

// verdict: proved without assumptions
func TestDoubleCheckFlag(t *testing.T) {
	s := &migratedStore{version: 1}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if v := s.open(); v != 2 {
				t.Errorf("version %d", v)
			}
		})
	}
	both.Wait()
}
