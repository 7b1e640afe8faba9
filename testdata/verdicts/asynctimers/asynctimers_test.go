//go:debug asynctimerchan=1

// Package asynctimers holds programs with the timers of Go 1.22, as modules have that name that
// release or an earlier one in go.mod: a value that was sent before Stop or Reset stays.
package asynctimers

import (
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// In Go the value is there.
//
// verdict: said asynctimerchan
func TestValueFromBeforeStop(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		timer := time.NewTimer(time.Millisecond)
		time.Sleep(2 * time.Millisecond)
		timer.Stop()
		select {
		case <-timer.C:
			x.Assert(false, "a value from before Stop")
		default:
		}
	})
}

// verdict: said asynctimerchan
func TestTickFromBeforeStop(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		ticker := time.NewTicker(time.Millisecond)
		<-ticker.C
		ticker.Stop()
	})
}

// Without a channel there is no such value.
//
// verdict: proved
func TestFunctionOfATimer(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		time.AfterFunc(time.Hour, func() {}).Stop()
	})
}
