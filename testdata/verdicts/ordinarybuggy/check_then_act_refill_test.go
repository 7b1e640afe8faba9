package buggy

import (
	"sync"
	"sync/atomic"
	"testing"
)

// A bucket is refilled when it is used; tokens that came between are not lost.
type bucket struct {
	tokens atomic.Int64
}

func (b *bucket) refill(n int64) {
	b.tokens.Store(min(b.tokens.Load()+n, 3))
}

func (b *bucket) take() bool {
	if b.tokens.Load() == 0 {
		return false
	}
	b.tokens.Add(-1)
	return true
}

// verdict: FAILED ^assertion failed: .*tokens are left
func TestCheckThenActRefill(t *testing.T) {
	b := &bucket{}
	b.tokens.Store(1)
	var both sync.WaitGroup
	both.Go(func() { b.refill(1) })
	both.Go(func() {
		if !b.take() {
			t.Error("no token")
		}
	})
	both.Wait()
	if n := b.tokens.Load(); n != 1 {
		t.Errorf("%d tokens are left", n)
	}
}
