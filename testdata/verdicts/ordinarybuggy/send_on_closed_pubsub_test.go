package buggy

import (
	"sync"
	"testing"
)

type broker struct {
	mu   sync.Mutex
	subs []chan string
}

func (b *broker) subscribe() <-chan string {
	b.mu.Lock()
	defer b.mu.Unlock()
	ch := make(chan string, 1)
	b.subs = append(b.subs, ch)
	return ch
}

func (b *broker) publish(msg string) {
	b.mu.Lock()
	subs := b.subs
	b.mu.Unlock()
	for _, ch := range subs {
		select {
		case ch <- msg:
		default: // a slow subscriber misses it
		}
	}
}

func (b *broker) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, ch := range b.subs {
		close(ch)
	}
	b.subs = nil
}

// verdict: FAILED ^panic: .*send on closed channel
func TestSendOnClosedPubsub(t *testing.T) {
	b := &broker{}
	messages := b.subscribe()
	published := make(chan struct{})
	go func() {
		b.publish("hello")
		close(published)
	}()
	b.close()
	for msg := range messages {
		if msg != "hello" {
			t.Errorf("message %q", msg)
		}
	}
	<-published
}
