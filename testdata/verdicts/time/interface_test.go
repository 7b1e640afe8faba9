package time

import (
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

type stopper interface{ Stop() bool }

// verdict: proved
func TestTimerAsAnInterface(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var s stopper = time.NewTimer(time.Hour)
		x.Assert(s.Stop(), "it has fired")
	})
}

type own bool

func (o *own) Stop() bool { *o = true; return true }

// verdict: proved
func TestStopOfAnotherType(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		o := new(own)
		var s stopper = o
		x.Assert(s.Stop() && bool(*o), "not stopped")
	})
}
