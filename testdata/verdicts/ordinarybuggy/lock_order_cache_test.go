package buggy

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
	defer c.mu.Unlock()
	c.entries = append(c.entries, key)
	if len(c.entries) > 1 {
		evicted := c.entries[0]
		c.entries = c.entries[1:]
		c.onEvict(evicted)
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

// verdict: FAILED ^deadlock: every goroutine waits for ever
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
