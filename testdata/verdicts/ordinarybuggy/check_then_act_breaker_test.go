package buggy

import (
	"sync"
	"sync/atomic"
	"testing"
)

const (
	breakerClosed int32 = iota
	breakerOpen
	breakerHalfOpen
)

// A breaker that is open lets one request try whether the other side is there again.
type breaker struct{ state atomic.Int32 }

func (b *breaker) allow() (trial, ok bool) {
	switch b.state.Load() {
	case breakerClosed:
		return false, true
	case breakerOpen:
		b.state.Store(breakerHalfOpen)
		return true, true
	default:
		return false, false
	}
}

// verdict: FAILED ^assertion failed: .*2 trials
func TestCheckThenActBreaker(t *testing.T) {
	b := &breaker{}
	b.state.Store(breakerOpen)
	var trials atomic.Int32
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if trial, ok := b.allow(); trial && ok {
				trials.Add(1)
			}
		})
	}
	both.Wait()
	if n := trials.Load(); n != 1 {
		t.Errorf("%d trials", n)
	}
}
