package buggy

import (
	"sync"
	"testing"
)

// An errorCounter counts by kind.
type errorCounter struct{ kinds sync.Map }

func (c *errorCounter) add(kind string) {
	n := 0
	if v, ok := c.kinds.Load(kind); ok {
		n = v.(int)
	}
	c.kinds.Store(kind, n+1)
}

func (c *errorCounter) of(kind string) int {
	n, ok := c.kinds.Load(kind)
	if !ok {
		return 0
	}
	return n.(int)
}

// verdict: FAILED ^assertion failed: .*1 errors
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
