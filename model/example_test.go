package model_test

import (
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// The body of a check runs once in each execution. In a test file the function
// is a test: func TestCounter(t *testing.T) { ... }.
func ExampleCheck() {
	TestCounter := func(t *testing.T) {
		model.Check(t, func(x *model.Exec) {
			var n atomic.Int64
			for range 2 {
				x.Go("adder", func() { n.Add(1) })
			}
			x.Join()
			x.Assert(n.Load() == 2, "n is %d", n.Load())
		})
	}
	_ = TestCounter
	// Output:
}
