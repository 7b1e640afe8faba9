package buggy

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

type seatPlan struct {
	mu   sync.Mutex
	free int
}

func (p *seatPlan) book(n int) error {
	p.mu.Lock()
	if n > p.free {
		return errors.New("not enough seats")
	}
	p.free -= n
	p.mu.Unlock()
	return nil
}

// verdict: FAILED ^deadlock: .*Lock
func TestUnlockEarlyReturn(t *testing.T) {
	p := &seatPlan{free: 2}
	var both sync.WaitGroup
	var booked atomic.Int32
	for range 2 {
		both.Go(func() {
			if p.book(2) == nil {
				booked.Add(1)
			}
		})
	}
	both.Wait()
	if p.book(1) == nil || booked.Load() != 1 {
		t.Errorf("%d have booked", booked.Load())
	}
}
