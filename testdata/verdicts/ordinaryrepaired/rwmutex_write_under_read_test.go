package repaired

import (
	"sync"
	"testing"
)

// A hitCache counts how often each entry is used.
type hitCache struct {
	mu   sync.RWMutex
	hits map[string]int
}

func (c *hitCache) use(key string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.hits[key]++
	return c.hits[key]
}

// verdict: proved without assumptions
func TestRWMutexWriteUnderRead(t *testing.T) {
	c := &hitCache{hits: map[string]int{"a": 0}}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() { c.use("a") })
	}
	both.Wait()
	if n := c.use("a"); n != 3 {
		t.Errorf("%d uses", n)
	}
}
