package buggy

import (
	"sync"
	"testing"
)

// A routeTable looks most routes up, and resolves each once.
type routeTable struct {
	mu     sync.RWMutex
	routes map[string]int
}

func (r *routeTable) route(host string) int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if id, ok := r.routes[host]; ok {
		return id
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.routes[host] = len(host)
	return len(host)
}

// verdict: FAILED ^deadlock: every goroutine waits for ever
func TestRWMutexUpgrade(t *testing.T) {
	r := &routeTable{routes: map[string]int{}}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if id := r.route("db"); id != 2 {
				t.Errorf("route %d", id)
			}
		})
	}
	both.Wait()
}
