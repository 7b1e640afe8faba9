package repaired

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
	id, ok := r.routes[host]
	r.mu.RUnlock()
	if ok {
		return id
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.routes[host] = len(host)
	return len(host)
}

// verdict: proved without assumptions
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
