// Package racebuild has files that are built for the race detector only.
package racebuild

import (
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// The detector is told of an order that it cannot see.
//
// verdict: proved without assumptions
func TestAnnotated(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		n := 0
		p := &n
		x.Go("give", func() { handOver(p) })
		x.Go("take", func() { takeOver(p) })
		x.Join()
	})
}

// verdict: FAILED data race
func TestNotAnnotated(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		n := 0
		var ready atomic.Bool
		x.Go("give", func() { n = 1; handOver(&n); ready.Store(true); n = 2 })
		x.Go("take", func() {
			if ready.Load() {
				takeOver(&n)
				n++
			}
		})
		x.Join()
	})
}

// The two builds are different programs: what the detector saw is not what was explored.
//
// verdict: undecided files that are built for the race detector only
func TestTwoPrograms(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var n atomic.Int32
		if underRace {
			x.Go("race", func() { n.Add(1) })
		}
		x.Go("both", func() { n.Add(1) })
		x.Join()
	})
}

// verdict: undecided runtime.RaceDisable
func TestHidden(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		n := 0
		x.Go("hide", func() { hide(); n++ })
		x.Go("see", func() { n++ })
		x.Join()
	})
}

// verdict: said variables of the standard library.*runtime.RaceErrors
func TestErrorsAreCounted(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Go("look", func() { errors() })
		x.Go("other", func() {})
		x.Join()
	})
}
