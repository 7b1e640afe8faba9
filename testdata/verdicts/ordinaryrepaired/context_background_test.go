package repaired

import (
	"context"
	"sync"
	"testing"
)

// A poller asks until its context ends.
type poller struct {
	asking sync.WaitGroup
	asked  chan struct{}
}

func (p *poller) start(ctx context.Context) {
	p.asking.Go(func() {
		p.ask(ctx)
	})
}

func (p *poller) ask(ctx context.Context) {
	select {
	case <-p.asked:
	case <-ctx.Done():
	}
}

// verdict: proved without assumptions
func TestContextBackground(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	p := &poller{asked: make(chan struct{})}
	p.start(ctx)
	cancel()
	p.asking.Wait()
}
