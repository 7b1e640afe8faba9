// Package panics holds right programs in which two goroutines panic and recover.
package panics

import (
	"errors"
	"sync"
	"testing"

	"github.com/surewake/surewake/model"
)

func twice(t *testing.T, f func()) {
	model.Check(t, func(x *model.Exec) {
		x.Go("first", f)
		x.Go("second", f)
		x.Join()
	})
}

// verdict: proved, 1 trace
func TestRecovered(t *testing.T) {
	twice(t, func() {
		defer func() { recover() }()
		panic("p")
	})
}

// verdict: proved, 1 trace
func TestRecoveredTwice(t *testing.T) {
	twice(t, func() {
		for range 2 {
			func() {
				defer func() { recover() }()
				panic("p")
			}()
		}
	})
}

// verdict: proved, 1 trace
func TestPanicsAgain(t *testing.T) {
	twice(t, func() {
		defer func() { recover() }()
		func() {
			defer func() {
				if r := recover(); r != nil {
					panic(r)
				}
			}()
			panic(errors.New("p"))
		}()
	})
}

// verdict: proved, 1 trace
func TestPanicOfTheRuntime(t *testing.T) {
	twice(t, func() {
		defer func() { recover() }()
		var m map[int]int
		m[1] = 1
	})
}

// verdict: proved
func TestValueGoesThroughAChannel(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		errs := make(chan any, 2)
		for range 2 {
			go func() {
				defer func() { r := recover(); errs <- r }()
				panic(1)
			}()
		}
		x.Assert(<-errs == 1 && <-errs == 1, "not what was panicked with")
	})
}

// verdict: proved
func TestRecoveredUnderAWaitGroup(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				defer func() { _ = recover() }()
				panic(1)
			})
		}
		both.Wait()
	})
}
