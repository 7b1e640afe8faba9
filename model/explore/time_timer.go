package explore

import (
	"math/bits"
	"time"
	"unsafe"
)

// Timers and the virtual clock. Time passes when the program sleeps, and when a
// timer fires whose time has not come: then the clock moves to its deadline. A
// timer whose deadline has passed is due, and nothing keeps it from firing.
// Since firing moves the clock, an earlier deadline is due when a later one has
// fired, which is all the order there is: how long anything else takes is
// unknown, so a goroutine may be late for both.
//
// A timer that is not due fires as other timeouts do (sync_futex.go): early, while
// others can run, as many times in an execution as Config.EarlyTimeouts allows; beyond
// that when nothing else can run, and the first deadline first. Without that
// bound a loop around a ticker would have no longest execution. Result.Held says
// whether a timer was kept from firing.
//
// That a timer of a channel has fired shows by nothing but the receive: since
// Go 1.23, Stop and Reset take back a value that nobody received, and len is 0.
// So firing is part of the receive; where a select would take default if the
// timer had not fired, both are explored. A function of AfterFunc is a thread whose
// first step is the firing.
//
// Receiving from a timer, stopping it and setting it depend on one another and
// on the clock; so do looks at it. Two sleeps do not depend on one another.

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

// timer is a timer of one execution. It is kept by its channel, or by the
// pseudo-channel of a function.
type timer struct {
	armed    bool
	deadline time.Duration
	base     access        // its state before the events began
	period   time.Duration // of a ticker; else 0
	value    time.Time     // received last
	fn       func()        // of AfterFunc
	waits    bool          // a thread waits to run fn
	token    uint64        // its address stands for what came before the timer was set
}

// StartTimer sets a new timer with channel c, or without one: then it runs fn in
// a thread of its own and stands for itself at key. It reports false outside of
// an execution.
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

// A TimerState is what was found of a timer.
type TimerState uint8

// The states of a timer.
const (
	TimerReal    TimerState = iota // no execution is running
	TimerUnknown                   // it was not started in this execution
	TimerIdle                      // it had been stopped, or its value received
	TimerActive
)

// StopTimer stops the timer at key, and gives its state before.
func StopTimer(key unsafe.Pointer) TimerState { return enterChange(key, 0, OpTimerStop) }

// ResetTimer sets the timer at key again, and gives its state before.
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

// enterTimer does a step on a timer, and starts the thread that it needs.
func (e *engine) enterTimer(key unsafe.Pointer, id int32, op Op) TimerState {
	t := e.cur
	t.chanOp.cases = append(t.chanOp.cases[:0], chanCase{obj: id})
	Enter(key, op)
	tm := e.objs[id].ch.timer
	if tm.fn != nil && tm.armed && !tm.waits {
		tm.waits = true
		Go("AfterFunc", func() { e.awaitTimer(key, id) }, false)
		e.daemons |= 1 << (e.n - 1)
	}
	if t.chanOp.taken != 0 {
		return TimerActive
	}
	return TimerIdle
}

// awaitTimer is the thread of a timer with a function.
func (e *engine) awaitTimer(key unsafe.Pointer, id int32) {
	t := e.cur
	t.chanOp.cases = append(t.chanOp.cases[:0], chanCase{obj: id})
	Enter(key, OpTimerFire)
	e.objs[id].ch.timer.fn()
}

// due says whether the timer's time has come, or comes because nothing else can
// happen.
func (e *engine) due(tm *timer) bool { return tm.deadline <= max(e.clock, e.forcedDue) }

// mayFire says whether an armed timer could fire now.
func (e *engine) mayFire(tm *timer) bool {
	if !tm.armed {
		return false
	}
	if e.due(tm) || e.early < e.cfg.EarlyTimeouts {
		return true
	}
	e.held = true
	return false
}

// changeTimer does what Start, Stop or Reset does.
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
		tm.deadline = e.after(d)
	}
}

// after is the deadline that is d from now.
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
		e.clock = tm.deadline
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

// noteTime completes the accesses of t's operation, an event if d says so, by
// what it did to timers and the clock.
func (e *engine) noteTime(t *thread, d int32, early int) {
	if d < 0 {
		if len(t.chanOp.cases) > 0 && t.op != OpNow && t.op != OpSleep {
			for _, c := range t.chanOp.cases {
				if c.obj >= 0 && e.objs[c.obj].ch.timer != nil {
					tm := e.objs[c.obj].ch.timer
					tm.base.found, tm.base.when = tm.armed, tm.deadline
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
			last.found, last.when = tm.armed, tm.deadline
		case a.kind == accClockAdd:
			last.when = time.Duration(t.old)
		case a.kind == accClockSet:
			last.when, last.early = e.clock, e.early > early
		}
	}
}

// couldFireWithout is couldRunWithout for a timer, when nothing is late.
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
	return tm.when <= now || early < e.cfg.EarlyTimeouts
}

func timerStopAccesses(_ *engine, t *thread, out []access, _ int32) []access {
	return append(out, access{obj: t.chanOp.cases[0].obj, kind: accAll})
}

func timerSetAccesses(e *engine, t *thread, out []access, _ int32) []access {
	return append(out, access{obj: t.chanOp.cases[0].obj, kind: accAll},
		access{obj: e.clockObject(), kind: accClockRead})
}

// timerAccesses appends what a case on a timer's channel does.
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

// firstDeadline gives the first deadline of the armed timers that t's operation
// waits for.
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

// forcedTimeout gives the thread whose timeout is due first, when no thread can
// run otherwise. Functions of AfterFunc do not run when all else is over.
func (e *engine) forcedTimeout() uint64 {
	if e.cfg.NoForcedTimeouts || e.gated&^e.daemons == 0 {
		return 0
	}
	best, first := -1, time.Duration(0)
	for s := e.gated; s != 0; s &= s - 1 {
		i := bits.TrailingZeros64(s)
		t := e.threads[i]
		if ends := ops[t.op].deadline; ends != nil {
			if d, ok := ends(e, t); ok && (best < 0 || d < first) {
				best, first = i, d
			}
		}
	}
	if best < 0 {
		return 0
	}
	return 1 << best
}
