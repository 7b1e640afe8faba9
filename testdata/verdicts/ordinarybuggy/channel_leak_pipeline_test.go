package buggy

import (
	"sync"
	"testing"
)

func generate(stages *sync.WaitGroup, done <-chan struct{}, to int) <-chan int {
	numbers := make(chan int)
	stages.Go(func() {
		defer close(numbers)
		for i := range to {
			numbers <- i
		}
	})
	return numbers
}

func squares(stages *sync.WaitGroup, done <-chan struct{}, in <-chan int) <-chan int {
	out := make(chan int)
	stages.Go(func() {
		defer close(out)
		for i := range in {
			select {
			case out <- i * i:
			case <-done:
				return
			}
		}
	})
	return out
}

// verdict: FAILED ^deadlock: .*channel send
func TestChannelLeakPipeline(t *testing.T) {
	var stages sync.WaitGroup
	done := make(chan struct{})
	for n := range squares(&stages, done, generate(&stages, done, 4)) {
		if n > 0 {
			break
		}
	}
	close(done)
	stages.Wait()
}
