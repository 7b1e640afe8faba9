package model

import (
	"fmt"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/history"
)

// Exec is one execution of a check's body. Its methods may be called by any
// goroutine of that execution.
//
// Exec has the methods Errorf, FailNow and Helper, so that testify's
// require.Equal(x, want, got) works in a body.
type Exec struct {
	name    string
	history *history.Recorder
	stress  *stress // in an ordinary go test
}

// Go starts fn as a goroutine with a name, under which it appears in lanes.
// A plain go statement works as well.
//
// Go synchronizes before the start of fn.
func (x *Exec) Go(name string, fn func()) {
	if x.stress != nil {
		x.stress.start(fn)
		return
	}
	explore.Go(name, fn, true)
}

// Join waits for every goroutine that the caller started with [Exec.Go].
//
// The end of each of them synchronizes before the return of Join.
func (x *Exec) Join() {
	if x.stress != nil {
		x.stress.wait()
		return
	}
	explore.Join()
}

// Assert fails the check unless ok. The message is fmt.Sprintf(format, args...).
func (x *Exec) Assert(ok bool, format string, args ...any) {
	if ok {
		return
	}
	x.fail(fmt.Sprintf(format, args...))
}

// Errorf fails the check, and ends the execution.
func (x *Exec) Errorf(format string, args ...any) { x.fail(fmt.Sprintf(format, args...)) }

// FailNow fails the check, and ends the execution.
func (x *Exec) FailNow() { x.fail("FailNow was called") }

// Helper does nothing: a failure comes with the stack that led to it.
func (x *Exec) Helper() {}

// Logf adds a line to the running goroutine's lane.
func (x *Exec) Logf(format string, args ...any) {
	if x.stress == nil {
		explore.Note(func() string { return fmt.Sprintf(format, args...) })
	}
}

// Choose returns each of 0, 1, ..., n-1 in some execution; every combination
// with every schedule is explored. In an ordinary go test it is random. It
// panics unless 1 <= n <= 1024.
func (x *Exec) Choose(n int) int {
	if n < 1 || n > 1024 {
		panic(fmt.Sprintf("model: Choose(%d): the number of values must be between 1 and 1024", n))
	}
	if x.stress != nil {
		return x.stress.choose(n)
	}
	return explore.Choose(n)
}

// History is where this execution's operations are recorded, to be judged by
// the specification given with [Spec]. It panics if there is none.
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
