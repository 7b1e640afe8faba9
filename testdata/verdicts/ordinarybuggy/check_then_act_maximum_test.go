package buggy

import (
	"sync"
	"sync/atomic"
	"testing"
)

// A highWater remembers the largest of the values that it was shown.
type highWater struct{ max atomic.Int64 }

func (h *highWater) see(v int64) {
	if v > h.max.Load() {
		h.max.Store(v)
	}
}

// verdict: FAILED ^assertion failed: .*the largest is 1
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
