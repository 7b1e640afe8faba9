package buggy

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A cleaner drops sessions until it is closed.
type sessionCleaner struct {
	done  chan struct{}
	sweep func()
}

func (c *sessionCleaner) run() {
	for {
		select {
		case <-time.After(time.Minute):
			c.sweep()
		case <-c.done:
			return
		}
	}
}

// verdict: FAILED ^deadlock: .*
func TestSynctestLeftover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sweeps atomic.Int32
		c := &sessionCleaner{done: make(chan struct{}), sweep: func() { sweeps.Add(1) }}
		idle := make(chan struct{})
		go func() {
			c.run()
			<-idle
		}()
		time.Sleep(time.Minute + time.Second)
		close(c.done)
		synctest.Wait()
		if n := sweeps.Load(); n != 1 {
			t.Errorf("%d sweeps", n)
		}
	})
}
