// Package table has an ordinary test with subtests, one of which fails.
package table

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestTable(t *testing.T) {
	for _, c := range []struct {
		name string
		add  func(n *atomic.Int64)
	}{
		{"atomic", func(n *atomic.Int64) { n.Add(1) }},
		{"lost", func(n *atomic.Int64) { n.Store(n.Load() + 1) }},
		{"skipped", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.add == nil {
				t.Skip("nothing to do")
			}
			var n atomic.Int64
			var wg sync.WaitGroup
			for range 2 {
				wg.Go(func() { c.add(&n) })
			}
			wg.Wait()
			if n.Load() != 2 {
				t.Errorf("n is %d", n.Load())
			}
		})
	}
}

// The second subtest runs only after the first one.
func TestDependent(t *testing.T) {
	first := false
	t.Run("first", func(*testing.T) { first = true })
	if first {
		t.Run("second", func(*testing.T) {})
	}
}

// The second subtest runs only in some executions.
func TestRare(t *testing.T) {
	var n atomic.Int64
	done := make(chan bool)
	go func() {
		n.Store(1)
		close(done)
	}()
	late := n.Load() == 0
	<-done
	t.Run("always", func(*testing.T) {})
	if late {
		t.Run("late", func(t *testing.T) { t.Error("too late") })
	} else {
		t.Run("early", func(t *testing.T) { t.Error("too early") })
	}
}
