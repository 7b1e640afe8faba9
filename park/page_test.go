package park_test

import (
	"testing"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/park"
)

// The consumer of the package page handles what two producers put, and nothing but a token wakes
// it.
func TestTheLoopOfThePageHandlesEveryValue(t *testing.T) {
	for _, kind := range []park.Kind{park.Futex, park.Portable} {
		t.Run(kind.String(), func(t *testing.T) {
			if !kind.Available() {
				t.Skip("not on this platform")
			}
			model.Check(t, func(x *model.Exec) {
				p, queue = park.New(kind), &list{}
				sum := 0
				handle = func(v int) {
					if sum += v; sum == 3 {
						end()
					}
				}
				x.Go("consumer", consume)
				x.Go("producer", func() { produce(1) })
				x.Go("producer", func() { produce(2) })
				x.Join()
				x.Assert(sum == 3, "the values sum to %d", sum)
			}, model.NoRescue())
		})
	}
}
