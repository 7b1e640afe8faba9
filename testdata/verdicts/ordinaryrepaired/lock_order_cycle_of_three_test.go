package repaired

import (
	"sync"
	"testing"
)

type department struct {
	rank int
	mu   sync.Mutex
	open int
}

// order moves an order from one department to the next.
func order(from, to *department) {
	if to.rank < from.rank {
		from, to = to, from
	}
	from.mu.Lock()
	to.mu.Lock()
	from.open++
	to.open++
	to.mu.Unlock()
	from.mu.Unlock()
}

// verdict: proved without assumptions
func TestLockOrderCycleOfThree(t *testing.T) {
	stock, billing, shipping := &department{rank: 1}, &department{rank: 2}, &department{rank: 3}
	var all sync.WaitGroup
	all.Go(func() { order(stock, billing) })
	all.Go(func() { order(billing, shipping) })
	all.Go(func() { order(shipping, stock) })
	all.Wait()
	if n := stock.open + billing.open + shipping.open; n != 6 {
		t.Errorf("%d entries instead of 6", n)
	}
}
