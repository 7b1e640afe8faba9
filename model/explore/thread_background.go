package explore

import "math"

// Goroutines that the initialisation of a package begins live as long as the
// process does. They are threads of the execution, and so is what they start,
// but nobody waits for them: an execution in which all others have ended is
// over when they wait, and that is no leak.

// Initialise runs f, the initialisation of the packages under check, in the
// main thread before the body. Its operations do not count towards
// Config.MaxSteps while no other thread exists.
func Initialise(f func()) {
	e := eng
	if e == nil {
		f()
		return
	}
	e.initialising, e.quietOps = true, math.MinInt
	f()
	e.initialising, e.quietOps = false, 0
}

// Initialising reports whether Initialise runs.
func Initialising() bool { return eng != nil && eng.initialising }

// noteBackground marks what Initialise, or a thread that it began, starts.
func (e *engine) noteBackground(parent, t *thread) {
	if e.initialising && parent.id == 0 || e.background.has(parent.id) {
		e.background.add(t.id)
	}
}
