package buggy

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// A connector connects once. If that fails, the next user tries again.
type connector struct {
	once    sync.Once
	up      bool
	connect func() error
}

func (c *connector) ready() (err error) {
	c.once.Do(func() {
		err = c.connect()
		c.up = err == nil
	})
	return err
}

// verdict: FAILED ^assertion failed: .*ready, and not connected
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
