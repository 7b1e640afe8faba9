// Package lostupdate has a bug that ordinary runs hardly ever show.
package lostupdate

import (
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

type counter struct{ n atomic.Int64 }

// increment loses an update when another one comes between its two steps.
func (c *counter) increment() { c.n.Store(c.n.Load() + 1) }

func TestCount(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var c counter
		x.Go("first", c.increment)
		x.Go("second", c.increment)
		x.Join()
		x.Assert(c.n.Load() == 2, "two increments made %d", c.n.Load())
	})
}

func TestOneAlone(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var c counter
		x.Go("first", c.increment)
		x.Join()
		x.Assert(c.n.Load() == 1, "one increment made %d", c.n.Load())
	})
}

// plain is read without any synchronization: only the race detector objects.
func TestPlainRead(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var ready atomic.Bool
		var plain int
		x.Go("writer", func() {
			plain = 1
			ready.Store(true)
			plain = 2
		})
		x.Go("reader", func() {
			if ready.Load() {
				_ = plain + 1
			}
		})
		x.Join()
	})
}
