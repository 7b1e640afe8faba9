package model

import (
	"fmt"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/history"
)

// Exec is one execution of a check's body. Any goroutine of that execution may call its methods;
// none may after the execution has ended.
//
// Exec has the methods Errorf, FailNow and Helper, so that testify's require.Equal(x, want, got)
// works in a body.
type Exec struct {
	name    string
	history *history.Recorder // nil without the option Spec
	stress  *stress           // nil when the execution is explored
}

// Go starts fn on a goroutine that appears under name in the picture of a failure. A go statement
// works as well; [Exec.Join] does not wait for that.
//
// The call of Go synchronizes before the start of fn.
func (x *Exec) Go(name string, fn func()) {
	if x.stress != nil {
		x.stress.start(fn)
		return
	}
	explore.Go(name, fn, true)
}

// Join waits until every goroutine has ended that the caller started with [Exec.Go].
//
// The end of each of them synchronizes before the return of Join.
func (x *Exec) Join() {
	if x.stress != nil {
		x.stress.wait()
		return
	}
	explore.Join()
}

// Assert does nothing if ok. Otherwise it ends the execution and fails the check with the message
// fmt.Sprintf(format, args...); it does not return.
func (x *Exec) Assert(ok bool, format string, args ...any) {
	if ok {
		return
	}
	x.fail(fmt.Sprintf(format, args...))
}

// Errorf ends the execution and fails the check with the message fmt.Sprintf(format, args...). It
// does not return: what follows a failed assertion is not explored.
func (x *Exec) Errorf(format string, args ...any) { x.fail(fmt.Sprintf(format, args...)) }

// FailNow ends the execution and fails the check. It does not return.
func (x *Exec) FailNow() { x.fail("FailNow was called") }

// Helper does nothing: a failure is reported with the execution that led to it.
func (x *Exec) Helper() {}

// Logf adds the line fmt.Sprintf(format, args...) to the lane of the calling goroutine in the
// picture of a failure. Under `go test` it does nothing.
func (x *Exec) Logf(format string, args ...any) {
	if x.stress == nil {
		explore.Note(func() string { return fmt.Sprintf(format, args...) })
	}
}

// Choose returns one of 0, 1, ..., n-1. Each of them, combined with every schedule and with every
// other choice, is explored; under `go test` the choice is random. Choose panics unless
// 1 <= n <= 1024.
func (x *Exec) Choose(n int) int {
	if n < 1 || n > 1024 {
		panic(fmt.Sprintf("model: Choose(%d): the number of values must be between 1 and 1024", n))
	}
	if x.stress != nil {
		return x.stress.choose(n)
	}
	return explore.Choose(n)
}

// History returns the recorder of this execution's operations, which the specification given to
// [Spec] judges when the execution has ended. History panics without that option.
func (x *Exec) History() *history.Recorder {
	if x.history == nil {
		panic("model: History without the option model.Spec")
	}
	return x.history
}

func (x *Exec) fail(message string) {
	if x.stress != nil {
		x.stress.fail(message)
		return
	}
	explore.Fail(explore.KindAssert, message)
}
