package tickets

import (
	"testing"

	"github.com/surewake/surewake/model"
)

// verdict: proved, 4 traces
func TestTwoTakers(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		r := Roll{Last: 10}
		var taken [2]int64
		for i := range taken {
			x.Go("taker", func() { taken[i], _ = r.Take() })
		}
		x.Join()
		x.Assert(taken[0] != taken[1], "number %d is given out twice", taken[0])
	})
}

// verdict: proved, 4 traces
func TestTheLastNumber(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		r := Roll{Last: 1}
		var given [2]bool
		for i := range given {
			x.Go("taker", func() { _, given[i] = r.Take() })
		}
		x.Join()
		x.Assert(given[0] != given[1], "given out: %v", given)
	})
}

// verdict: proved, 1 trace
func TestTwoRolls(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		for range 2 {
			x.Go("taker", func() {
				r := Roll{Last: 10}
				n, _ := r.Take()
				x.Assert(n == 1, "the first number is %d", n)
			})
		}
		x.Join()
	})
}
