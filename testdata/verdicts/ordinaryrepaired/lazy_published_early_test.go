package repaired

import (
	"sync"
	"sync/atomic"
	"testing"
)

// A resolver loads its table at its first use.
type resolver struct {
	table atomic.Pointer[hostTable]
	load  sync.Mutex
}

type hostTable struct{ hosts map[string]string }

func (r *resolver) lookup(host string) string {
	if t := r.table.Load(); t != nil {
		return t.hosts[host]
	}
	r.load.Lock()
	defer r.load.Unlock()
	if t := r.table.Load(); t != nil {
		return t.hosts[host]
	}
	t := &hostTable{}
	t.hosts = map[string]string{"db": "10.0.0.1"}
	r.table.Store(t)
	return t.hosts[host]
}

// verdict: proved without assumptions
func TestLazyPublishedEarly(t *testing.T) {
	r := &resolver{}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if a := r.lookup("db"); a != "10.0.0.1" {
				t.Errorf("address %q", a)
			}
		})
	}
	both.Wait()
}
