// Package uncontrolled has goroutines of a test that use what its check uses.
package uncontrolled

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// verdict: undecided
func TestGoroutineOfTheTest(t *testing.T) {
	var n atomic.Int64
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for !stop.Load() {
			n.CompareAndSwap(0, 1)
		}
	})
	model.Check(t, func(x *model.Exec) {
		for range 2 {
			x.Go("adder", func() { n.Add(1) })
		}
		x.Join()
	})
	stop.Store(true)
	wg.Wait()
}
