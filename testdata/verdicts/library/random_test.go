package library

import (
	mathrand "math/rand"
	randv2 "math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

var draw = randv2.IntN

// The numbers are the same in every execution, so that it takes the same steps.
//
// verdict: said random.*rand.IntN.*rand.Perm.*rand.Uint64
func TestRandomSteps(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var words [4]atomic.Int32
		for range 2 {
			x.Go("add", func() {
				for range 2 {
					words[mathrand.Uint64()%4].Add(1)
					words[draw(4)].Add(1)
					words[mathrand.Perm(4)[0]].Add(1)
				}
			})
		}
		x.Join()
		n := int32(0)
		for i := range words {
			n += words[i].Load()
		}
		x.Assert(n == 12, "%d", n)
	})
}

// What a goroutine draws does not depend on when the others draw.
//
// verdict: said random.*rand.Uint64
func TestRandomNumbersOfAGoroutine(t *testing.T) {
	var first [2]uint64
	model.Check(t, func(x *model.Exec) {
		var n atomic.Int32
		var drawn [2]uint64
		for i := range drawn {
			x.Go("draw", func() {
				n.Add(1)
				drawn[i] = randv2.Uint64()
			})
		}
		x.Join()
		if first[0] == 0 {
			first = drawn
		}
		x.Assert(first == drawn && drawn[0] != drawn[1], "%v, %v", first, drawn)
	})
}
