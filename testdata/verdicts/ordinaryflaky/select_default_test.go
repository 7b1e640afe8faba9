package flaky

import (
	"slices"
	"sync"
	"testing"
)

// A bus hands events to its subscribers, and waits for none of them.
type bus struct {
	mu          sync.Mutex
	subscribers []chan string
}

func (b *bus) publish(event string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range b.subscribers {
		select {
		case s <- event:
		}
	}
}

func (b *bus) unsubscribe(s chan string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.Index(b.subscribers, s)
	b.subscribers = slices.Delete(b.subscribers, i, i+1)
}

// verdict: FAILED ^deadlock: every goroutine waits for ever
func TestSelectDefault(t *testing.T) {
	s := make(chan string, 1)
	b := &bus{subscribers: []chan string{s}}
	first := make(chan string)
	go func() {
		first <- <-s
		b.unsubscribe(s)
	}()
	b.publish("one")
	if event := <-first; event != "one" {
		t.Errorf("first event %q", event)
	}
	b.publish("two")
	b.publish("three")
}
