package repaired

import (
	"sync"
	"testing"
)

// resolveAll returns the addresses of the hosts, in their order.
func resolveAll(hosts []string, resolve func(string) string) []string {
	addresses := make([]string, len(hosts))
	var all sync.WaitGroup
	for i, host := range hosts {
		all.Go(func() { addresses[i] = resolve(host) })
	}
	all.Wait()
	return addresses
}

// verdict: proved without assumptions
func TestCapturedAppend(t *testing.T) {
	add := func(host string) string { return host + ".local" }
	got := resolveAll([]string{"a", "b"}, add)
	if len(got) != 2 || got[0] != "a.local" || got[1] != "b.local" {
		t.Errorf("addresses %v", got)
	}
}
