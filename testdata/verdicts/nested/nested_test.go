// Package nested has goroutines that start goroutines: which of these is the first depends on the
// order of the steps before.
package nested

import (
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// verdict: FAILED the reader of a goroutine began before the writer
func TestReadersOnBothSidesOfAWrite(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var first, second atomic.Int32
		var early, late int32
		x.Go("a", func() {
			late = second.Load()
			x.Go("idle", func() { first.Load() })
			x.Join()
		})
		x.Go("b", func() {
			first.Load()
			x.Go("reader", func() { early = second.Load() })
			x.Join()
		})
		x.Go("writer", func() { second.Store(1) })
		x.Join()
		x.Assert(early == 1 || late == 0, "the reader of a goroutine began before the writer")
	})
}

// verdict: proved, 4 traces
func TestTwoReadersAndAWrite(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var first, second atomic.Int32
		x.Go("a", func() {
			second.Load()
			x.Go("idle", func() { first.Load() })
			x.Join()
		})
		x.Go("b", func() {
			first.Load()
			x.Go("reader", func() { second.Load() })
			x.Join()
		})
		x.Go("writer", func() { second.Store(1) })
		x.Join()
	})
}
