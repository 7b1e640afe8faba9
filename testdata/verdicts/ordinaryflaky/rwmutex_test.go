package flaky

import (
	"sync"
	"testing"
)

type catalogue struct {
	mu     sync.RWMutex
	prices map[string]int
}

func (c *catalogue) price(item string) int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.prices[item]
}

func (c *catalogue) sum(items ...string) (sum int) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, item := range items {
		sum += c.price(item)
	}
	return sum
}

func (c *catalogue) set(item string, price int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.prices[item] = price
}

// verdict: FAILED ^deadlock: every goroutine waits for ever
func TestRWMutex(t *testing.T) {
	c := &catalogue{prices: map[string]int{"tea": 3}}
	var setter sync.WaitGroup
	setter.Go(func() { c.set("tea", 4) })
	if sum := c.sum("tea"); sum != 3 && sum != 4 {
		t.Errorf("sum is %d", sum)
	}
	setter.Wait()
}
