package loops

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// verdict: bounded retry_test.go:
func TestLockerLeftAndTakenAgain(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := sync.NewCond(&sync.Mutex{})
		ready := false
		x.Go("setter", func() { c.L.Lock(); ready = true; c.L.Unlock() })
		c.L.Lock()
		for {
			if ready {
				break
			}
			c.L.Unlock()
			runtime.Gosched()
			c.L.Lock()
		}
		c.L.Unlock()
		x.Join()
	})
}

// Both waiters hold the lock at the heads of their loops: one must leave it to the other.
// verdict: bounded retry_test.go:
func TestTwoWaitersOfOneLock(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var mu sync.Mutex
		state := 0
		for i := range 2 {
			x.Go("waiter", func() {
				mu.Lock()
				for state != i+1 {
					mu.Unlock()
					runtime.Gosched()
					mu.Lock()
				}
				state++
				mu.Unlock()
			})
		}
		mu.Lock()
		state = 1
		mu.Unlock()
		x.Join()
	})
}

// Two goroutines take turns: the loops yield in their post statements, and end by successes only.
// verdict: bounded retry_test.go:
func TestRetriesThatYield(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var v atomic.Value
		v.Store(0)
		for i := range 2 {
			x.Go("worker", func() {
				for j := i; j < 4; runtime.Gosched() {
					if v.CompareAndSwap(j, j+1) {
						j += 2
					}
				}
			})
		}
		x.Join()
		x.Assert(v.Load() == 4, "stopped at %v", v.Load())
	})
}

// verdict: bounded retry_test.go:
func TestPollOfCause(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		ctx, cancel := context.WithCancelCause(context.Background())
		why := errors.New("why")
		go cancel(why)
		for {
			if err := context.Cause(ctx); err != nil {
				x.Assert(err == why, "cancelled with %v", err)
				break
			}
			runtime.Gosched()
		}
	})
}

// A counting has a lock of its own kind, which counts.
type counting struct{ n int }

func (c *counting) Lock()   { c.n++ }
func (c *counting) Unlock() {}

// verdict: proved
func TestLockerThatCounts(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var stop atomic.Bool
		c := &counting{}
		var l sync.Locker = c
		for c.n < 10 {
			if stop.Load() {
				return
			}
			l.Lock()
			l.Unlock()
		}
	})
}
