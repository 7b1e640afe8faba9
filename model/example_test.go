package model_test

import (
	"fmt"
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

// An observer looks at each operation, and at memory while nothing runs: here it holds the code to
// a rule that no assertion in the body could see broken, for an instant.
func ExampleObserve() {
	TestNeverNegative := func(t *testing.T) {
		var n *atomic.Int64
		never := func(s *model.Step) error {
			if n.Load() < 0 {
				return fmt.Errorf("n is %d after %v by %s", n.Load(), s.Op, s.Name)
			}
			return nil
		}
		model.Check(t, func(x *model.Exec) {
			n = new(atomic.Int64)
			x.Go("up", func() { n.Add(1) })
			x.Go("down", func() { n.Add(-1) }) // comes first in some execution
			x.Join()
		}, model.Observe(never))
	}
	_ = TestNeverNegative
	// Output:
}

// One goroutine is checked among any number of others, who are not there: before each of its
// operations, they have put anything there that they may put.
func ExampleBefore() {
	TestTakesWhatIsThere := func(t *testing.T) {
		var x *model.Exec
		var tickets atomic.Int32
		others := func(*model.Step) { tickets.Store(int32(x.Choose(3))) }
		model.Check(t, func(exec *model.Exec) {
			x = exec
			x.Go("taker", func() {
				if n := tickets.Load(); n > 0 && tickets.CompareAndSwap(n, n-1) {
					x.Assert(n <= 2, "took one of %d", n)
				}
			})
			x.Join()
		}, model.Before(others))
	}
	_ = TestTakesWhatIsThere
	// Output:
}
