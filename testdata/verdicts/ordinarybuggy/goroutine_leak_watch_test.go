package buggy

import (
	"sync"
	"testing"
)

// A watcher copies events until its source ends.
type watcher struct {
	source chan int
	done   chan struct{}
	copies chan int
	ended  sync.WaitGroup
}

func watch(source chan int) *watcher {
	w := &watcher{source: source, done: make(chan struct{}), copies: make(chan int)}
	w.ended.Go(func() {
		defer close(w.copies)
		for {
			var event int
			select {
			case e, ok := <-w.source:
				if !ok {
					return
				}
				event = e
			case <-w.done:
				return
			}
			w.copies <- event
		}
	})
	return w
}

func (w *watcher) close() {
	close(w.done)
	w.ended.Wait()
}

// verdict: FAILED ^deadlock: .*wait
func TestGoroutineLeakWatch(t *testing.T) {
	source := make(chan int, 2)
	source <- 1
	source <- 2
	w := watch(source)
	if e := <-w.copies; e != 1 {
		t.Errorf("event %d", e)
	}
	w.close()
}
