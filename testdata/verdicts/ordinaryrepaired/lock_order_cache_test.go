package repaired

import (
	"sync"
	"testing"
)

// An lruCache tells its owner of each entry that it drops.
type lruCache struct {
	mu      sync.Mutex
	entries []string
	onEvict func(key string)
}

func (c *lruCache) add(key string) {
	c.mu.Lock()
	var evicted []string
	c.entries = append(c.entries, key)
	if len(c.entries) > 1 {
		evicted, c.entries = c.entries[:1], c.entries[1:]
	}
	c.mu.Unlock()
	for _, key := range evicted {
		c.onEvict(key)
	}
}

func (c *lruCache) size() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.entries)
}

type cacheOwner struct {
	mu      sync.Mutex
	cache   *lruCache
	evicted int
}

func (o *cacheOwner) drop(string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.evicted++
}

func (o *cacheOwner) total() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.evicted + o.cache.size()
}

// verdict: proved without assumptions
func TestLockOrderCache(t *testing.T) {
	o := &cacheOwner{}
	o.cache = &lruCache{entries: []string{"a"}, onEvict: o.drop}
	added := make(chan struct{})
	go func() {
		o.cache.add("b")
		close(added)
	}()
	if n := o.total(); n > 2 {
		t.Errorf("%d entries of 2", n)
	}
	<-added
}
