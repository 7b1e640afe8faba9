package explore

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/surewake/surewake/model/wire"
)

// begin starts an execution.
func (e *engine) begin() {
	e.depth, e.nobjs, e.n, e.quietOps = 0, 0, 0, 0
	e.sleep, e.runnable, e.gated, e.alive, e.pending, e.unstarted = 0, 0, 0, 0, 0, 0
	e.quiet, e.starting, e.aborting, e.usesWG, e.anyForced = true, false, false, false, false
	e.nextSleepSet, e.asleep = e.nextSleepSet[:0], 0
	e.forcedDue, e.held, e.daemons, e.baseClock, e.baseEarly = -1, false, 0, 0, 0
	e.clock, e.failure, e.cur, e.decision, e.early, e.trail = 0, nil, nil, 0, 0, 0
	e.table.clear()
	e.renewCarriers()
	if e.cfg.Record {
		e.quiet = true
		e.rec = &recorder{}
		e.replay = e.cfg.Replay
		if e.replay == nil {
			e.replay = []wire.Deviation{}
		}
	}
	if e.rng.on {
		e.randomBegin()
	}
	if e.cfg.Begin != nil {
		e.cfg.Begin()
	}
	raceStart()
	Beats.Add(1)
	eng = e
	e.spawn("main", e.body)
	e.next = endStart
}

// finish ends the execution that run has brought to its end: it tears down
// what is left, judges, and moves to the next schedule.
func (e *engine) finish() {
	e.waiting = 0
	if e.next == endBlocked && e.alive&^e.daemons != 0 && e.failure == nil {
		e.checkUncontrolledClose()
	}
	if e.next == endBlocked && e.alive&^e.daemons != 0 && e.failure == nil {
		for s := e.gated; s != 0; s &= s - 1 {
			if i := bits.TrailingZeros64(s); e.threads[i].op == OpWGWait {
				e.waiting |= 1 << i
			}
		}
		e.failure = e.blockedFailure()
	}
	if e.reduce && (e.next == endBlocked || e.next == endPruned) {
		e.blockedRaces()
	}
	e.aborting = true
	for i := 0; i < e.n; i++ {
		if t := e.threads[i]; !t.fin {
			if !t.started {
				t.fin, t.fn = true, func() {}
				continue
			}
			e.unwind(t)
		}
	}
	raceEnd()
	e.closeCoros()
	eng = nil
	if e.twice && !e.repeated {
		e.repeat()
	} else {
		e.judge()
	}
	Beats.Add(1)
}

// repeat looks at the second run of the first schedule, which counts only if
// it differs.
func (e *engine) repeat() {
	e.repeated = true
	if e.failure == nil && (e.depth != e.plen || e.next != endBlocked) {
		e.nondeterministic("the same schedule had %d steps and then %d", e.plen, e.depth)
	}
	if e.failure != nil {
		e.judge()
	}
}

func (e *engine) judge() {
	if e.wantRendezvous {
		return
	}
	r := &e.res
	r.Steps += int64(e.depth)
	r.Threads = max(r.Threads, e.n)
	e.longest = max(e.longest, e.depth)
	if e.anyForced {
		r.ForcedTimeouts++
	}
	r.Held = r.Held || e.held
	complete := e.next == endBlocked && e.failure == nil
	if n := raceErrors(); n > e.raceErrs {
		r.Races++
		e.raceErrs = n
		e.failure = &Failure{Kind: KindRace, Message: "the race detector reported unsynchronized accesses in this schedule"}
		complete = false
	}
	if e.failure == nil {
		e.checkUncontrolled()
	} else if s := e.uncontrolled.seen.Load(); s != nil {
		e.checkUncontrolled()
	}
	if complete && e.failure == nil && e.cfg.End != nil {
		e.failure = e.cfg.End()
	}
	if e.failure == nil && e.cfg.Failed != nil && !e.failedNoted {
		if m := e.cfg.Failed(); m != "" {
			e.failedNoted = true
			e.failure = &Failure{Kind: KindAssert, Message: m}
		}
	}
	var outcome uint64
	switch {
	case e.failure != nil && (e.failure.Kind == KindDeadlock || e.failure.Kind == KindLeak || e.failure.Kind == KindLivelock && e.next == endBlocked):
		r.Deadlocked++
		if e.cfg.Deadlock != nil {
			e.cfg.Deadlock()
		}
		outcome = 2
	case e.next == endPruned:
		r.Pruned++
		outcome = 3
	case e.next == endBlocked:
		r.Complete++
		outcome = 1
	default:
		r.Failures++
		outcome = 4
	}
	if e.depth > 0 {
		outcome ^= e.stack[e.depth-1].hash
	}
	r.Digest = (r.Digest ^ outcome) * 0x9E3779B97F4A7C15
	r.Digest ^= r.Digest >> 31
	if e.rec != nil {
		r.Trace = e.rec.steps
	}
	if f := e.failure; f != nil {
		e.noteFailure(f)
	}
	if e.reduce && e.usesWG && !e.orderAdds && e.needsOrderedAdds() {
		e.wantOrderAdds = true
	}
}

func (e *engine) noteFailure(f *Failure) {
	f.Schedule = e.schedule()
	if e.depth > 0 {
		f.Preemptions = e.preemptionsBefore(e.depth)
	}
	switch f.Kind {
	case KindNondeterminism, KindUncontrolled, KindRefused, KindExit, KindLimit:
		e.last = true // what else there is to explore cannot be trusted
	case KindLivelock:
		e.last = e.next != endBlocked // every execution may take as long
	}
	e.last = e.last || e.cfg.FirstOnly
	best := e.res.Failure
	if best == nil {
		e.res.Failure = f
		if limit := time.Now().Add(extraTime); e.deadline.IsZero() || limit.Before(e.deadline) {
			e.deadline = limit
		}
		return
	}
	if best.Kind == f.Kind && (f.Preemptions < best.Preemptions || f.Preemptions == best.Preemptions && len(f.Schedule) < len(best.Schedule)) {
		e.res.Failure = f
	}
}

// more moves to the next schedule, if there is one and the budget allows it.
func (e *engine) more() bool {
	r := &e.res
	if e.wantOrderAdds || e.wantRendezvous {
		e.orderAdds, e.rendezvous = e.orderAdds || e.wantOrderAdds, e.rendezvous || e.wantRendezvous
		e.wantOrderAdds, e.wantRendezvous = false, false
		secs, threads := r.Seconds, r.Threads
		*r = Result{Seconds: secs, Threads: threads}
		e.plen, e.first, e.twice, e.repeated = 0, false, false, false
	}
	n := r.Executions()
	if n == 0 && !e.first {
		e.first = true
		return true
	}
	if e.cfg.Record {
		return false
	}
	if n == 1 && !e.twice && r.Failure == nil && !e.rng.on {
		e.twice, e.plen = true, e.depth // the first schedule once more, to see whether the body repeats itself
		return true
	}
	if r.Failure != nil && e.last {
		r.Bounded = "stopped at the failure"
		return false
	}
	if !e.rng.on && !e.backtrack() {
		if r.cut {
			r.Bounded = fmt.Sprintf("at most %d preemptions", e.cfg.Preemptions)
		}
		return false
	}
	if e.cfg.Executions > 0 && n >= e.cfg.Executions {
		r.Bounded = fmt.Sprintf("budget of %d executions", e.cfg.Executions)
		return false
	}
	if n&15 == 0 || Race || n < 64 {
		now := time.Now()
		if !e.deadline.IsZero() && now.After(e.deadline) {
			r.Bounded = fmt.Sprintf("budget of %v", e.cfg.Duration)
			if r.Failure != nil {
				r.Bounded = "stopped after the failure"
			}
			return false
		}
		if e.cfg.Progress != nil && now.Sub(e.report) > 250*time.Millisecond {
			e.report = now
			r.Seconds = now.Sub(e.start).Seconds()
			e.cfg.Progress(*r, e.explored())
		}
	}
	return true
}

// explored estimates the part of the search tree that lies behind the present
// path, from the branches known so far.
func (e *engine) explored() float64 {
	part, weight := 0.0, 1.0
	for d := range e.plen {
		ev := &e.stack[d]
		all := float64(bits.OnesCount64(ev.back&^ev.sleep)) * float64(max(1, ev.choices))
		done := float64(bits.OnesCount64(ev.done&^ev.sleep)-1)*float64(max(1, ev.choices)) + float64(ev.choice)
		if all > 1 {
			part += weight * done / all
			weight /= all
		}
	}
	return part
}
