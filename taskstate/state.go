package taskstate

import (
	"fmt"
	"strings"
)

// The word of a task is 64 bits, so that one compare-and-swap sees and moves all of them:
//
//	 63            40 39      32 31   28 27     24 23       16 15         0
//	+----------------+----------+-------+---------+-----------+------------+
//	|   references   |  shield  |   -   |  flags  | lifecycle |     -      |
//	+----------------+----------+-------+---------+-----------+------------+
//
//	bits    name           set or raised by            cleared or lowered by
//	 0-15   (reserved)     nobody here: every transition keeps what it finds
//	16-23   lifecycle      see Lifecycle
//	   24   notified       Wake, WakeDrop, Cancel,     ToRunning, Claim, ToIdle, Yield, Complete:
//	                       LeaveShield                   set only while RUNNING, for another poll
//	   25   cancelled      Cancel                      nobody: cancellation is never taken back
//	   26   join interest  Join                        Unjoin, Detach; nobody after COMPLETE
//	   27   detached       Detach                      nobody
//	28-31   (reserved)     nobody here, kept
//	32-39   shield         EnterShield                 LeaveShield; 0 again before COMPLETE
//	40-63   references     New, Clone, Claim           Drop, WakeDrop, Detach, Complete
//
// The lifecycle SCHEDULED is 0: New stores the number of references and nothing else, a constant
// into memory that nobody else has seen, so it needs no atomic store. Zero *references* get no
// second meaning (if the field counted from one, fresh memory would be a valid word and New would
// save a plain store, which is below what can be measured): a word that was never initialized, one
// that was dropped, and one in memory that was cleared for its next use all look the same, and
// every transition refuses them.
//
// The references are on top, so that nothing lies beyond them to carry into, and one comparison
// sees whether their number is in range. Shields are counted only after a look at the whole field,
// so they do not carry either.
//
// Renew, by the holder of the handle, sets all but the reserved bits anew, once the task is
// COMPLETE and nobody else has a reference.
//
// This file is the only code that knows the layout.
const (
	lifecycleShift = 16
	shieldShift    = 32
	referenceShift = 40

	lifecycleMask State = 0xff << lifecycleShift
	scheduled           = State(Scheduled) << lifecycleShift
	running             = State(Running) << lifecycleShift
	idle                = State(Idle) << lifecycleShift
	complete            = State(Complete) << lifecycleShift

	notified     State = 1 << 24
	cancelled    State = 1 << 25
	joinInterest State = 1 << 26
	detached     State = 1 << 27

	shieldOne  State = 1 << shieldShift
	shieldMask State = MaxShield << shieldShift

	referenceOne State = 1 << referenceShift

	reservedMask State = 0xf000ffff
)

const (
	// MaxShield is how deep shields may be nested. One more panics.
	MaxShield = 255

	// MaxReferences is how many references a task may have at a time. One more panics. It is half
	// of what the field has room for: a count that is too high by a bug is reported where it can
	// still be told from a small one.
	MaxReferences = 1 << 23
)

// A Lifecycle is where a task is on its way from spawn to completion.
//
//	            ToRunning, Claim            Complete
//	SCHEDULED --------------------> RUNNING ---------> COMPLETE
//	 ^     ^                        |     |
//	 |     +------------------------+     | ToIdle, if nobody has woken it since it began to run
//	 |      ToIdle if somebody has, Yield |
//	 |                                    v
//	 +---------------------------------- IDLE
//	     Wake, WakeDrop, Cancel
type Lifecycle uint8

const (
	// Scheduled (SCHEDULED): the task has to be run. A queue holds it, or the caller that was just
	// told to enqueue it.
	Scheduled Lifecycle = iota
	// Running (RUNNING): one goroutine, its runner, polls it.
	Running
	// Idle (IDLE): it waits for a wake.
	Idle
	// Complete (COMPLETE): it has a result, and is never run again.
	Complete
)

// String returns "SCHEDULED", "RUNNING", "IDLE" or "COMPLETE".
func (l Lifecycle) String() string {
	switch l {
	case Scheduled:
		return "SCHEDULED"
	case Running:
		return "RUNNING"
	case Idle:
		return "IDLE"
	case Complete:
		return "COMPLETE"
	}
	return fmt.Sprintf("LIFECYCLE(%d)", uint8(l))
}

// A State is a value that a [Word] had at one instant. Anyone may call its methods.
type State uint64

// Lifecycle returns where the task was on its way.
func (s State) Lifecycle() Lifecycle { return Lifecycle(s & lifecycleMask >> lifecycleShift) }

// Notified reports whether the task, RUNNING, had been asked for another poll since it began to
// run.
func (s State) Notified() bool { return s&notified != 0 }

// Cancelled reports whether cancellation had been asked for, effective or not.
func (s State) Cancelled() bool { return s&cancelled != 0 }

// CancelEffective reports whether cancellation had been asked for and no shield held it back.
func (s State) CancelEffective() bool { return s&(cancelled|shieldMask) == cancelled }

// JoinInterest reports whether a joiner had left a waker for the completion.
func (s State) JoinInterest() bool { return s&joinInterest != 0 }

// Detached reports whether the handle had been given up: nobody will collect the result.
func (s State) Detached() bool { return s&detached != 0 }

// Shield returns how many shields the task was in.
func (s State) Shield() int { return int(s & shieldMask >> shieldShift) }

// References returns how many references there were.
func (s State) References() int { return int(s >> referenceShift) }

// String returns for example "RUNNING notified cancelled shield=1 references=3". A shield of 0 and
// reserved bits that are 0 are left out.
func (s State) String() string {
	var b strings.Builder
	b.WriteString(s.Lifecycle().String())
	for _, flag := range [...]struct {
		bit  State
		name string
	}{{notified, "notified"}, {cancelled, "cancelled"}, {joinInterest, "join-interest"},
		{detached, "detached"}} {
		if s&flag.bit != 0 {
			b.WriteByte(' ')
			b.WriteString(flag.name)
		}
	}
	if s.Shield() != 0 {
		fmt.Fprintf(&b, " shield=%d", s.Shield())
	}
	fmt.Fprintf(&b, " references=%d", s.References())
	if r := s & reservedMask; r != 0 {
		fmt.Fprintf(&b, " reserved=%#x", uint64(r))
	}
	return b.String()
}

// move returns s with another lifecycle, which is one of scheduled, running, idle and complete, and
// not notified.
func (s State) move(to State) State { return s&^(lifecycleMask|notified) | to }

// is reports whether s has that lifecycle.
func (s State) is(lifecycle State) bool { return s&lifecycleMask == lifecycle }

// isLive reports whether a transition may start from s at all: there is a reference, and no field
// has a value that no transition puts there.
func (s State) isLive() bool {
	// One subtraction and one comparison for both ends: no references wrap round to too many.
	return s-referenceOne < MaxReferences<<referenceShift && s&lifecycleMask <= complete
}

// isRunning reports whether s is live and RUNNING, as the runner's transitions need it.
func (s State) isRunning() bool {
	return s-referenceOne < MaxReferences<<referenceShift && s.is(running)
}

// isFull reports whether s, which is live, has no room for another reference.
func (s State) isFull() bool { return s >= MaxReferences<<referenceShift }
