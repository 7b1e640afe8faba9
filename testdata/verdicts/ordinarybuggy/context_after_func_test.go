package buggy

import (
	"context"
	"sync"
	"testing"
)

// A deadlineConn is interrupted when the context of a read ends.
type deadlineConn struct {
	mu          sync.Mutex
	interrupted bool
}

func (c *deadlineConn) interrupt(v bool) {
	c.mu.Lock()
	c.interrupted = v
	c.mu.Unlock()
}

// read leaves the connection as it was: ready for the next read.
func (c *deadlineConn) read(ctx context.Context, n func()) {
	stop := context.AfterFunc(ctx, func() {
		c.interrupt(true)
	})
	n()
	stop()
	c.interrupt(false)
}

// verdict: FAILED ^assertion failed: .*still interrupted
func TestContextAfterFunc(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c := &deadlineConn{}
	c.read(ctx, cancel)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.interrupted {
		t.Error("still interrupted")
	}
}
