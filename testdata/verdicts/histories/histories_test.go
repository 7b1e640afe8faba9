// Package histories_test has checks whose histories are judged.
package histories_test

import (
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/model/history"
)

type add struct{ n int }

var counter = history.Spec[int, add, int]{
	Name: "counter",
	Init: func() int { return 0 },
	Step: func(s int, o add, result int) (int, bool) { return s + o.n, result == s+o.n },
}

func count(x *model.Exec, increment func(*atomic.Int64) int64) {
	var n atomic.Int64
	for range 2 {
		x.Go("adder", func() {
			history.Do(x.History(), add{1}, func() int { return int(increment(&n)) })
		})
	}
	x.Join()
}

// verdict: FAILED history of counter is wrong
func TestCounterOfTwoSteps(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		count(x, func(n *atomic.Int64) int64 {
			v := n.Load() + 1
			n.Store(v)
			return v
		})
	}, model.Spec(counter))
}

// verdict: proved
func TestCounterOfOneStep(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		count(x, func(n *atomic.Int64) int64 { return n.Add(1) })
	}, model.Spec(counter))
}
