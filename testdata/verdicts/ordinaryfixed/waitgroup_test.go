package fixed

import (
	"sync"
	"sync/atomic"
	"testing"
)

// serve handles each request on a goroutine, and returns when all are handled.
func serve(requests <-chan int, handle func(int)) {
	var handlers sync.WaitGroup
	for r := range requests {
		handlers.Go(func() { handle(r) })
	}
	handlers.Wait()
}

// verdict: proved without assumptions
func TestWaitGroup(t *testing.T) {
	requests := make(chan int)
	go func() {
		for r := range 2 {
			requests <- r
		}
		close(requests)
	}()
	var handled atomic.Int32
	serve(requests, func(int) { handled.Add(1) })
	if n := handled.Load(); n != 2 {
		t.Errorf("%d of 2 are handled", n)
	}
}
