package buggy

import (
	"sync"
	"testing"
	"time"
)

// An idleConn closes itself when it was not used for a while.
type idleConn struct {
	mu     sync.Mutex
	inUse  bool
	closed bool
	idle   *time.Timer
}

func newIdleConn(d time.Duration) *idleConn {
	c := &idleConn{}
	c.idle = time.AfterFunc(d, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.closed = true
	})
	return c
}

// use reports whether the connection may be used until done is called.
func (c *idleConn) use() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle.Stop()
	c.inUse = !c.closed
	return c.inUse
}

func (c *idleConn) usable() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.closed
}

// verdict: FAILED ^timing: assertion failed: .*closed while it is used
func TestTimerIdle(t *testing.T) {
	c := newIdleConn(time.Millisecond)
	if c.use() && !c.usable() {
		t.Error("closed while it is used")
	}
}
