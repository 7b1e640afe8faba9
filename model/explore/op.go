package explore

import (
	"time"
	"unsafe"
)

// An Op is an operation that a thread is about to execute at a scheduling point.
type Op uint16

// Wide is added to an operation of sync/atomic on a word of 8 bytes for Enter.
const Wide Op = 1 << 15

// WideIfPointer is added for a word that may be a pointer, and is as wide as one.
const WideIfPointer = pointing | Wide*Op(unsafe.Sizeof(uintptr(0))/8)

const pointing Op = 1 << 14

// The operations, each under the file that describes it. Their order is part of the digest of an
// exploration.
const (
	// OpNone is no operation.
	OpNone Op = iota

	// sync_atomic.go
	OpLoad
	OpStore
	OpSwap
	OpAdd
	OpAnd
	OpOr
	OpCAS

	// sync_mutex.go
	OpLock
	OpUnlock
	OpTryLock

	// sync_rwmutex.go
	OpRWAnnounce
	OpRWLock
	OpRWUnlock
	OpRLock
	OpRUnlock
	OpRWTryLock
	OpTryRLock

	// sync_waitgroup.go
	OpWGAdd
	OpWGLook
	OpWGWait

	// sync_once.go
	OpOnce
	OpOnceDone

	// sync_cond.go
	OpCondAdd
	OpCondWait
	OpCondSignal
	OpCondBroadcast

	// sync_library.go
	OpMapLoad
	OpMapStore
	OpMapUpdate
	OpMapRange
	OpPoolGet
	OpPoolPut

	// time_clock.go
	OpNow
	OpSleep
	OpAwake

	// thread_spin.go
	OpSpin

	// thread_join.go
	OpJoin
	OpChoose

	// history.go
	OpCall
	OpReturn

	// sync_futex.go
	OpFutexWait
	OpFutexSleep
	OpFutexEarly
	OpFutexWake

	// chan.go
	OpSend
	OpRecv
	OpSelect
	OpPoll
	OpPost
	OpPosted
	OpClose
	OpLen

	// chan_rendezvous.go
	OpArrive
	OpMet

	// time_timer.go
	OpTimerStart
	OpTimerStop
	OpTimerReset
	OpTimerFire

	// bubble.go
	OpBubble
	OpQuiet
	OpQuietWait

	// chan_request.go
	OpRequest
	OpGot

	opCount
)

// A class says which operations on one object depend on one another:
//
//	            none  read  add  write  release  announce
//	none         -     -     -     -       -        -
//	read         -     -     x     x       -        x
//	add          -     x     -     x       x        x
//	write        -     x     x     x       x        x
//	release      -     -     x     x       -        -
//	announce     -     x     x     x       -        x
//
// A write is a barrier in the history of its object: everything before it on that object happens
// before everything after it. release and announce are for RWMutex: RUnlock and the announcement
// of a writer are independent.
type class uint8

const (
	none class = iota
	read
	add
	write
	release
	announce
	classes
)

var dependent = [classes][classes]bool{
	read:     {add: true, write: true, announce: true},
	add:      {read: true, write: true, release: true, announce: true},
	write:    {read: true, add: true, write: true, release: true, announce: true},
	release:  {add: true, write: true},
	announce: {read: true, add: true, write: true, announce: true},
}

func (a class) dependsOn(b class) bool { return dependent[a][b] }

// covers reports whether an operation of class a depends on all that one of class b depends on.
func (a class) covers(b class) bool {
	for c, depends := range dependent[b] {
		if depends && !dependent[a][c] {
			return false
		}
	}
	return true
}

// changes reports whether an operation of the class may change what others read.
func (a class) changes() bool { return a >= add }

// operation is what the engine knows about an operation. The file of the object that it works on
// fills in its entry of ops, in func init. A function that is nil has the meaning that its comment
// gives. What else an operation needs is in CONTRIBUTING.md, "To add an operation to the checker".
type operation struct {
	name string

	// When it can run. An operation with enabled is gated: its thread may have to wait.

	enabled func(e *engine, t *thread) bool // t's operation can run now; nil: always
	// enabledBefore reports whether it could have run just before event f, at depth d; nil: yes.
	enabledBefore func(t *thread, f *event, d int32) bool
	choices       func(e *engine, t *thread) int32 // how many values it chooses among; nil: none

	// deadline returns when its timeout ends the wait, if it has one; nil: it has none.
	deadline func(e *engine, t *thread) (at time.Duration, ok bool)

	// What it depends on: operations on the same object by class; on channels, timers and the
	// clock by accesses (chan_dependence.go); everything else by wokenBy and past.

	class    class
	resolve  func(e *engine, t *thread) class // the class in the present memory; nil: class
	accesses func(e *engine, t *thread, out []access, taken int32) []access
	wokenBy  func(e *engine, t *thread) int32 // the event that enabled it, -1 for none
	// past adds to the clock of the event at depth d, which is t's, what else happens before it.
	past func(e *engine, t *thread, d int32)

	// What it does to the model of its object. d is the depth of the event, negative if there is
	// none (quietStep).

	apply  func(e *engine, t *thread, d int32)
	before func(o *object) uint8 // event.state, for enabledBefore; nil: 0
	takes  bool                  // it takes one of the cases of a channel operation
	loop   loopRole              // in an iteration that may have no effect (thread_spin.go)

	// meet is called when a thread comes to it (sync_assigned.go).
	meet func(e *engine, o *object, p unsafe.Pointer)

	// How it is shown.

	label   func(t *thread) string                    // its name if that varies; nil: name
	detail  func(t *thread, ev *event) string         // what lanes show beside the name
	boolean bool                                      // lanes show its result as true or false
	leaves  bool                                      // Leave or one of its kind is called after it
	address func(e *engine, t *thread) unsafe.Pointer // for Observe; nil: that of its object
	result  func(t *thread) uint64                    // for Observe, if it leaves none
}

// ops is filled in by the init functions of the objects' files, because the entries refer to
// functions that use ops.
var ops [opCount]operation

// gated reports whether the operation can be disabled.
func (m *operation) gated() bool { return m.enabled != nil }

// chooses reports whether the operation chooses one of several values.
func (o Op) chooses() bool { return ops[o].choices != nil }

// isChan reports whether the operation is on channels, timers or the clock, so that its dependence
// is that of its accesses.
func (o Op) isChan() bool { return ops[o].accesses != nil }

// takesCase reports whether the operation takes one of the cases of a channel operation.
func (o Op) takesCase() bool { return !o.isAtomic() && ops[o].takes }

// String returns the name of the operation as lanes show it.
func (o Op) String() string { return ops[o].name }

// doing names t's pending operation. The second step of an operation has the name of the whole.
func (t *thread) doing() string {
	if f := ops[t.op].label; f != nil {
		return f(t)
	}
	return t.op.String()
}
