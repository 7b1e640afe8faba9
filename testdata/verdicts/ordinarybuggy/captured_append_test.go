package buggy

import (
	"sync"
	"testing"
)

// resolveAll returns the addresses of the hosts, in their order.
func resolveAll(hosts []string, resolve func(string) string) []string {
	var addresses []string
	var all sync.WaitGroup
	for _, host := range hosts {
		all.Go(func() { addresses = append(addresses, resolve(host)) })
	}
	all.Wait()
	return addresses
}

// verdict: FAILED ^in the race run: data race
func TestCapturedAppend(t *testing.T) {
	add := func(host string) string { return host + ".local" }
	got := resolveAll([]string{"a", "b"}, add)
	if len(got) != 2 || got[0] != "a.local" || got[1] != "b.local" {
		t.Errorf("addresses %v", got)
	}
}
