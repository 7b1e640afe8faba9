package buggy

import (
	"context"
	"errors"
	"sync"
	"testing"
)

// A group is the part of errgroup that is used here.
type group struct {
	tasks  sync.WaitGroup
	cancel context.CancelFunc
	once   sync.Once
	err    error
}

func newGroup(ctx context.Context) (*group, context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	return &group{cancel: cancel}, ctx
}

func (g *group) Go(f func() error) {
	g.tasks.Go(func() {
		if err := f(); err != nil {
			g.once.Do(func() {
				g.err = err
				g.cancel()
			})
		}
	})
}

func (g *group) Wait() error {
	g.tasks.Wait()
	g.cancel()
	return g.err
}

// verdict: FAILED ^deadlock: .*wait
func TestGoroutineLeakErrgroup(t *testing.T) {
	g, ctx := newGroup(context.Background())
	rows := make(chan int)
	g.Go(func() error {
		defer close(rows)
		for row := range 2 {
			rows <- row
		}
		return nil
	})
	g.Go(func() error {
		for row := range rows {
			if row == 0 {
				return errors.New("a bad row")
			}
		}
		return ctx.Err()
	})
	if err := g.Wait(); err == nil {
		t.Error("no error")
	}
}
