package time

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// Timers that nobody compares cost the product of their own outcomes.
//
// verdict: proved, 9 traces
func TestTimersOfTheirOwn(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		for range 2 {
			x.Go("waiter", func() {
				c := make(chan int, 1)
				x.Go("sender", func() { c <- 1 })
				select {
				case <-c:
				case <-time.After(time.Second):
				}
			})
		}
		x.Join()
	}, model.Timeouts(2))
}

// The value of a timer tells how late it was set.
//
// verdict: FAILED 3ns
func TestValueOfATimerBesideASleep(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		start := time.Now()
		x.Go("waiter", func() {
			at := <-time.After(1)
			x.Assert(at.Sub(start) == 1, at.Sub(start).String())
		})
		x.Go("sleeper", func() { time.Sleep(2) })
		x.Join()
	}, model.Timeouts(2))
}

// verdict: FAILED 3ns
func TestValueOfATimerInASelectBesideASleep(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		start := time.Now()
		x.Go("waiter", func() {
			select {
			case at := <-time.After(1):
				x.Assert(at.Sub(start) == 1, at.Sub(start).String())
			case <-make(chan int):
			}
		})
		x.Go("sleeper", func() { time.Sleep(2) })
		x.Join()
	}, model.Timeouts(2))
}

// verdict: FAILED a second deadline
func TestDeadlineOfAContextBesideASleep(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		start := time.Now()
		x.Go("worker", func() {
			ctx, cancel := context.WithTimeout(context.Background(), 1)
			defer cancel()
			d, _ := ctx.Deadline()
			x.Assert(d.Sub(start) == 1, "a second deadline")
		})
		x.Go("sleeper", func() { time.Sleep(2) })
		x.Join()
	}, model.Timeouts(2))
}

// A timer that is set before a later one may come after it, and never after what comes after both.
//
// verdict: proved
func TestTimersThatBothComeBeforeAStore(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var n atomic.Int32
		sleepers := make(chan bool, 2)
		for i := range 2 {
			x.Go("sleeper", func() {
				time.Sleep(time.Duration(i+1) * time.Millisecond)
				x.Assert(n.Load() == 0, "late")
				sleepers <- true
			})
		}
		<-sleepers
		<-sleepers
		n.Store(1)
		x.Join()
	}, model.Timeouts(2))
}
