package buggy

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
	if q.used.Load() >= q.max {
		return false
	}
	q.used.Add(1)
	return true
}

// verdict: FAILED ^assertion failed: .*2 of 1 are used
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
