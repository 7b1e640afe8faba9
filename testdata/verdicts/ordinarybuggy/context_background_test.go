package buggy

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
		p.ask(context.Background())
	})
}

func (p *poller) ask(ctx context.Context) {
	select {
	case <-p.asked:
	case <-ctx.Done():
	}
}

// verdict: FAILED ^deadlock: every goroutine waits for ever
func TestContextBackground(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	p := &poller{asked: make(chan struct{})}
	p.start(ctx)
	cancel()
	p.asking.Wait()
}
