package explore

import (
	"fmt"
	"strings"
	"time"
)

// begun is how many executions of the process have begun.
var begun int64

// begin resets the state of the previous execution and spawns the main thread.
func (e *engine) begin() {
	e.depth, e.nobjs, e.n, e.quietOps = 0, 0, 0, 0
	e.sleep, e.runnable, e.gated, e.alive = threadSet{}, threadSet{}, threadSet{}, threadSet{}
	e.pending, e.unstarted, e.begun = 0, 0, 0
	e.quiet, e.starting, e.aborting, e.usesWG = true, false, false, false
	e.foreignAnywhere = false
	e.anyForced, e.rescued = false, false
	e.nextSleepSet, e.asleep, e.pauses = e.nextSleepSet[:0], 0, e.pauses[:0]
	e.forcedDue, e.held, e.daemons = -1, false, threadSet{}
	e.clock.now, e.clock.base, e.baseEarly, e.baseSlow = 0, 0, 0, 0
	e.slow, e.looks, e.asksTime, e.moved, e.passed, e.passing = 0, 0, false, false, false, nil
	e.failure, e.cur, e.decision, e.early, e.trail = nil, nil, 0, 0, 0
	e.earlyWaits = 0
	e.bubbles, e.forced, e.astray = nil, &e.clock, e.astray[:0]
	e.beginApart()
	e.background, e.detached, e.unseen = threadSet{}, threadSet{}, threadSet{}
	e.initialising, e.futexMoved = false, false
	e.tired, e.barred, e.timeRan, e.restedAt, e.stopped = threadSet{}, threadSet{}, false, 0, false
	e.idleSteps, e.chosen = 0, 0
	e.lent = e.lent[:0]
	if e.certificate != nil {
		e.certificate.begin()
	}
	e.table.clear()
	e.overlaps, e.founds = e.overlaps[:0], e.founds[:0]
	e.beginLooking()
	e.wantOverlaid = overlaidBefore.Load() && !e.overlaid // e.g. in a part (beginAt)
	e.renewCarriers()
	if e.cfg.Record {
		e.quiet = true
		e.rec = &recorder{races: raceErrors()}
		e.beginReplay()
		if e.cfg.guide != nil {
			e.cfg.guide.begin()
		}
	}
	if e.rng.on {
		e.randomBegin()
	}
	if e.cfg.Begin != nil {
		e.cfg.Begin()
	}
	e.history.begin() // the program may set what package time reads for it
	raceStart()
	Beats.Add(1)
	begun++
	e.cur = e.spawn("main", e.body)
	eng = e
	e.next = endStart
}

// finish ends an execution after run returned: it finds out who is blocked, unwinds the threads
// that have not ended, and judges.
func (e *engine) finish() {
	e.lookBack()
	e.lookForBlocked()
	if e.optimal && !e.blockedAreCertain() {
		e.searchSimply()
	}
	if e.optimal {
		e.insertRaces()
	}
	if e.reduce && (e.next == endBlocked || e.next == endPruned || e.inDeadBubble()) {
		e.atEnd = true
		e.blockedRaces()
		e.atEnd = false
	}
	if e.certificate != nil && e.next == endBlocked {
		e.certificate.blocked(e)
	}
	e.tearDown()
	e.noteLeft()
	e.endLooking()
	eng = nil
	if e.given != nil {
		e.endGiven()
	}
	if e.twice && !e.repeated {
		e.repeat()
	} else {
		e.judge()
	}
	Beats.Add(1)
}

// lookForBlocked fails an execution in which nothing can run although not every thread has ended.
func (e *engine) lookForBlocked() {
	e.waiting = threadSet{}
	if e.stopped || e.next != endBlocked || e.isAstray() {
		return
	}
	e.noteOutlived()
	if e.alive.without(e.daemons).without(e.background).empty() || e.failure != nil {
		return
	}
	if e.rendezvous.any() && e.facing() {
		e.next = endPruned
		return
	}
	if e.checkUncontrolledClose(); e.failure != nil {
		return
	}
	e.waiting = e.waitingForGroups()
	e.failure = e.blockedFailure(e.gated)
}

// tearDown runs the deferred functions of every thread that has not ended.
func (e *engine) tearDown() {
	e.aborting = true
	for _, t := range e.threads[:e.n] {
		switch {
		case t.fin:
		case t.started:
			e.unwind(t)
		default:
			t.fin, t.fn = true, func() {}
		}
	}
	raceEnd()
	e.closeCoros()
}

// repeat judges the second run of the first schedule. It counts only if it differed from the first,
// or if the race detector, which forgets accesses at random, reported something only now.
func (e *engine) repeat() {
	e.repeated = true
	if e.failure == nil && (e.depth != e.plen || e.next != endBlocked) {
		e.nondeterministic("the same schedule had %d steps and then %d", e.plen, e.depth)
	}
	if f := e.newRaces(); f != nil {
		e.failure = f
	}
	if e.failure != nil {
		e.judge()
	}
}

// more moves to the next schedule. It reports false if there is none or a budget is used up.
func (e *engine) more() bool {
	r := &e.res
	if e.resumed {
		e.resumed = false
		return true
	}
	if e.late {
		e.checkTime()
		return false
	}
	if e.wantsAgain() && !e.startAgain() {
		return false
	}
	n := r.Executions()
	switch {
	case n == 0 && !e.first:
		e.first = true
		return true
	case e.cfg.Record:
		return false
	case e.cfg.expands != nil:
		e.expand()
		return false
	case n == 1 && e.isRepeated():
		// the first schedule once more, to see whether the body repeats itself
		e.twice, e.plen = true, e.depth
		return true
	case r.Failure != nil && e.last:
		r.Bounded = "stopped at the failure"
		return false
	case !e.rng.on && !e.toNext():
		if r.cut {
			r.Bounded = fmt.Sprintf("at most %d preemptions", e.cfg.Preemptions)
		}
		if len(e.cuts) > 0 {
			r.Bounded = strings.TrimPrefix(r.Bounded+"; "+cutText(e.cuts), "; ")
		}
		return e.searchAgain()
	case e.cfg.Executions > 0 && n >= e.cfg.Executions:
		r.Bounded = fmt.Sprintf("budget of %d executions", e.cfg.Executions)
		r.CutShort, r.Counted, r.Left = true, true, e.estimator.left()
		return false
	}
	if n&15 == 0 || Race || n < 64 || e.dear || e.isDue() {
		return e.checkTime() && e.between()
	}
	return true
}

// isRepeated reports whether the first schedule is to be run once more.
func (e *engine) isRepeated() bool {
	return !e.twice && e.root == 0 && !e.wasBegun && e.res.Failure == nil && !e.rng.on &&
		e.next == endBlocked
}

// wantsAgain reports whether an execution asked for other options.
func (e *engine) wantsAgain() bool {
	return e.wantSimple || e.wantOrderAdds || e.wantOrderDones ||
		e.wantRendezvous.any() || e.wantRequests.any() ||
		e.wantOverlaid || e.wantMixed || e.wantAnyLoops || e.wantPolls || e.wantClocked
}

// startAgain restarts the exploration with the options that an execution asked for. It reports
// false if others explore a part of it.
func (e *engine) startAgain() bool {
	if e.isPart() {
		e.res.Again = &Subtree{Modes: e.modeText(true)}
		return false
	}
	e.orderAdds, e.rendezvous = e.orderAdds || e.wantOrderAdds, e.rendezvous.or(e.wantRendezvous)
	e.orderDones = e.orderDones || e.wantOrderDones
	e.requests, e.wantRequests = e.requests.or(e.wantRequests), perKind{}
	e.simple, e.wantSimple = e.simple || e.wantSimple, false
	e.optimal = e.optimal && !e.simple
	e.overlaid, e.wantOverlaid = e.overlaid || e.wantOverlaid, false
	e.mixed, e.wantMixed = e.mixed || e.wantMixed, false
	e.anyLoops, e.wantAnyLoops = e.anyLoops || e.wantAnyLoops, false
	e.clocked, e.wantClocked = e.clocked || e.wantClocked, false
	e.wantOrderAdds, e.wantOrderDones, e.wantRendezvous = false, false, perKind{}
	if e.found == nil {
		e.found = e.res.Failure
	}
	e.res = Result{Seconds: e.res.Seconds, Threads: e.res.Threads}
	e.cuts, e.paused, e.pausedSteps, e.deadline = nil, 0, 0, e.budgetEnd()
	e.beginEstimate()
	if e.certificate != nil {
		e.certificate = new(certificate)
	}
	e.plen, e.first, e.twice, e.repeated = 0, false, false, false
	e.raced, e.taken, e.branches, e.follow = e.raced[:0], e.taken[:0], nil, nil
	return true
}

// budgetEnd returns when the time for the exploration is used up, zero if it has no end.
func (e *engine) budgetEnd() time.Time {
	if e.cfg.Duration > 0 {
		return e.start.Add(e.cfg.Duration)
	}
	return time.Time{}
}

// foundBefore puts into the result what only an exploration found that was started again: the race
// detector need not report a race twice, and the budget may end before a failure shows again.
func (e *engine) foundBefore() {
	if e.res.Failure != nil || e.found == nil {
		return
	}
	e.res.Failure = e.found
	if e.found.Kind == KindRace {
		e.res.Races++
	}
}

// isLate finds out, now and then, whether the time is used up in the middle of a long execution,
// which is then not run to its end. The first one is, unless a failure is known.
func (e *engine) isLate() bool {
	if e.depth%lateEvery == lateEvery-1 && !e.deadline.IsZero() && e.given == nil &&
		(e.cfg.Shorten != nil || e.res.Executions() > 0) {
		e.late = time.Now().After(e.deadline)
	}
	return e.late
}

const lateEvery = 1 << 12

// checkTime reports whether there is time left, and calls Config.Progress.
func (e *engine) checkTime() bool {
	r := &e.res
	now := time.Now()
	e.dear = now.Sub(e.start) > time.Duration(r.Executions())*time.Millisecond
	if !e.deadline.IsZero() && now.After(e.deadline) {
		r.Bounded = fmt.Sprintf("budget of %v", e.cfg.Duration)
		r.CutShort, r.Left = true, e.estimator.left()
		if r.Failure != nil {
			r.Bounded = "stopped after the failure"
		}
		return false
	}
	if e.cfg.Progress != nil && now.Sub(e.report) > 250*time.Millisecond {
		e.report = now
		r.Seconds = now.Sub(e.start).Seconds()
		e.cfg.Progress(*r, e.estimator.explored(r.Executions()))
	}
	return true
}
