package time

import (
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// A goroutine that is alone is slow as well: the timer of its select may fire although another case
// is ready.
//
// verdict: FAILED timing: assertion failed: no room.*timer of 10ms at own_test.go.*another case
func TestTimerBesideACaseThatIsReady(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := make(chan int, 1)
		select {
		case <-time.After(10 * time.Millisecond):
			x.Assert(false, "no room")
		case c <- 1:
		}
	})
}

// verdict: FAILED timing: deadlock.*timer of 10ms at own_test.go.*another case
func TestTimerBesideADefault(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		timer := time.NewTimer(10 * time.Millisecond)
		select {
		case <-timer.C:
			<-timer.C
		default:
		}
	})
}

// verdict: FAILED timing: assertion failed: the second.*timer of 20ms at own_test.go.*another case
func TestTimerBesideAnEarlierTimer(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-time.After(20 * time.Millisecond):
			x.Assert(false, "the second")
		}
	})
}

// No time passes beside a goroutine that waits for its only timer.
//
// verdict: FAILED ^assertion failed: the end
func TestTimerBesideNothing(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		for range 2 {
			select {
			case <-time.After(10 * time.Millisecond):
			case <-make(chan int):
			}
		}
		x.Assert(false, "the end")
	})
}
