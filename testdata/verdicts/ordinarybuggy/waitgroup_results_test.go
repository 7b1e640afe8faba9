package buggy

import (
	"sync"
	"testing"
)

// collect returns what the workers have found, in any order.
func collect(workers []func() int) (found []int) {
	results := make(chan int)
	var all sync.WaitGroup
	for _, work := range workers {
		all.Go(func() { results <- work() })
	}
	all.Wait()
	close(results)
	for r := range results {
		found = append(found, r)
	}
	return found
}

// verdict: FAILED ^deadlock: every goroutine waits for ever
func TestWaitgroupResults(t *testing.T) {
	one := func() int { return 1 }
	if found := collect([]func() int{one, one}); len(found) != 2 {
		t.Errorf("found %v", found)
	}
}
