// Package background has goroutines that are begun in init and run as long as the process does.
package background

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

var ticks, swapped atomic.Int64

func init() {
	for range 4 {
		go func() {
			tick := time.NewTicker(100 * time.Microsecond)
			for {
				select {
				case <-tick.C:
					ticks.Add(1)
					swapped.CompareAndSwap(1, 2)
				}
			}
		}()
	}
}

var requests = make(chan chan int)

func init() {
	go func() {
		n := 0
		for r := range requests {
			n++
			r <- n
		}
	}()
}

func add(x *model.Exec) {
	var n atomic.Int64
	for range 2 {
		x.Go("adder", func() {
			for range 3 {
				n.Add(1)
			}
		})
	}
	x.Join()
	x.Assert(n.Load() == 6, "n is %d", n.Load())
}

// verdict: proved, 20 traces
func TestChecksOfTheSameBinaryAreNotDisturbed(t *testing.T) { model.Check(t, add) }

// verdict: proved, 20 traces
func TestNorIsTheNext(t *testing.T) { model.Check(t, add) }

// verdict: proved
func TestServerOfInitAnswers(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		answer := make(chan int)
		requests <- answer
		x.Assert(<-answer == 1, "not the first")
	})
}

// verdict: FAILED deadlock
func TestClientThatNobodyAnswers(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		requests <- make(chan int)
		requests <- make(chan int)
	})
}

// verdict: FAILED leak
func TestGoroutineOfTheBodyIsALeak(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		go func() {
			answer := make(chan int)
			requests <- answer
			<-answer
			<-answer
		}()
	})
}
