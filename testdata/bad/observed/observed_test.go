// Package observed takes steps that an observer refuses, and that no assertion of its bodies could see.
package observed

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

func TestNegativeForAnInstant(t *testing.T) {
	var n *atomic.Int64
	model.Check(t, func(x *model.Exec) {
		n = new(atomic.Int64)
		x.Go("up", func() { n.Add(1) })
		x.Go("down", func() { n.Add(-1) })
		x.Join()
		x.Assert(n.Load() == 0, "not even")
	}, model.Observe(func(s *model.Step) error {
		if n.Load() < 0 { // read, and no step of its own
			return errors.New("n is negative")
		}
		return nil
	}))
}

func TestObserverThatPanics(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var n atomic.Int64
		x.Go("up", func() { n.Add(1) })
		x.Go("up", func() { n.Add(1) })
		x.Join()
	}, model.Observe(func(s *model.Step) error {
		if s.Result == 2 {
			panic("two is too much")
		}
		return nil
	}))
}
