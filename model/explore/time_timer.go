package explore

import (
	"math/bits"
	"time"
	"unsafe"
)

// Timers and the virtual clock.
//
//   1. Time passes when the program sleeps, and when a timer fires before its deadline: then the
//      clock moves to the deadline.
//   2. A timer whose deadline has passed is due; it may fire at any time. There is no other order
//      between timers: firing one moves the clock, so that timers with earlier deadlines are due,
//      but how long anything else takes is unknown, so that a goroutine may come late to both.
//   3. A timer that is not due fires as other timeouts do (sync_futex.go): early, while other
//      threads can run, at most Config.EarlyTimeouts times in an execution; or forced, if nothing
//      else can run, the one with the first deadline. Without that bound a loop with a ticker would
//      have no longest execution. Result.Held tells whether the bound kept a timer from firing.
//   4. Whether the timer of a channel has fired can be observed by a receive only: since Go 1.23,
//      Stop and Reset discard a value that nobody received, and len is 0. So firing is part of the
//      receive. If a select would take default had the timer not fired, both are explored.
//   5. A function of AfterFunc is a thread whose first step is the firing.
//
// Receiving from a timer, stopping it and setting it depend on one another and on the clock, and so
// do looks at it. Two sleeps are independent.

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
	base     access        // its state before the events began
	period   time.Duration // of a ticker; else 0
	value    time.Time     // received last
	fn       func()        // of AfterFunc
	waits    bool          // a thread waits to run fn
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
	e.clockObject() // numbered here: the search must not be the first to ask for it
	id := e.channel(&Chan{Ptr: key, Cap: 1})
	e.objs[id].ch.timer = &timer{period: period, fn: fn}
	e.cur.old = uint64(d)
	e.enterTimer(key, id, OpTimerStart)
	return true
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
	if tm.fn != nil && tm.armed && !tm.waits {
		tm.waits = true
		d := e.startChild("AfterFunc", func() { e.awaitTimer(key, id) })
		e.daemons |= 1 << d.id
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
func (e *engine) due(tm *timer) bool { return tm.deadline <= max(e.clock, e.forcedDue) }

// mayFire reports whether the timer can fire now.
func (e *engine) mayFire(tm *timer) bool {
	if !tm.armed {
		return false
	}
	if e.due(tm) || tm.short && e.mayBeEarly(tm.deadline) {
		return true
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
		tm.deadline, tm.length, tm.short = e.after(d), d, e.short(d)
		e.lookAtClock(false)
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
func (e *engine) after(d time.Duration) time.Duration {
	if d < 0 {
		return e.clock
	}
	if sum := e.clock + d; sum >= 0 {
		return sum
	}
	return 1<<63 - 1
}

// fire lets a timer fire into t's operation.
func (e *engine) fire(t *thread, tm *timer) {
	switch {
	case tm.deadline <= e.clock:
	case e.due(tm):
		e.anyForced = true
		e.clock = tm.deadline
	default:
		e.early++
		e.slow += tm.deadline - e.clock
		e.clock = tm.deadline
		e.notePassing(t, tm.length, tm.set)
	}
	t.acquireFrom(&tm.token)
	tm.value = Epoch.Add(e.clock)
	t.chanOp.completion, t.chanOp.mem = CopyFrom, unsafe.Pointer(&tm.value)
	if tm.armed = tm.period > 0; tm.armed {
		for tm.deadline <= e.clock {
			tm.deadline += tm.period
		}
	}
	if t.op == OpTimerFire {
		tm.waits = false
		e.daemons &^= 1 << t.id
	}
}

// noteTime completes the accesses of t's operation by what it did to timers and the clock. If d is
// negative the operation is no event, and what it did belongs to the state before the first event.
func (e *engine) noteTime(t *thread, d int32, early int) {
	if d < 0 {
		if len(t.chanOp.cases) > 0 && t.op != OpNow && t.op != OpSleep {
			for _, c := range t.chanOp.cases {
				if c.obj >= 0 && e.objs[c.obj].ch.timer != nil {
					tm := e.objs[c.obj].ch.timer
					tm.base.found, tm.base.when, tm.base.early = tm.armed, tm.deadline, tm.short
				}
			}
		}
		e.baseClock, e.baseEarly = e.clock, e.early
		return
	}
	for _, a := range t.chanOp.acc {
		h := e.objs[a.obj].ch.history
		last := &h[len(h)-1]
		switch tm := e.objs[a.obj].ch.timer; {
		case a.kind == accAll && tm != nil:
			last.found, last.when, last.early = tm.armed, tm.deadline, tm.short
		case a.kind == accClockAdd:
			last.when = time.Duration(t.old)
		case a.kind == accClockSet:
			last.when, last.early = e.clock, e.early > early
		}
	}
}

// couldFireWithout is couldRunWithout for a timer that is not forced to fire.
func (e *engine) couldFireWithout(ch *channel, f int32, past []int32) bool {
	tm := ch.timer.base
	for i := range ch.history {
		if a := &ch.history[i]; a.kind == accAll && !e.without(a, f, past) {
			tm = *a
		}
	}
	if !tm.found {
		return false
	}
	now, early := e.baseClock, e.baseEarly
	h := e.objs[e.clockObject()].ch.history
	for i := range h {
		switch a := &h[i]; {
		case e.without(a, f, past):
		case a.kind == accClockAdd:
			now += a.when
		case a.kind == accClockSet:
			now = max(now, a.when)
			if a.early {
				early++
			}
		}
	}
	return tm.when <= now || tm.early && early < e.cfg.EarlyTimeouts
}

// timerStopAccesses and timerSetAccesses: setting a timer reads the clock, too.
func timerStopAccesses(_ *engine, t *thread, out []access, _ int32) []access {
	return append(out, access{obj: t.chanOp.cases[0].obj, kind: accAll})
}

func timerSetAccesses(e *engine, t *thread, out []access, _ int32) []access {
	return append(out, access{obj: t.chanOp.cases[0].obj, kind: accAll},
		access{obj: e.clockObject(), kind: accClockRead})
}

// timerAccesses appends what a receive from a timer's channel does: it fires if acts, otherwise it
// is a look.
func (e *engine) timerAccesses(c chanCase, out []access, acts bool) []access {
	tm := e.objs[c.obj].ch.timer
	clock := access{obj: e.clockObject(), kind: accClockRead}
	if !acts {
		return append(out, access{obj: c.obj, kind: accLookRecv}, clock)
	}
	if tm.deadline > e.clock {
		clock.kind = accClockSet
	}
	return append(out, access{obj: c.obj, kind: accAll}, clock)
}

// firstDeadline returns the first deadline of the armed timers that t's operation waits for.
func (e *engine) firstDeadline(t *thread) (first time.Duration, ok bool) {
	for _, c := range t.chanOp.cases {
		if c.obj < 0 || c.send {
			continue
		}
		if tm := e.objs[c.obj].ch.timer; tm != nil && tm.armed && (!ok || tm.deadline < first) {
			first, ok = tm.deadline, true
		}
	}
	return first, ok
}

// forcedTimeout returns the thread (as a set) whose timeout comes first, if there is one; it is
// called if nothing else can run. If time passes it returns all of those whose timeouts come first
// together. The functions of AfterFunc do not run if only their threads are left.
func (e *engine) forcedTimeout() uint64 {
	if e.cfg.NoForcedTimeouts || e.gated&^(e.daemons|e.background) == 0 {
		return 0
	}
	best, first := uint64(0), time.Duration(0)
	for s := e.gated; s != 0; s &= s - 1 {
		i := bits.TrailingZeros64(s)
		t := e.threads[i]
		if ends := ops[t.op].deadline; ends != nil {
			switch d, ok := ends(e, t); {
			case !ok:
			case best == 0 || d < first:
				best, first = 1<<i, d
			case d == first:
				e.res.Timed = true
				if e.cfg.TimePasses {
					best |= 1 << i
				}
			}
		}
	}
	return best
}
