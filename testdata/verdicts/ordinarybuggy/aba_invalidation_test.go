package buggy

import (
	"sync"
	"sync/atomic"
	"testing"
)

// A rowCache reads a row at the first use. Absent, read by another, invalidated is absent again.
type rowCache struct {
	row    *atomic.Int64 // the database
	mu     sync.Mutex
	cached bool
	value  int64
}

func (c *rowCache) get() int64 {
	c.mu.Lock()
	if c.cached {
		defer c.mu.Unlock()
		return c.value
	}
	c.mu.Unlock()
	v := c.row.Load()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.cached {
		c.cached, c.value = true, v
	}
	return v
}

func (c *rowCache) set(v int64) {
	c.row.Store(v)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cached = false
}

// verdict: FAILED ^assertion failed: .*value 1 after the change
func TestABAInvalidation(t *testing.T) {
	c := &rowCache{row: new(atomic.Int64)}
	c.set(1)
	var both sync.WaitGroup
	both.Go(func() { c.get() })
	both.Go(func() { c.set(2) })
	both.Wait()
	if v := c.get(); v != 2 {
		t.Errorf("value %d after the change", v)
	}
}
