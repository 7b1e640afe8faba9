package buggy

import (
	"context"
	"sync"
	"testing"
)

// A throttle bounds how many requests run.
type throttle struct {
	places  chan struct{}
	waiting sync.WaitGroup
}

func (h *throttle) do(ctx context.Context, f func()) {
	h.waiting.Go(func() {
		h.places <- struct{}{}
		defer func() { <-h.places }()
		if ctx.Err() == nil {
			f()
		}
	})
}

// verdict: FAILED ^deadlock: .*wait
func TestGoroutineLeakAcquire(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	h := &throttle{places: make(chan struct{}, 1)}
	h.places <- struct{}{} // a request that runs for long
	ran := false
	h.do(ctx, func() { ran = true })
	cancel()
	h.waiting.Wait()
	if ran {
		t.Error("more requests than places")
	}
}
