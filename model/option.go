package model

import (
	"fmt"
	"time"

	"github.com/surewake/surewake/model/history"
)

type options struct {
	preemptions int
	executions  int64
	duration    time.Duration
	maxSteps    int
	timeouts    int
	noRescue    bool
	assume      []string
	spec        history.Specification
	observe     func(*Step) error
}

// An Option changes how a check is explored.
type Option func(*options)

// Preemptions bounds the preemptions of a schedule to n: a switch away from a
// goroutine that could go on. The verdict is at best "bounded". It panics on a
// negative n.
func Preemptions(n int) Option {
	atLeast("Preemptions", n, 0)
	return func(o *options) { o.preemptions = n }
}

// Executions ends the exploration after n executions with the verdict
// "bounded". It panics unless n is positive.
func Executions(n int64) Option {
	atLeast("Executions", n, 1)
	return func(o *options) { o.executions = n }
}

// Duration ends the exploration after d with the verdict "bounded"; without any
// budget that is ten minutes. It panics unless d is positive.
func Duration(d time.Duration) Option {
	atLeast("Duration", d, 1)
	return func(o *options) { o.duration = d }
}

// MaxSteps bounds the scheduling points of one execution to n; more are taken
// for a livelock. The default is 20,000. It panics unless n is positive.
func MaxSteps(n int) Option {
	atLeast("MaxSteps", n, 1)
	return func(o *options) { o.maxSteps = n }
}

// Timeouts lets up to n timeouts of an execution come early, although other
// goroutines can run: timers, tickers, deadlines of contexts, functions of
// time.AfterFunc, and futex waits, by their timeout or by a signal. The default
// is 0: a timeout then comes only when nothing else can run, or when the program
// has slept for that long. The verdict names n. It panics on a negative n.
func Timeouts(n int) Option {
	atLeast("Timeouts", n, 0)
	return func(o *options) { o.timeouts = n }
}

// NoRescue makes an execution fail in which nothing can go on but by a timeout,
// so that no lost wakeup hides behind one. Timeouts that come early, see
// [Timeouts], are not meant.
func NoRescue() Option { return func(o *options) { o.noRescue = true } }

// Assume puts an assumption that the check makes on its verdict.
func Assume(text string) Option {
	return func(o *options) { o.assume = append(o.assume, text) }
}

// Spec judges what the body records in [Exec.History]: an execution whose
// history does not satisfy s fails.
func Spec(s history.Specification) Option {
	return func(o *options) { o.spec = s }
}

func atLeast[N int | int64 | time.Duration](name string, n, low N) {
	if n < low {
		panic(fmt.Sprintf("model: %s(%v): must be at least %v", name, n, low))
	}
}
