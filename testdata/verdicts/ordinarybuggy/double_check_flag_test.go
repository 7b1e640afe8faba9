package buggy

import (
	"sync"
	"testing"
)

// A migrated store moves its data at the first access.
type migratedStore struct {
	mu       sync.Mutex
	migrated bool
	version  int
}

func (s *migratedStore) open() int {
	if !s.migrated {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.migrated {
			s.version = 2
			s.migrated = true
		}
	}
	return s.version
}

// verdict: FAILED ^in the race run: data race
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
