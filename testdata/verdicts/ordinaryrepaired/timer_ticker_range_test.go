package repaired

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

type heartbeater struct {
	ticker *time.Ticker
	done   chan struct{}
	beats  atomic.Int32
	loop   sync.WaitGroup
}

func newHeartbeater() *heartbeater {
	h := &heartbeater{ticker: time.NewTicker(time.Minute), done: make(chan struct{})}
	h.loop.Go(func() {
		for {
			select {
			case <-h.ticker.C:
				h.beats.Add(1)
			case <-h.done:
				return
			}
		}
	})
	return h
}

func (h *heartbeater) Stop() {
	h.ticker.Stop()
	close(h.done)
	h.loop.Wait()
}

// verdict: proved
func TestTimerTickerRange(t *testing.T) {
	h := newHeartbeater()
	h.Stop()
	if n := h.beats.Load(); n != 0 {
		t.Errorf("%d beats in no time", n)
	}
}
