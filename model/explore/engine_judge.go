package explore

import "time"

// judge adds the finished execution to the result. It looks for failures that the engine did not
// notice itself, and counts the execution.
func (e *engine) judge() {
	if e.wantSimple || e.wantRequests.any() || e.wantRendezvous.any() || e.wantAnyLoops ||
		e.wantOverlaid || e.wantMixed {
		return
	}
	r := &e.res
	r.Steps += int64(e.depth)
	r.Threads = max(r.Threads, e.n)
	e.longest = max(e.longest, e.depth)
	if e.anyForced {
		r.ForcedTimeouts++
	}
	if e.rescued {
		r.Rescued++
	}
	r.Held = r.Held || e.held
	e.lookForFailure()
	if e.reduce && e.usesWG && !e.orderAdds && e.needsOrderedAdds() {
		e.wantOrderAdds = true
	}
	how := e.ending()
	if f := e.linearize(); f != nil {
		e.failure, how = f, failed
	}
	r.add(how, e.lastHash())
	if e.certificate != nil {
		e.certificate.ended(e, how)
	}
	if e.rec != nil {
		r.Trace, r.made, r.waits = e.rec.shown(), e.rec.made, e.rec.waits
		if g := e.cfg.guide; g != nil {
			g.schedule = e.schedule()
		}
		e.endReplay()
	}
	if f := e.failure; f != nil {
		e.noteFailure(f)
	}
}

// lookForFailure asks everything that can reject a finished execution: the race detector, the
// number of goroutines, the check's End function, the test itself.
func (e *engine) lookForFailure() {
	complete := e.next == endBlocked && e.failure == nil && !e.isAstray()
	if f := e.newRaces(); f != nil {
		e.failure, complete = f, false
	}
	if e.failure == nil || e.uncontrolled.seen.Load() != nil {
		e.checkUncontrolled()
	}
	if complete && e.failure == nil && e.cfg.End != nil {
		e.failure = e.cfg.End()
	}
	if e.failure == nil && e.cfg.Failed != nil {
		if f := e.cfg.Failed(); !e.isAstray() {
			e.failure = f
		}
	}
}

// newRaces returns the failure of an execution in which the race detector reported something.
func (e *engine) newRaces() *Failure {
	n := raceErrors()
	if n <= e.raceErrs {
		return nil
	}
	e.res.Races++
	e.raceErrs = n
	if e.cfg.Failed != nil {
		_ = e.cfg.Failed() // package testing fails the test for it, which is not another failure
	}
	return &Failure{Kind: KindRace,
		Message: "the race detector reported unsynchronized accesses in this schedule"}
}

// ending says how an execution ended. Its values are part of the digest.
type ending uint64

const (
	completed ending = iota + 1
	deadlocked
	pruned
	failed
)

// ending classifies the finished execution. It calls Config.Deadlock for a blocked one.
func (e *engine) ending() ending {
	switch {
	case e.failure != nil && e.failure.blocked(e.next == endBlocked):
		if e.cfg.Deadlock != nil {
			e.cfg.Deadlock()
		}
		return deadlocked
	case e.next == endPruned, e.failure == nil && e.isAstray():
		return pruned
	case e.next == endBlocked:
		return completed
	}
	return failed
}

// blocked reports whether the failure is that threads wait forever. allBlocked says that nothing
// could run at the end.
func (f *Failure) blocked(allBlocked bool) bool {
	return f.Kind == KindDeadlock || f.Kind == KindLeak || f.Kind == KindLivelock && allBlocked
}

// add counts an execution that ended like o; schedule is the hash of its schedule.
func (r *Result) add(o ending, schedule uint64) {
	switch o {
	case completed:
		r.Complete++
	case deadlocked:
		r.Deadlocked++
	case pruned:
		r.Pruned++
	case failed:
		r.Failures++
	}
	r.Digest = (r.Digest ^ uint64(o) ^ schedule) * 0x9E3779B97F4A7C15
	r.Digest ^= r.Digest >> 31
}

// lastHash returns the hash of the schedule executed so far.
func (e *engine) lastHash() uint64 {
	if e.depth == 0 {
		return 0
	}
	return e.stack[e.depth-1].hash
}

// noteFailure keeps f if it is the first failure, or one of the same kind with fewer preemptions or
// a shorter schedule. It also decides how long the exploration continues.
func (e *engine) noteFailure(f *Failure) {
	f.Schedule = e.schedule()
	f.Passed, f.Passing, f.Later, f.AnyLoops = e.passed, e.passing, begun > 1, e.anyLoops
	if e.depth > 0 {
		f.Preemptions = e.preemptionsBefore(e.depth)
	}
	switch f.Kind {
	case KindNondeterminism, KindUncontrolled, KindRefused, KindExit, KindLimit, KindInternal:
		e.last = true // what else there is to explore cannot be trusted
	case KindLivelock:
		e.last = e.next != endBlocked // every execution may take as long
	}
	e.last = e.last || e.cfg.FirstOnly
	best := e.res.Failure
	if best == nil || f.Kind == KindInternal {
		e.res.Failure = f
		if limit := time.Now().Add(extraTime); e.deadline.IsZero() || limit.Before(e.deadline) {
			e.deadline = limit
		}
		return
	}
	if best.Kind == f.Kind && (f.Preemptions < best.Preemptions ||
		f.Preemptions == best.Preemptions && len(f.Schedule) < len(best.Schedule)) {
		e.res.Failure = f
	}
}
