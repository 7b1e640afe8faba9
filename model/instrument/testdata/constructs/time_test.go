package t

import (
	ctxt "context"
	"errors"
	"testing"
	. "time"
)

type alarm struct {
	*Timer
	rings int
}

type stopper interface{ Stop() bool }

func TestTimers(t *testing.T) {
	timer := NewTimer(Millisecond)
	<-timer.C
	eq(t, timer.Stop(), false)
	eq(t, timer.Reset(Hour), false)
	stop := timer.Stop
	eq(t, stop(), true)
	reset := (*Timer).Reset
	eq(t, reset(timer, 0), false)
	<-timer.C
	defer NewTicker(Hour).Stop()
	ticker := NewTicker(Hour)
	ticker.Reset(Microsecond)
	<-ticker.C
	ticker.Stop()
	var none <-chan Time
	eq(t, Tick(0), none)
	<-Tick(1)
	ran := make(chan bool)
	eq(t, AfterFunc(0, func() { close(ran) }).C, none)
	<-ran
	later := AfterFunc
	eq(t, later(Hour, func() {}).Stop(), true)
	a := alarm{Timer: AfterFunc(Hour, func() {})}
	eq(t, a.Stop(), true)
	eq(t, a.Reset(Hour), false)
	var s stopper = &a
	eq(t, s.Stop(), true)
	select {
	case <-After(Hour):
	case <-After(1):
	}
}

func TestContexts(t *testing.T) {
	type key struct{}
	ctx, cancel := ctxt.WithCancel(ctxt.WithValue(ctxt.Background(), key{}, 1))
	with := ctxt.WithTimeout
	child, cancelChild := with(ctx, Hour)
	defer cancelChild()
	stop := ctxt.AfterFunc(ctxt.WithoutCancel(child), func() {})
	cancel()
	<-child.Done()
	eq(t, child.Err(), ctxt.Canceled)
	eq(t, stop(), true)
	why, cancelWhy := ctxt.WithCancelCause(ctxt.TODO())
	cancelWhy(errors.New("why"))
	eq(t, ctxt.Cause(why).Error(), "why")
	late, cancelLate := ctxt.WithDeadlineCause(ctxt.Background(), Now(), errors.New("late"))
	defer cancelLate()
	eq(t, ctxt.Cause(late).Error(), "late")
	var causes ctxt.CancelCauseFunc = cancelWhy
	causes(nil)
	later := ctxt.AfterFunc
	ran := make(chan bool)
	later(late, func() { close(ran) })
	<-ran
}
