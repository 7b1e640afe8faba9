package explore

import (
	"time"
	"unsafe"
)

// A clock is an object like a channel: it is read (accClockRead), or set by a timeout that ends a
// wait (accClockSet). There is one, and one for each bubble (bubble.go).
//
// A sleep is a timer of its own goroutine, which nothing stops: one step sets it, at the clock's
// present time, and the next is its end. So sleeps of several goroutines overlap.
func init() {
	ops[OpNow] = operation{
		name:     "time.Now",
		class:    read,
		choices:  nowChoices,
		accesses: nowAccesses,
		apply:    now,
		loop:     loopEffect,
	}
	ops[OpSleep] = operation{
		name:     "time.Sleep",
		accesses: timerSetAccesses,
		apply:    changeTimer,
		loop:     loopEffect,
	}
	ops[OpAwake] = operation{
		name:     "time.Sleep (over)",
		enabled:  (*engine).anyReady,
		deadline: (*engine).firstDeadline,
		accesses: operationAccesses,
		takes:    true,
		apply:    transfer,
		loop:     loopEffect,
	}
}

// nowAccesses: a look moves the clock if it chooses to, or may choose to and has not yet.
func nowAccesses(e *engine, t *thread, out []access, taken int32) []access {
	a := access{obj: e.clockObject(e.timeOf(t)), kind: accClockRead}
	if e.mayMove(t) && (taken == undecided || t.chanOp.value != 0) {
		a.kind = accClockSet
	}
	return append(out, a)
}

// nowChoices: the clock has not moved, or it has.
func nowChoices(e *engine, t *thread) int32 {
	if e.mayMove(t) {
		return 2
	}
	return 1
}

// Epoch is the time that the virtual clock shows at the start of each execution. It is in the local
// time zone, as what [time.Now] returns is.
var Epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Local()

// Now returns the virtual time since Epoch, in a bubble that of its clock. It moves when a sleep, a
// timer or another timeout ends a wait.
func Now() time.Duration { return eng.timeOf(eng.cur).now }

// A virtualClock is the clock of an execution, or of one of its bubbles.
type virtualClock struct {
	now  time.Duration // since Epoch
	base time.Duration // before the first event
	of   *bubble       // nil: outside of bubbles
	key  byte          // its address stands for the clock
}

// timeOf returns the clock that t sees.
func (e *engine) timeOf(t *thread) *virtualClock {
	if t.bubble != nil {
		return &t.bubble.clock
	}
	return &e.clock
}

// The operand of OpNow: whether the clock may have moved by itself before this look at it.
const (
	moving = iota
	still
)

// EnterStillClock is EnterClock for a look at the clock that finds it where it was: no time passes
// from there to what the program does next.
func EnterStillClock() bool { return lookAt(still) }

// EnterClock is Enter for a look at the clock, by time.Now for example.
func EnterClock() bool { return lookAt(moving) }

func lookAt(how uint64) bool {
	if e := eng; e == nil || !InExecution() {
		return false
	} else if e.cfg.Before != nil {
		return enterClockBelow(how)
	}
	return enterClock(how)
}

func enterClock(how uint64) bool {
	e := eng
	e.cur.old = how
	return Enter(unsafe.Pointer(&e.timeOf(e.cur).key), OpNow)
}

// Sleep lets the running thread sleep for d on the virtual clock. It reports false outside of an
// execution.
func Sleep(d time.Duration) bool {
	if !InExecution() {
		return false
	}
	e := eng
	if e.aborting {
		panic(abort{})
	}
	if d <= 0 {
		return true
	}
	t := e.cur
	key := unsafe.Pointer(&t.sleepKey)
	id := e.timerObject(key)
	if ch := e.objs[id].ch; ch.timer == nil {
		ch.timer = &timer{clock: e.timeOf(t)}
	}
	t.old = uint64(d)
	t.chanOp.cases = append(t.chanOp.cases[:0], chanCase{obj: id})
	Enter(key, OpSleep)
	return Enter(key, OpAwake)
}

// clockObject returns the number of the object that stands for a clock.
func (e *engine) clockObject(c *virtualClock) int32 {
	id := e.channel(&Chan{Ptr: unsafe.Pointer(&c.key), Cap: 1})
	e.objs[id].ch.clock = c
	return id
}
