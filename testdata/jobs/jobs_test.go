// Package jobs has checks that take seconds, for `surewake check -jobs`.
package jobs

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// adders starts goroutines that each add 1 to a variable n times, and calls look with its value.
func adders(x *model.Exec, goroutines, n int, look func(int32)) {
	var v atomic.Int32
	for range goroutines {
		x.Go("adder", func() {
			for range n {
				look(v.Add(1))
			}
		})
	}
	x.Join()
}

// 15! / (5!)^3 = 756,756 traces.
func TestAdds(t *testing.T) {
	model.Check(t, func(x *model.Exec) { adders(x, 3, 5, func(int32) {}) })
}

// Choices of selects: two goroutines send, each to either of two channels, and one receives.
func TestSelects(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		a, b := make(chan int, 3), make(chan int, 3)
		for range 2 {
			x.Go("sender", func() {
				for range 3 {
					select {
					case a <- 1:
					case b <- 1:
					}
				}
			})
		}
		x.Go("receiver", func() {
			for range 4 {
				select {
				case <-a:
				case <-b:
				}
			}
		})
		x.Join()
	})
}

// The failure needs one of the last schedules, which comes after more than a second.
func TestLateFailure(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var first, last atomic.Int32
		x.Go("first", func() { first.Store(1) })
		adders(x, 3, 5, func(v int32) {
			if v == 15 {
				last.Store(1 - first.Load())
			}
		})
		x.Assert(last.Load() == 0, "the first came last")
	})
}

// The lock is a CompareAndSwap, and one that fails is not tried again: an ordinary small check.
func TestSmall(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var locked, free atomic.Int32
		for range 3 {
			x.Go("owner", func() {
				if locked.CompareAndSwap(0, 1) {
					free.Add(1)
					locked.Store(0)
				}
			})
		}
		x.Join()
	})
}

// The sleep may end early, which the second way to let time pass explores.
func TestTimes(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Go("sleeper", func() { time.Sleep(time.Millisecond) })
		adders(x, 2, 8, func(int32) {})
	})
}

func TestBudget(t *testing.T) {
	model.Check(t, func(x *model.Exec) { adders(x, 4, 8, func(int32) {}) },
		model.Duration(3*time.Second))
}
