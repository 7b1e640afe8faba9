package repaired

import (
	"context"
	"testing"
)

// open returns the rows of a query, which end when its context does.
func openRows(ctx context.Context) (rows <-chan int, cancel context.CancelFunc) {
	ctx, cancel = context.WithCancel(ctx)
	ch := make(chan int)
	go func() {
		defer close(ch)
		for row := range 2 {
			select {
			case ch <- row:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ch, cancel
}

// verdict: proved without assumptions
func TestContextCancelledEarly(t *testing.T) {
	rows, cancel := openRows(context.Background())
	defer cancel()
	n := 0
	for range rows {
		n++
	}
	if n != 2 {
		t.Errorf("%d rows instead of 2", n)
	}
}
