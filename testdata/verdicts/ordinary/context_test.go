package ordinary

import (
	"sync"
	"testing"
)

// The context of a test ends before its cleanups, whoever asks for it first, and when.
//
// verdict: proved
func TestContextFirstAskedForInACleanup(t *testing.T) {
	t.Cleanup(func() {
		if t.Context().Err() == nil {
			t.Error("it has not ended")
		}
	})
}

// verdict: proved
func TestContextEndsAGoroutine(t *testing.T) {
	var wg sync.WaitGroup
	wg.Go(func() { <-t.Context().Done() })
	t.Cleanup(wg.Wait)
}

// verdict: proved
func TestContextEndsAGoroutineOfASubtest(t *testing.T) {
	t.Run("sub", func(t *testing.T) {
		var wg sync.WaitGroup
		wg.Go(func() { <-t.Context().Done() })
		t.Cleanup(wg.Wait)
	})
}

// A goroutine that asks may come before the end of the function, and after it.
//
// verdict: proved
func TestContextAskedForByAGoroutine(t *testing.T) {
	var wg sync.WaitGroup
	wg.Go(func() { _ = t.Context().Err() })
	t.Cleanup(wg.Wait)
}

// verdict: FAILED after the end
func TestContextAskedForAfterTheEnd(t *testing.T) {
	var wg sync.WaitGroup
	wg.Go(func() {
		if t.Context().Err() != nil {
			t.Error("after the end")
		}
	})
	t.Cleanup(wg.Wait)
}
