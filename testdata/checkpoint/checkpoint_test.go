// Package checkpoint has checks that take seconds, for `surewake check -checkpoint`: searches that
// -jobs does not divide, several checks of one test, and failures that come late.
package checkpoint

import (
	"sync/atomic"
	"testing"

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

// Checks of one test: when the last one goes on, the others have ended.
func TestSeveral(t *testing.T) {
	t.Run("small", func(t *testing.T) {
		model.Check(t, func(x *model.Exec) { adders(x, 2, 3, func(int32) {}) })
	})
	t.Run("fails", func(t *testing.T) {
		model.Check(t, func(x *model.Exec) {
			adders(x, 2, 2, func(v int32) { x.Assert(v < 4, "added %d", v) })
		})
	})
	t.Run("long", func(t *testing.T) {
		model.Check(t, func(x *model.Exec) { adders(x, 3, 5, func(int32) {}) })
	})
}

// A loop that polls a channel: it is searched by one process.
func TestPolls(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := make(chan int, 1)
		x.Go("poller", func() {
			for {
				select {
				case <-c:
					return
				default:
				}
			}
		})
		var v atomic.Int32
		for range 3 {
			x.Go("adder", func() {
				for range 4 {
					if v.Add(1) == 12 {
						c <- 1
					}
				}
			})
		}
		x.Join()
	})
}

// What an observer knows of all executions cannot be kept: the check begins anew.
func TestObserved(t *testing.T) {
	steps := 0
	model.Check(t, func(x *model.Exec) { adders(x, 3, 4, func(int32) {}) },
		model.Observe(func(*model.Step) error { steps++; return nil }))
	// There are none without the checker, and under the race detector.
	if steps > 0 && steps < 34_650*12 {
		t.Errorf("%d steps", steps)
	}
}

// The race is one of the schedules in which the first goroutine comes last.
func TestLateRace(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var first atomic.Int32
		n := 0
		x.Go("first", func() {
			first.Store(1)
			n++
		})
		adders(x, 3, 4, func(v int32) {
			if v == 12 && first.Load() == 0 {
				n++
			}
		})
	})
}

// An ordinary test.
func TestOrdinary(t *testing.T) {
	var v atomic.Int32
	done := make(chan bool)
	for range 2 {
		go func() {
			for range 9 {
				v.Add(1)
			}
			done <- true
		}()
	}
	<-done
	if v.Load() == 9 {
		t.Run("nine", func(t *testing.T) { t.Skip("the other one has not begun") })
	}
	<-done
}
