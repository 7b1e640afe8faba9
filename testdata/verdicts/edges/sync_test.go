package edges

import (
	"sync"
	"testing"

	"github.com/surewake/surewake/model"
)

// waiters starts two goroutines that wait on a Cond and then look, and returns when both wait.
func waiters(x *model.Exec, c *sync.Cond, look func(i int)) {
	waiting := 0
	both := make(chan bool)
	for i := range 2 {
		x.Go("waiter", func() {
			c.L.Lock()
			if waiting++; waiting == 2 {
				close(both)
			}
			c.Wait()
			c.L.Unlock()
			look(i)
		})
	}
	<-both
	c.L.Lock() // they have released it
	c.L.Unlock()
}

// A Signal comes before the return of the Wait that it ends, without a lock, too.
//
// verdict: proved without assumptions
func TestBroadcastEndsWait(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := sync.NewCond(new(sync.Mutex))
		n := 0
		waiters(x, c, func(int) { x.Assert(n == 1, "n is lost") })
		n = 1
		c.Broadcast()
		x.Join()
	})
}

// The second Signal comes before the return of the other Wait only.
//
// verdict: FAILED data race
func TestSignalForAnother(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := sync.NewCond(new(sync.Mutex))
		n := 0
		waiters(x, c, func(int) { _ = n + 1 })
		c.Signal()
		n = 1
		c.Signal()
		x.Join()
	})
}

// A Broadcast for which nobody waits yet comes before nothing.
//
// verdict: FAILED data race
func TestBroadcastForNobody(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := sync.NewCond(new(sync.Mutex))
		n := 0
		waiters(x, c, func(int) { _ = n + 1 })
		c.Broadcast()
		x.Go("late", func() {
			n = 1
			c.Broadcast()
		})
		x.Join()
	})
}
