package account

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

type account struct{ balance atomic.Int64 }

func (a *account) withdraw(n int64) bool {
	if a.balance.Load() < n {
		return false
	}
	a.balance.Add(-n)
	return true
}

func TestNeverOverdrawn(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var a account
		a.balance.Store(100)
		var both sync.WaitGroup
		both.Go(func() { a.withdraw(70) })
		both.Go(func() { a.withdraw(70) })
		both.Wait()
		x.Assert(a.balance.Load() >= 0, "overdrawn: %d", a.balance.Load())
	})
}
