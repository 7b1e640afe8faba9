package buggy

import (
	"sync"
	"testing"
)

type connManager struct {
	mu    sync.Mutex
	conns map[*managedConn]bool
}

type managedConn struct {
	mu      sync.Mutex
	manager *connManager
	closed  bool
	sent    int
}

func (m *connManager) broadcast() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for c := range m.conns {
		c.write()
	}
}

func (m *connManager) remove(c *managedConn) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.conns, c)
}

func (c *managedConn) write() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.sent++
	}
}

func (c *managedConn) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	c.closed = true
	c.manager.remove(c)
}

// verdict: FAILED ^deadlock: every goroutine waits for ever
func TestLockOrderConnections(t *testing.T) {
	m := &connManager{conns: map[*managedConn]bool{}}
	c := &managedConn{manager: m}
	m.conns[c] = true
	var both sync.WaitGroup
	both.Go(m.broadcast)
	both.Go(c.close)
	both.Wait()
	if len(m.conns) != 0 {
		t.Error("a closed connection is still managed")
	}
}
