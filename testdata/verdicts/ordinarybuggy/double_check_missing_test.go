package buggy

import (
	"sync"
	"testing"
)

// A templateCache parses each template once.
type templateCache struct {
	mu     sync.RWMutex
	parsed map[string]int
	parses int
}

func (c *templateCache) get(name string) int {
	c.mu.RLock()
	p, ok := c.parsed[name]
	c.mu.RUnlock()
	if ok {
		return p
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.parses++
	c.parsed[name] = c.parses
	return c.parses
}

// verdict: FAILED ^assertion failed: .*parsed 2 times
func TestDoubleCheckMissing(t *testing.T) {
	c := &templateCache{parsed: map[string]int{}}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() { c.get("index") })
	}
	both.Wait()
	if c.parses != 1 {
		t.Errorf("parsed %d times", c.parses)
	}
}
