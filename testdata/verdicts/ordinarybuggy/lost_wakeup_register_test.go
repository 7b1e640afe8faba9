package buggy

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

func (r *release) isDone() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.done
}

func (r *release) wait() {
	if r.isDone() {
		return
	}
	woken := make(chan struct{})
	r.mu.Lock()
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

// verdict: FAILED ^deadlock: .*channel receive
func TestLostWakeupRegister(t *testing.T) {
	r := &release{}
	var all sync.WaitGroup
	all.Go(r.wait)
	all.Go(r.wait)
	all.Go(r.open)
	all.Wait()
}
