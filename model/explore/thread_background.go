package explore

import (
	"math"
	"slices"
	"strings"
)

// Goroutines that the initialisation of a package begins live as long as the
// process does. They are threads of the execution, and so is what they start,
// but nobody waits for them: an execution in which all others have ended is
// over when they wait, and that is no leak. The same holds for what an ordinary test leaves running
// when it has ended; but that is named.

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
		if e.detached.has(parent.id) {
			e.detached.add(t.id)
		}
	}
}

// Detach is called at the end of a test: the goroutines that are left then, and what they start,
// are in the background from there on, the caller and the body apart.
func Detach() {
	e := eng
	if e == nil || e.aborting {
		return
	}
	left := e.alive.without(e.background)
	left.remove(0)
	left.remove(e.cur.id)
	for i := left.first(); i >= 0; i = left.next(i + 1) {
		e.background.add(i)
		e.detached.add(i)
	}
}

const outlives = "goroutines may outlive the test, which is no failure: "

// noteOutlived names a goroutine that the test left and that waits for ever, once in an
// exploration.
func (e *engine) noteOutlived() {
	i := e.gated.intersection(e.detached).without(e.daemons).first()
	named := func(text string) bool { return strings.HasPrefix(text, outlives) }
	if i < 0 || slices.ContainsFunc(e.res.Assumed, named) {
		return
	}
	t := e.threads[i]
	e.res.Assumed = append(e.res.Assumed, outlives+t.name+" waits in "+t.doing())
}
