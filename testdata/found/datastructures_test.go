package found

import (
	"sync"
	"testing"

	"github.com/Workiva/go-datastructures/batcher"
	"github.com/Workiva/go-datastructures/queue"
)

// The documentation of Offer: it "adds the provided item to the queue if there is space".
//
// verdict: FAILED ^assertion failed: .*refused with space
func TestOfferToAQueueWithSpace(t *testing.T) {
	q := queue.NewRingBuffer(4)
	var both sync.WaitGroup
	for i := range 2 {
		both.Go(func() {
			if added, err := q.Offer(i); !added || err != nil {
				t.Error("refused with space for 4")
			}
		})
	}
	both.Wait()
}

// There are never more items than places.
//
// verdict: FAILED ^assertion failed: .*has 18446744073709551615 items
func TestLengthOfARing(t *testing.T) {
	q := queue.NewRingBuffer(2)
	done := make(chan struct{})
	go func() {
		defer close(done)
		q.Put(1)
		q.Get()
	}()
	if n := q.Len(); n > q.Cap() {
		t.Errorf("a queue of 2 places has %d items", n)
	}
	<-done
}

// Dispose returns.
//
// verdict: FAILED ^livelock: .*Dispose
func TestDisposeReturns(t *testing.T) {
	b, err := batcher.New(0, 1, 0, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	var both sync.WaitGroup
	both.Go(b.Dispose)
	both.Go(func() { b.IsDisposed() })
	both.Wait()
}
