package explore

import (
	"time"
	"unsafe"
)

// The clock is an object like a channel: it is read (accClockRead), moved by a sleep (accClockAdd),
// or set by a timer that fires (accClockSet).
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
		class:    add,
		accesses: sleepAccesses,
		apply:    func(e *engine, t *thread, _ int32) { e.clock += time.Duration(t.old) },
		loop:     loopEffect,
	}
}

// nowAccesses: a look moves the clock if it chooses to, or may choose to and has not yet.
func nowAccesses(e *engine, t *thread, out []access, taken int32) []access {
	a := access{obj: e.clockObject(), kind: accClockRead}
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

func sleepAccesses(e *engine, _ *thread, out []access, _ int32) []access {
	return append(out, access{obj: e.clockObject(), kind: accClockAdd})
}

// Epoch is the time that the virtual clock shows at the start of each execution.
var Epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Now returns the virtual time since Epoch. It moves by Sleep, and when a timer or timeout fires
// before its time.
func Now() time.Duration { return eng.clock }

// The operand of OpNow: whether the clock may have moved by itself before this look at it.
const (
	moving = iota
	still
)

// EnterStillClock is EnterClock for a look at the clock that finds it where it was: no time passes
// from there to what the program does next.
func EnterStillClock() bool { return EnterClock(OpNow, still) }

// EnterClock is Enter for an operation on the virtual clock: OpNow with d 0, or OpSleep for d.
func EnterClock(op Op, d time.Duration) bool {
	e := eng
	if e == nil || !InExecution() {
		return false
	}
	e.cur.old = uint64(d)
	return Enter(unsafe.Pointer(&e.clockKey), op)
}

// clockObject returns the number of the object that stands for the clock.
func (e *engine) clockObject() int32 {
	return e.channel(&Chan{Ptr: unsafe.Pointer(&e.clockKey), Cap: 1})
}
