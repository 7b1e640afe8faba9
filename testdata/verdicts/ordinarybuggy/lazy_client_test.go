package buggy

import (
	"sync"
	"sync/atomic"
	"testing"
)

type lazyClient struct {
	dials atomic.Int32
	conn  *int
}

func (c *lazyClient) get() *int {
	if c.conn == nil {
		c.dials.Add(1)
		c.conn = new(int)
	}
	return c.conn
}

// verdict: FAILED ^assertion failed: .*2 dials
func TestLazyClient(t *testing.T) {
	c := &lazyClient{}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if c.get() == nil {
				t.Error("no connection")
			}
		})
	}
	both.Wait()
	if n := c.dials.Load(); n != 1 {
		t.Errorf("%d dials", n)
	}
}
