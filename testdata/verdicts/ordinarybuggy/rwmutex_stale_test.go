package buggy

import (
	"sync"
	"testing"
)

// A counterPage is drawn anew when its counter has changed.
type counterPage struct {
	mu    sync.RWMutex
	count int
	page  int
}

// add returns the page that shows its own addition.
func (p *counterPage) add() int {
	p.mu.Lock()
	p.count++
	p.page = p.count
	p.mu.Unlock()
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.page
}

// verdict: FAILED ^assertion failed: .*both got page 2
func TestRWMutexStale(t *testing.T) {
	p := &counterPage{}
	other := make(chan int)
	go func() { other <- p.add() }()
	mine := p.add()
	if mine == <-other {
		t.Errorf("both got page %d", mine)
	}
}
