package late

import (
	"testing"

	"github.com/surewake/surewake/model"
)

var sum int

// work takes a quarter of a second or so.
func work() {
	for i := range 1 << 29 {
		sum = sum*3 + i
	}
}

func TestIsLate(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		n := x.Choose(48)
		work()
		x.Assert(n < 47 || Holds(), "it does not hold")
	})
}
