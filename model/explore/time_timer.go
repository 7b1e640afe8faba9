package explore

import (
	"slices"
	"time"
	"unsafe"
)

// Timers and the virtual clock.
//
//   1. Time passes when a timer fires before its deadline: then the clock moves to the deadline.
//      A sleep is a timer, too (time_clock.go).
//   2. A timer whose deadline has passed is due; it may fire at any time. There is no other order
//      between timers: firing one moves the clock, so that timers with earlier deadlines are due,
//      but how long anything else takes is unknown, so that a goroutine may come late to both.
//   3. A timer that is not due fires as other timeouts do (sync_futex.go): early, while other
//      threads can run, at most Config.EarlyTimeouts times in an execution; or forced, if nothing
//      else can run, the one with the first deadline. Without that bound a loop with a ticker would
//      have no longest execution. Result.Held tells whether the bound kept a timer from firing. A
//      timer for which the only goroutine so far waits is forced, not early.
//   4. Whether the timer of a channel has fired can be observed by a receive only: since Go 1.23,
//      Stop and Reset discard a value that nobody received, and len is 0. So firing is part of the
//      receive. If a select would take default had the timer not fired, both are explored. The
//      value is the deadline, as Go gives it.
//   5. A function of AfterFunc is a thread whose first step is the firing. It need not fire when
//      only such threads are left; as long as another one waits, it does.
//
// Receiving from a timer, stopping it and setting it depend on one another and on the clock, and so
// do looks at it. The search begins without the clock: time_apart.go says how long it may.
//
// # What keeps a timer from firing
//
// A timer that fires is an operation that others can disable: by stopping or resetting the timer,
// by receiving from it first, or by firing early themselves until no early timeout is left. The
// last is no access to the timer; it is one to the clock, which every early firing sets
// (accClockSet).
//
// Where an operation finds that it cannot fire a timer it only looks at timer and clock. Such looks
// do not depend on other looks at the clock, the firing does: it sets it. So the operation could be
// kept from firing early by an event that no third thread's look at the clock depends on:
//
//	a: receive from timer, or not    b: something, then Stop    c: time.Now
//
// After b's two steps neither c nor a's look depends on the other. Reverse the race of a with the
// Stop: c is to come first in the sequence "Now, receive, Stop", but nothing would say so, and a,
// which receives first without c, may be asleep because of another execution. That would lose it.
//
// So an operation with a timer that was stopped or reset while it could have fired early sets the
// clock, whether or not it fires (preventedEarly). Whatever else keeps a timer from firing early
// sets the clock itself. In general: if an operation could have done something else without an
// earlier event, then each operation that depends on the other thing depends on the operation as it
// is, or on that event.

func init() {
	ops[OpTimerStart] = operation{
		name:     "start of a timer",
		accesses: timerSetAccesses,
		apply:    changeTimer,
		loop:     loopEffect,
	}
	ops[OpTimerStop] = operation{
		name:     "Timer.Stop",
		accesses: timerStopAccesses,
		apply:    changeTimer,
		loop:     loopEffect,
	}
	ops[OpTimerReset] = operation{
		name:     "Timer.Reset",
		accesses: timerSetAccesses,
		apply:    changeTimer,
		loop:     loopEffect,
	}
	ops[OpTimerFire] = operation{
		name:     "time.AfterFunc",
		enabled:  (*engine).anyReady,
		deadline: (*engine).firstDeadline,
		accesses: operationAccesses,
		takes:    true,
		apply:    transfer,
		loop:     loopEffect,
	}
}

// timer is a timer of one execution. It belongs to the model of its channel, or to that of a
// stand-in for a channel if it has a function.
type timer struct {
	armed    bool
	short    bool          // it may fire before its deadline
	length   time.Duration // for which it was set
	set      Frame         // where, if the execution is recorded
	deadline time.Duration
	clock    *virtualClock // of the deadline
	base     access        // its state before the events began
	period   time.Duration // of a ticker; else 0
	value    time.Time     // received last
	fn       func()        // of AfterFunc
	waits    bool          // a thread waits to run fn
	runs     bool          // fn is to run at once
	settled  bool          // in a bubble: it has fired if it is due
	round    int           // in a bubble: bubble.round when it was set
	token    uint64        // its address stands for what came before the timer was set
}

// StartTimer starts a timer that fires after d, and then every period if that is not 0. key is its
// channel. With fn, the timer has no channel: it runs fn in a thread of its own, and key identifies
// it. StartTimer reports false outside of an execution.
func StartTimer(key unsafe.Pointer, d, period time.Duration, fn func()) bool {
	if !InExecution() {
		return false
	}
	e := eng
	if e.aborting {
		panic(abort{})
	}
	id := e.timerObject(key)
	e.objs[id].ch.timer = &timer{period: period, fn: fn, clock: e.timeOf(e.cur)}
	e.objs[id].bubble = e.cur.bubble
	e.cur.old = uint64(d)
	e.enterTimer(key, id, OpTimerStart)
	return true
}

// timerObject returns the number of the object that stands for the timer at key.
func (e *engine) timerObject(key unsafe.Pointer) int32 {
	e.clockObject(e.timeOf(e.cur)) // numbered here: the search must not be the first to ask for it
	return e.channel(&Chan{Ptr: key, Cap: 1})
}

// A TimerState is the state in which Stop or Reset found a timer.
type TimerState uint8

// The states of a timer.
const (
	TimerReal    TimerState = iota // no execution is running
	TimerUnknown                   // it was not started in this execution
	TimerIdle                      // it had been stopped, or its value received
	TimerActive
)

// StopTimer stops the timer at key, and returns its state before.
func StopTimer(key unsafe.Pointer) TimerState { return enterChange(key, 0, OpTimerStop) }

// ResetTimer sets the timer at key to fire after d, and returns its state before.
func ResetTimer(key unsafe.Pointer, d time.Duration) TimerState {
	return enterChange(key, d, OpTimerReset)
}

func enterChange(key unsafe.Pointer, d time.Duration, op Op) TimerState {
	if !InExecution() {
		return TimerReal
	}
	e := eng
	if e.aborting {
		panic(abort{})
	}
	id := e.object(key)
	if ch := e.objs[id].ch; ch == nil || !ch.known || ch.timer == nil {
		return TimerUnknown
	}
	what := "stop of synctest timer"
	if op == OpTimerReset {
		what = "reset of synctest timer"
	}
	e.mustBelong(e.cur, id, what)
	e.cur.old = uint64(d)
	return e.enterTimer(key, id, op)
}

// enterTimer is the step of setting or stopping a timer. It starts the thread of a function if that
// does not wait already.
func (e *engine) enterTimer(key unsafe.Pointer, id int32, op Op) TimerState {
	t := e.cur
	t.chanOp.cases = append(t.chanOp.cases[:0], chanCase{obj: id})
	Enter(key, op)
	tm := e.objs[id].ch.timer
	switch {
	case tm.runs:
		tm.runs = false
		Go("AfterFunc", tm.fn, false)
	case tm.fn != nil && tm.armed && !tm.waits:
		tm.waits = true
		d := e.startChild("AfterFunc", func() { e.awaitTimer(key, id) })
		e.enterBubble(d, tm.clock.of)
		if e.certificate != nil {
			e.certificate.started(t, d, false)
			e.certificate.refuse("a timer with a function")
		}
		e.daemons.add(d.id)
	}
	if t.chanOp.taken != 0 {
		return TimerActive
	}
	return TimerIdle
}

// awaitTimer is what the thread of a timer with a function runs.
func (e *engine) awaitTimer(key unsafe.Pointer, id int32) {
	t := e.cur
	t.chanOp.cases = append(t.chanOp.cases[:0], chanCase{obj: id})
	Enter(key, OpTimerFire)
	e.objs[id].ch.timer.fn()
}

// due reports whether the deadline of the timer has passed, or passes because nothing else can run.
func (e *engine) due(tm *timer) bool {
	return tm.deadline <= tm.clock.now || tm.clock == e.forced && tm.deadline <= e.forcedDue
}

// mayFire reports whether the timer can fire now.
func (e *engine) mayFire(tm *timer) bool {
	if !tm.armed {
		return false
	}
	if e.due(tm) || tm.short && e.mayBeEarly(tm.deadline) {
		return true
	}
	if tm.clock.of != nil {
		return false
	}
	if e.n > 1 {
		e.compareTimers() // checkArmed says so before
	}
	e.held = e.held || tm.short
	e.res.HeldLong = e.res.HeldLong || !tm.short
	return false
}

// changeTimer starts, stops or resets a timer.
func changeTimer(e *engine, t *thread, _ int32) {
	tm := e.objs[t.chanOp.cases[0].obj].ch.timer
	t.chanOp.taken = 0
	if tm.armed {
		t.chanOp.taken = 1
	}
	tm.armed = t.op != OpTimerStop
	if tm.armed {
		t.releaseTo(&tm.token)
		d := time.Duration(t.old)
		if tm.period > 0 && t.op == OpTimerReset {
			tm.period = d
		}
		tm.deadline, tm.length = tm.clock.after(d), d
		if b := tm.clock.of; b != nil {
			e.setInBubble(tm, b, d)
		} else {
			tm.short = e.short(d)
			e.armApart(d, t.chanOp.taken != 0)
			e.lookAtClock(false)
		}
		if e.rec != nil {
			tm.set = here()
		}
	}
}

// short reports whether a timeout that was set to d can come before its time.
func (e *engine) short(d time.Duration) bool {
	below := d < e.cfg.Short
	e.res.Timed = e.res.Timed || below
	return below || !e.cfg.TimePasses
}

// after returns the deadline that is d from now.
func (c *virtualClock) after(d time.Duration) time.Duration {
	if d < 0 {
		return c.now
	}
	if sum := c.now + d; sum >= 0 {
		return sum
	}
	return 1<<63 - 1
}

// fire lets a timer fire into t's operation.
func (e *engine) fire(t *thread, tm *timer) {
	clock := tm.clock
	switch {
	case tm.deadline <= clock.now:
	case e.due(tm):
		e.anyForced = e.anyForced || clock.of == nil
		clock.now = tm.deadline
	default:
		e.early++
		e.slow += tm.deadline - clock.now
		clock.now = tm.deadline
		e.notePassing(t, tm.length, tm.set)
	}
	t.acquireFrom(&tm.token)
	tm.value = Epoch.Add(tm.deadline)
	t.chanOp.completion, t.chanOp.mem = CopyFrom, unsafe.Pointer(&tm.value)
	if tm.armed = tm.period > 0; tm.armed && tm.deadline <= clock.now {
		tm.deadline += ((clock.now-tm.deadline)/tm.period + 1) * tm.period
	}
	if t.op == OpTimerFire {
		tm.waits = false
		e.daemons.remove(t.id)
	}
}

// noteTime completes the accesses of t's operation by what it did to timers and the clock. early
// and slow are the engine's from before it. If d is negative the operation is no event, and what it
// did belongs to the state before the first event.
func (e *engine) noteTime(t *thread, d int32, early int, slow time.Duration) {
	if d < 0 {
		if len(t.chanOp.cases) > 0 && t.op != OpNow {
			for _, c := range t.chanOp.cases {
				if c.obj >= 0 && e.objs[c.obj].ch.timer != nil {
					tm := e.objs[c.obj].ch.timer
					tm.base.found, tm.base.when, tm.base.early = tm.armed, tm.deadline, tm.short
				}
			}
		}
		e.clock.base, e.baseEarly, e.baseSlow = e.clock.now, e.early, e.slow
		return
	}
	for _, a := range t.chanOp.acc {
		h := e.objs[a.obj].ch.history.all
		if len(h) == 0 {
			continue // neither a timer nor the clock
		}
		last := &h[len(h)-1]
		switch tm := e.objs[a.obj].ch.timer; {
		case a.kind == accAll && tm != nil:
			last.found, last.when, last.early = tm.armed, tm.deadline, tm.short
		case a.kind == accClockSet:
			last.when = e.objs[a.obj].ch.clock.now
			last.early, last.slow = e.early > early, e.slow-slow
		}
	}
}

// couldFireWithout is couldRunWithout for a timer that is not forced to fire.
func (e *engine) couldFireWithout(ch *channel, f, past int32) bool {
	tm := ch.timer.base
	for i := range ch.history.all {
		if a := &ch.history.all[i]; a.kind == accAll && !e.without(a, f, past) {
			tm = *a
		}
	}
	if !tm.found {
		return false
	}
	clock := ch.timer.clock
	if e.leavesOut(clock) {
		return true
	}
	now, early, slow := clock.base, e.baseEarly, e.baseSlow
	h := e.objs[e.clockObject(clock)].ch.history.all
	for i := range h {
		switch a := &h[i]; {
		case e.without(a, f, past):
		case a.kind == accClockSet:
			now = max(now, a.when)
			slow += a.slow
			if a.early {
				early++
			}
		}
	}
	return tm.when <= now || tm.early && e.allowsEarly(early, slow+tm.when-now)
}

// timerStopAccesses and timerSetAccesses: setting a timer reads the clock, too.
func timerStopAccesses(_ *engine, t *thread, out []access, _ int32) []access {
	return append(out, access{obj: t.chanOp.cases[0].obj, kind: accAll})
}

func timerSetAccesses(e *engine, t *thread, out []access, _ int32) []access {
	id := t.chanOp.cases[0].obj
	out = append(out, access{obj: id, kind: accAll})
	if clock := e.objs[id].ch.timer.clock; !e.leavesOut(clock) {
		out = append(out, access{obj: e.clockObject(clock), kind: accClockRead})
	}
	return out
}

// timerAccesses appends what a receive from a timer's channel does: it fires if acts, otherwise it
// is a look.
func (e *engine) timerAccesses(c chanCase, out []access, acts bool) []access {
	tm := e.objs[c.obj].ch.timer
	if e.leavesOut(tm.clock) {
		kind := accLookRecv
		if acts {
			kind = accAll
		}
		return append(out, access{obj: c.obj, kind: kind})
	}
	clock := access{obj: e.clockObject(tm.clock), kind: accClockRead}
	if e.preventedEarly(e.objs[c.obj].ch) {
		clock.kind = accClockSet
	}
	if !acts {
		return append(out, access{obj: c.obj, kind: accLookRecv}, clock)
	}
	if tm.deadline > tm.clock.now {
		clock.kind = accClockSet
	}
	return append(out, access{obj: c.obj, kind: accAll}, clock)
}

// preventedEarly reports whether the timer was stopped or reset while it could have fired early.
func (e *engine) preventedEarly(ch *channel) bool {
	if e.cfg.EarlyTimeouts == 0 {
		return false
	}
	could := ch.timer.base.found && ch.timer.base.early
	for i := range ch.history.all {
		a := &ch.history.all[i]
		if a.kind != accAll {
			continue
		}
		if op := e.stack[a.event].op; could && (op == OpTimerStop || op == OpTimerReset) {
			return true
		}
		could = a.found && a.early
	}
	return false
}

// firstDeadline returns the first deadline, on clockFor, of the armed timers that t's operation
// waits for.
func (e *engine) firstDeadline(t *thread) (first time.Duration, ok bool) {
	clock := e.clockFor(t)
	for _, c := range t.chanOp.cases {
		if c.obj < 0 || c.send {
			continue
		}
		if tm := e.objs[c.obj].ch.timer; tm != nil && tm.armed && tm.clock == clock &&
			(!ok || tm.deadline < first) {
			first, ok = tm.deadline, true
		}
	}
	return first, ok
}

// shareTimer reports whether t and u, whose timeouts come at d, wait for the same timer. Which of
// them gets its value is no matter of time.
func (e *engine) shareTimer(t, u *thread, d time.Duration) bool {
	if !t.op.isChan() || !u.op.isChan() {
		return false
	}
	return slices.ContainsFunc(t.chanOp.cases, func(c chanCase) bool {
		if c.obj < 0 || c.send {
			return false
		}
		tm := e.objs[c.obj].ch.timer
		return tm != nil && tm.armed && tm.deadline == d &&
			slices.ContainsFunc(u.chanOp.cases, func(o chanCase) bool {
				return o.obj == c.obj && !o.send
			})
	})
}

// dueAlone returns the deadline that passes because t, which waits for it, is the only thread so
// far, or -1. It would pass early in other executions, with the same effect.
func (e *engine) dueAlone(t *thread, m *operation) time.Duration {
	if e.n > 1 || m.deadline == nil || e.cfg.NoForcedTimeouts || e.surelyReady(t) {
		return -1
	}
	if d, ok := m.deadline(e, t); ok {
		return d
	}
	return -1
}

// forcedTimeout returns the threads of which one has the timeout that comes first, if there is one;
// it is called if nothing else can run. They wait for the same timer; if time passes, for any that
// come first together. The functions of AfterFunc do not run if only their threads and those of the
// background are left. late are tired threads (thread_fair.go) whose timeouts are left out because
// others wait too long.
func (e *engine) forcedTimeout() (best, late threadSet) {
	if e.cfg.NoForcedTimeouts || e.alive.without(e.daemons).without(e.background).empty() {
		return best, late
	}
	if !e.tired.empty() && e.depth-int(e.restedAt) >= idleLaps {
		if late = e.hadTheirTurn(); !late.empty() {
			if best = e.firstTimeouts(e.gated.without(late)); !best.empty() {
				return best, late
			}
		}
	}
	return e.firstTimeouts(e.gated), threadSet{}
}

// firstTimeouts returns those of the threads in among whose timeouts come first. If the early end
// of a futex wait has moved the clock, another one may come first in another order of the steps.
func (e *engine) firstTimeouts(among threadSet) (best threadSet) {
	first := time.Duration(0)
	for i := among.first(); i >= 0; i = among.next(i + 1) {
		t := e.threads[i]
		if ends := ops[t.op].deadline; ends != nil && e.clockFor(t).of == nil {
			d, ok := ends(e, t)
			e.res.Timed = e.res.Timed || ok && e.futexMoved && !best.empty()
			switch {
			case !ok:
			case best.empty() || d < first:
				best, first = only(i), d
			case d > first:
			case e.shareTimer(t, e.threads[best.first()], d):
				best.add(i)
			default:
				e.res.Timed = true
				if e.cfg.TimePasses {
					best.add(i)
				}
			}
		}
	}
	return best
}
