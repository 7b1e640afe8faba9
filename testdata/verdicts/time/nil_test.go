package time

import (
	"context"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// Go ends the process where a timer or a context starts a nil function.
//
// verdict: FAILED go of nil func value
func TestAfterFuncOfNil(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		time.AfterFunc(time.Millisecond, nil)
		time.Sleep(time.Second)
	})
}

// verdict: FAILED go of nil func value
func TestContextAfterFuncOfNil(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		ctx, cancel := context.WithCancel(context.Background())
		context.AfterFunc(ctx, nil)
		cancel()
	})
}

// verdict: proved
func TestAfterFuncOfNilThatIsStopped(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Assert(time.AfterFunc(time.Hour, nil).Stop(), "it was started")
	})
}
