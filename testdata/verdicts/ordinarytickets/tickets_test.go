package tickets

import (
	"sync"
	"testing"
)

// verdict: FAILED ^assertion failed: .*number 1 is given out twice
func TestTake(t *testing.T) {
	r := Roll{Last: 10}
	var taken [2]int64
	var both sync.WaitGroup
	for i := range taken {
		both.Go(func() { taken[i], _ = r.Take() })
	}
	both.Wait()
	if taken[0] == taken[1] {
		t.Errorf("number %d is given out twice", taken[0])
	}
}
