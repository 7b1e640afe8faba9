package buggy

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// A call is given up after its timeout. The answer of a test server takes as long.
func callWithin(ctx context.Context, server func() string) (string, error) {
	answer := make(chan string, 1)
	go func() { answer <- server() }()
	select {
	case a := <-answer:
		return a, nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// verdict: FAILED ^assertion failed: .*deadline exceeded
func TestSynctestSameInstant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		a, err := callWithin(ctx, func() string {
			time.Sleep(time.Second)
			return "yes"
		})
		if err != nil || a != "yes" {
			t.Errorf("answer %q, %v", a, err)
		}
	})
}
