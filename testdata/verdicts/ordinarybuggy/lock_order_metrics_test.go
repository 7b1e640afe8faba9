package buggy

import (
	"sync"
	"testing"
)

type metricsRegistry struct {
	mu     sync.Mutex
	gauges []*gauge
	dirty  bool // a gauge has changed since the last export
}

type gauge struct {
	mu       sync.Mutex
	registry *metricsRegistry
	value    int
}

func (g *gauge) set(v int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.value = v
	g.registry.mu.Lock()
	g.registry.dirty = true
	g.registry.mu.Unlock()
}

func (r *metricsRegistry) export() (sum int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, g := range r.gauges {
		g.mu.Lock()
		sum += g.value
		g.mu.Unlock()
	}
	r.dirty = false
	return sum
}

// verdict: FAILED ^deadlock: every goroutine waits for ever
func TestLockOrderMetrics(t *testing.T) {
	r := &metricsRegistry{}
	r.gauges = []*gauge{{registry: r, value: 1}}
	var both sync.WaitGroup
	both.Go(func() { r.gauges[0].set(2) })
	both.Go(func() {
		if sum := r.export(); sum != 1 && sum != 2 {
			t.Errorf("sum %d", sum)
		}
	})
	both.Wait()
	if r.export() != 2 || r.dirty {
		t.Error("the last value is not exported")
	}
}
