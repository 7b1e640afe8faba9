package buggy

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

type heartbeater struct {
	ticker *time.Ticker
	beats  atomic.Int32
	loop   sync.WaitGroup
}

func newHeartbeater() *heartbeater {
	h := &heartbeater{ticker: time.NewTicker(time.Minute)}
	h.loop.Go(func() {
		for range h.ticker.C { // ends when the ticker is stopped
			h.beats.Add(1)
		}
	})
	return h
}

func (h *heartbeater) Stop() {
	h.ticker.Stop()
	h.loop.Wait()
}

// verdict: FAILED ^deadlock: .*channel receive
func TestTimerTickerRange(t *testing.T) {
	h := newHeartbeater()
	h.Stop()
	if n := h.beats.Load(); n != 0 {
		t.Errorf("%d beats in no time", n)
	}
}
