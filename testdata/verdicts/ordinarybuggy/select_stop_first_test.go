package buggy

import (
	"sync"
	"sync/atomic"
	"testing"
)

// A consumer handles no event after it was told to stop.
type consumer struct {
	events  chan int
	stop    chan struct{}
	stopped atomic.Bool
	late    atomic.Int32
}

func (c *consumer) run() {
	for {
		select {
		case <-c.events:
			if c.stopped.Load() {
				c.late.Add(1)
			}
		case <-c.stop:
			return
		}
	}
}

// verdict: FAILED ^assertion failed: .*after the stop
func TestSelectStopFirst(t *testing.T) {
	c := &consumer{events: make(chan int, 1), stop: make(chan struct{})}
	close(c.stop)
	c.stopped.Store(true)
	c.events <- 1
	var running sync.WaitGroup
	running.Go(c.run)
	running.Wait()
	if n := c.late.Load(); n != 0 {
		t.Errorf("%d events after the stop", n)
	}
}
