package explore

import (
	"fmt"
	"path/filepath"
	"time"
)

// Time that passes while threads can run: the second of two ways to explore a check.
//
// In the first way a timeout, be it of a timer or of a sleep, comes when nothing else can run, the
// one with the first deadline. So no lost wakeup hides behind a timeout, but neither
// is anything seen that a timeout does to threads that are busy. In the second way
// (Config.TimePasses) threads can be slow, all in all by less than Config.Short:
//
//   - A timeout of less than Config.Short may come as soon as it is set, at most
//     Config.EarlyTimeouts of them in an execution. Longer ones are watchdogs: that threads are as
//     slow as that is no behaviour that a program must be prepared for.
//   - Of several timeouts with one deadline each may come first, however long they are.
//   - time.Now may find that the clock has moved by itself, by the most that is left, once in an
//     execution.
//
// Futex waits stay as they are: what is made of them is checked with a budget of early timeouts.
//
// Result.Timed says that the first way came across a timer that may fire early or together with
// another; Result.AsksTime, that it looked at the clock more than once. Failure.Passed says that an
// execution is none of the first way.

// mayMove reports whether the clock may move by itself before t's look at it.
func (e *engine) mayMove(t *thread) bool {
	return e.cfg.TimePasses && t.bubble == nil && t.old == moving &&
		!e.moved && e.slow < e.cfg.Short-1 && !e.initialising
}

// mayBeEarly reports whether a timeout that is not due may come.
func (e *engine) mayBeEarly(deadline time.Duration) bool {
	return e.allowsEarly(e.early, e.slow+deadline-e.clock.now)
}

// allowsEarly reports whether a further timeout may be early after so many, if the threads are then
// slow by that much all in all.
func (e *engine) allowsEarly(early int, slow time.Duration) bool {
	return early < e.cfg.EarlyTimeouts && (!e.cfg.TimePasses || slow < e.cfg.Short)
}

// now is a look at the clock.
func now(e *engine, t *thread, d int32) {
	if t.bubble != nil {
		return
	}
	e.lookApart(t, d)
	e.lookAtClock(t.old == moving)
	e.res.HeldClock = e.res.HeldClock || e.moved && t.old == moving
	if !e.mayMove(t) || t.chanOp.value == 0 {
		return
	}
	e.moved, e.passed = true, true
	by := e.cfg.Short - 1 - e.slow
	e.slow += by
	e.clock.now += by
	if e.rec != nil {
		e.passing = append(e.passing, fmt.Sprintf("%v passed before %s called time.Now%s",
			by, t.name, at(here())))
	}
}

// lookAtClock notes a look at the clock, by time.Now or when a timer is set. Two of them, one by
// time.Now, can tell whether the clock has moved.
func (e *engine) lookAtClock(now bool) {
	e.looks++
	e.asksTime = e.asksTime || now
	e.res.AsksTime = e.res.AsksTime || e.asksTime && e.looks > 1
}

// notePassing notes that a timeout set to d ends t's operation early.
func (e *engine) notePassing(t *thread, d time.Duration, set Frame) {
	if !e.cfg.TimePasses {
		return
	}
	var others []string
	all := e.runnable.union(e.gated)
	for i := all.first(); i >= 0; i = all.next(i + 1) {
		u := e.threads[i]
		if m := &ops[u.op]; !m.gated() || m.enabled(e, u) {
			e.passed = true
			if e.rec != nil {
				others = append(others, u.name+" ("+u.doing()+")")
			}
		}
	}
	if e.goesOnWithout(t) {
		e.passed = true
		if e.rec != nil {
			others = append(others, "another case of its select")
		}
	}
	if len(others) > 0 {
		what, ends := "timer", "ended the wait of "+t.name
		if t.op == OpAwake {
			what, ends = "sleep", "of "+t.name+" ended"
		}
		e.passing = append(e.passing, fmt.Sprintf("the %s of %v%s %s before %s",
			what, d, at(set), ends, listed(others)))
	}
}

// goesOnWithout reports whether t, whose select takes a timer that is due now, could go on by
// default or by another case, be it a timer that was due before.
func (e *engine) goesOnWithout(t *thread) bool {
	if t.op == OpTimerFire || t.op == OpAwake {
		return false
	}
	for i, c := range t.chanOp.cases {
		if int32(i) == t.chanOp.taken || !e.can(t, c) {
			continue
		}
		if tm := e.objs[c.obj].ch.timer; tm == nil || tm.deadline < e.clock.now {
			return true
		}
	}
	return t.chanOp.def
}

// noteTie notes that of several timers with one deadline that of t comes first, though t is not the
// first thread.
func (e *engine) noteTie(t *thread, ev *event, m *operation) {
	first := e.node(ev, nodeEnabled).first()
	if first >= t.id || m.enabled(e, t) {
		return
	}
	u := e.threads[first]
	if d, _ := m.deadline(e, t); e.shareTimer(t, u, d) {
		return
	}
	e.passed = true
	if e.rec != nil {
		e.passing = append(e.passing, fmt.Sprintf("the wait of %s ended before that of %s, "+
			"which has the same deadline", t.name, u.name))
	}
}

// dueBefore returns those of late whose timeouts come before those of the others, which end first.
func (e *engine) dueBefore(late, timeouts threadSet) (out threadSet) {
	if late.empty() || timeouts.empty() {
		return out
	}
	t := e.threads[timeouts.first()]
	first, _ := ops[t.op].deadline(e, t)
	for i := late.first(); i >= 0; i = late.next(i + 1) {
		u := e.threads[i]
		if ends := ops[u.op].deadline; ends != nil {
			if d, ok := ends(e, u); ok && d < first {
				out.add(i)
			}
		}
	}
	return out
}

// noteOutrun notes that the timeout of t comes though others, which repeat themselves, have earlier
// ones (thread_fair.go).
func (e *engine) noteOutrun(t *thread) {
	var others []string
	for i := e.outrun.first(); i >= 0; i = e.outrun.next(i + 1) {
		e.passed = true
		if e.rec != nil {
			others = append(others, e.threads[i].name)
		}
	}
	if len(others) > 0 {
		e.passing = append(e.passing, fmt.Sprintf("the wait of %s ended before those of %s, which "+
			"repeats itself, though they end earlier", t.name, listed(others)))
	}
}

func at(f Frame) string {
	if f.File == "" {
		return ""
	}
	return fmt.Sprintf(" at %s:%d", filepath.Base(f.File), f.Line)
}
