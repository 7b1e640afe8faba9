package buggy

import (
	"sync/atomic"
	"testing"
)

// The last of the workers closes the results.
type fanOut struct {
	active  atomic.Int32
	results chan int
}

func (f *fanOut) start(works ...func() int) {
	f.active.Store(int32(len(works)))
	for _, work := range works {
		go func() {
			f.results <- work()
			f.active.Add(-1)
			if f.active.Load() == 0 {
				close(f.results)
			}
		}()
	}
}

// verdict: FAILED ^panic: .*close of closed channel
func TestDoubleCloseLastWorker(t *testing.T) {
	f := &fanOut{results: make(chan int, 2)}
	one := func() int { return 1 }
	f.start(one, one)
	sum := 0
	for r := range f.results {
		sum += r
	}
	if sum != 2 {
		t.Errorf("sum %d", sum)
	}
}
