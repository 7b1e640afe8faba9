package model

import (
	"fmt"
	"time"

	"github.com/surewake/surewake/model/history"
)

type options struct {
	preemptions   int
	executions    int64
	duration      time.Duration
	maxSteps      int
	maxGoroutines int
	timeouts      int
	ownTime       bool // Timeouts or NoRescue was given
	noRescue      bool
	mapOrders     bool
	assume        []string
	spec          history.Specification
	observe       func(*Step) error
	before        func(*Step)
}

// An Option changes how a check is explored. Under `go test` only [Spec] has an effect.
type Option func(*options)

// Preemptions explores only executions that some schedule with at most n preemptions has, one
// schedule of each, or a few. A preemption is a switch away from a goroutine that could go on, be
// it because a timeout may end its wait early. The verdict is bounded if schedules were left out.
// Preemptions panics if n is negative.
//
// The algorithm: Coons, Musuvathi, McKinley, Bounded Partial-Order Reduction, OOPSLA 2013.
func Preemptions(n int) Option {
	atLeast("Preemptions", n, 0)
	return func(o *options) { o.preemptions = n }
}

// Executions ends the exploration after n executions; the verdict is then at most bounded.
// Executions panics unless n is positive.
func Executions(n int64) Option {
	atLeast("Executions", n, 1)
	return func(o *options) { o.executions = n }
}

// Duration ends the exploration after d; the verdict is then at most bounded. A check without any
// budget, here or from the command, ends after ten minutes. Duration panics unless d is positive.
func Duration(d time.Duration) Option {
	atLeast("Duration", d, 1)
	return func(o *options) { o.duration = d }
}

// MaxSteps bounds the operations of one execution to n; a check with a longer execution is
// undecided. The default is 20,000. MaxSteps panics unless n is positive.
func MaxSteps(n int) Option {
	atLeast("MaxSteps", n, 1)
	return func(o *options) { o.maxSteps = n }
}

// MaxGoroutines bounds the goroutines of one execution to n, those that have ended and the body
// included; a check with an execution that starts more is undecided. The default is 10,000. Where
// the race detector watches, the bound is at most 4,000. MaxGoroutines panics unless n is positive.
func MaxGoroutines(n int) Option {
	atLeast("MaxGoroutines", n, 1)
	return func(o *options) { o.maxGoroutines = n }
}

// Timeouts explores executions in which up to n timeouts come early, while other goroutines can
// run: sleeps, timers, tickers, deadlines of contexts, functions of time.AfterFunc, and futex
// waits, by their timeout or by a signal, however long they are. Futex waits are counted by
// themselves, and so are the others. It takes the place of the two ways in which time passes by
// default (see the documentation of the package): with 0 a timeout comes only when nothing else can
// run. The verdict names n. Timeouts panics if n is negative.
func Timeouts(n int) Option {
	atLeast("Timeouts", n, 0)
	return func(o *options) { o.timeouts, o.ownTime = n, true }
}

// NoRescue fails an execution in which nothing can go on except by a timeout, the end of a sleep
// included, and one in which the other goroutines only poll: a timeout must not hide a lost wakeup.
// Early timeouts, see [Timeouts], remain allowed; without that option there are none.
//
// Without NoRescue and Timeouts, a check of which an execution went on only by the timeout of a
// futex wait is at most bounded.
func NoRescue() Option {
	return func(o *options) { o.noRescue, o.ownTime = true, true }
}

// MapOrders explores loops over maps in all orders of their entries, as the flag -map-orders of the
// command does: n entries multiply the executions by n!. Loops over more than six entries, or
// over keys that contain pointers, channels or interfaces, keep their one order, which the verdict
// names; so do calls of package maps. What a loop adds to its map is not visited; the verdict then
// names the loop, too.
func MapOrders() Option {
	return func(o *options) { o.mapOrders = true }
}

// Assume adds text to the assumptions of the verdict.
func Assume(text string) Option {
	return func(o *options) { o.assume = append(o.assume, text) }
}

// Spec fails an execution if the history that the body recorded in [Exec.History] does not satisfy
// s.
func Spec(s history.Specification) Option {
	return func(o *options) { o.spec = s }
}

func atLeast[N int | int64 | time.Duration](name string, n, low N) {
	if n < low {
		panic(fmt.Sprintf("model: %s(%v): must be at least %v", name, n, low))
	}
}
