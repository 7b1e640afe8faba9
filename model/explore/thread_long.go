package explore

import "fmt"

// countingSteps times Config.MaxSteps is the bound for loops whose variables change, up to
// countingMost.
const (
	countingSteps = 10
	countingMost  = 2_000_000
)

// repeatingMost bounds how many steps may only repeat, where Config.MaxSteps is large.
const repeatingMost = 100_000

// isLong reports whether the execution, whose next event runs for the reason idle, has reached a
// bound: on steps, for those that repeat nothing, for those that only repeat, for all, or on free
// choices among cases.
func (e *engine) isLong(idle uint8) bool {
	return e.depth-e.idleSteps >= e.cfg.MaxSteps || e.depth >= e.mostSteps() ||
		idle != busy && e.depth-int(e.restedAt) >= e.repeatedSteps() ||
		e.chosen >= mostChosen && e.mayStartAgain()
}

// endOfLong returns with which of the end codes an execution ends that has reached a bound, or for
// which there is no time.
func (e *engine) endOfLong(idle uint8) (code int, ends bool) {
	if e.isLate() {
		return endPruned, true
	}
	if !e.isLong(idle) {
		return 0, false
	}
	f := e.tooLong(idle)
	if f != nil && e.isAstray() {
		return endPruned, true
	} else if f != nil {
		e.failure = f
	}
	return endFailed, f != nil
}

// repeatedSteps bounds the steps of threads that only repeat: then it is judged whether they may go
// on.
func (e *engine) repeatedSteps() int { return min(e.cfg.MaxSteps/2, repeatingMost) }

// mostSteps bounds all steps, for loops whose variables change: each takes about 500 bytes.
func (e *engine) mostSteps() int {
	return max(e.cfg.MaxSteps, min(countingSteps*e.cfg.MaxSteps, countingMost))
}

// mayStartAgain reports whether the exploration can start again and compare the iterations of every
// loop.
func (e *engine) mayStartAgain() bool {
	return e.sawLoop && !e.anyLoops && e.reduce && e.rec == nil
}

// tooLong judges such an execution. It returns nil if it may go on: the loops that are left count
// something and may end by themselves.
func (e *engine) tooLong(idle uint8) *Failure {
	if idle == busy || e.depth-int(e.restedAt) < e.repeatedSteps() {
		e.wantAnyLoops = e.mayStartAgain()
		f := &Failure{Kind: KindLimit, Message: boundText(e.cfg.MaxSteps)}
		if e.alive.count() == 1 {
			f.At = here()
		}
		return f
	}
	certain, chose := true, false
	var loops []string
	tired := e.alive.intersection(e.tired)
	for i := tired.first(); i >= 0; i = tired.next(i + 1) {
		t := e.threads[i]
		l := t.spin.tiredOf()
		loops = append(loops, t.name+" at "+l.at)
		certain = certain && l.kind != anyLoop && l.still > stillLaps*len(l.others) && !l.blind
		chose = chose || len(l.others) > 0
	}
	for i := tired.first(); i >= 0 && certain && chose; i = tired.next(i + 1) {
		certain = e.threads[i].spin.tiredOf().closed()
	}
	if certain {
		return e.livelock(loops)
	}
	if e.depth < e.mostSteps() {
		return nil
	}
	return &Failure{Kind: KindLimit, Message: fmt.Sprintf("no end after %d steps: only goroutines "+
		"that repeat the same operations are left, but what changes in their loops, or another "+
		"order of cases, may end them (model.MaxSteps raises the bound): %s",
		e.depth, listed(loops))}
}

// livelock is the failure of an execution in which the loops repeat the same iteration for ever.
func (e *engine) livelock(loops []string) *Failure {
	text := "one goroutine repeats the same iteration for ever: " + listed(loops)
	if len(loops) > 1 {
		text = fmt.Sprintf("%d goroutines repeat the same iteration for ever, each in its turn: %s",
			len(loops), listed(loops))
	}
	if e.gated.without(e.daemons).without(e.tired).empty() {
		return &Failure{Kind: KindLivelock, Message: text}
	}
	f := e.blockedFailure(e.gated.without(e.tired))
	if f.Kind != KindLeak {
		f.Kind = KindLivelock
	}
	f.Message += "; meanwhile " + text
	return f
}
