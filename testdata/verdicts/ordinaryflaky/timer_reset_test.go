package flaky

import (
	"sync"
	"testing"
	"time"
)

// A batcher sends what was added, a while after the last item.
type batcher struct {
	send  func(batch []string)
	mu    sync.Mutex
	items []string
	timer *time.Timer
}

func (b *batcher) add(item string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.items = append(b.items, item)
	if b.timer == nil {
		b.timer = time.AfterFunc(10*time.Millisecond, b.flush)
	} else {
		b.timer.Reset(10 * time.Millisecond)
	}
}

func (b *batcher) flush() {
	b.mu.Lock()
	batch := b.items
	b.items = nil
	b.mu.Unlock()
	b.send(batch)
}

// verdict: FAILED ^timing: panic: .*an empty batch is sent
func TestTimerReset(t *testing.T) {
	sent := make(chan int, 2)
	b := &batcher{send: func(batch []string) {
		if len(batch) == 0 {
			t.Error("an empty batch is sent")
		}
		sent <- len(batch)
	}}
	b.add("a")
	b.add("b")
	for n := 0; n < 2; {
		n += <-sent
	}
}
