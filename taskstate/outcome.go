package taskstate

import "fmt"

// Every transition returns what its caller must do next. The types differ, so that a switch over
// one of them can be seen to name every case. The zero value means that there is nothing to do.

// A WakeOutcome is what [Word.Wake] and [Word.WakeDrop] return.
type WakeOutcome uint8

const (
	// WakeNoted: nothing to do. The task will be polled, and that poll begins after the call.
	WakeNoted WakeOutcome = iota
	// WakeFinished: nothing to do. The task is COMPLETE.
	WakeFinished
	// WakeEnqueue: the task has become SCHEDULED. The caller must get it run; nobody else will.
	WakeEnqueue
	// WakeRelease, from WakeDrop only: the task is COMPLETE and this was the last reference. The
	// caller must release the task.
	WakeRelease
)

// A RunOutcome is what [Word.ToRunning] and [Word.Claim] return.
type RunOutcome uint8

const (
	// RunStale: the task is not SCHEDULED and must not be polled. After ToRunning, the holder of
	// the queue's entry must [Word.Drop] the reference that came with it; Claim has changed
	// nothing.
	RunStale RunOutcome = iota
	// RunPoll: the caller is the runner, and must poll the task.
	RunPoll
	// RunCancelled: the caller is the runner, and the task is to end: it is cancelled, and in no
	// shield. If the task can end by itself, it is polled and told so; else its runner stores a
	// result that says so.
	RunCancelled
)

// An IdleOutcome is what [Word.ToIdle] returns.
type IdleOutcome uint8

const (
	// IdleWaits: the task is IDLE. The caller must not touch it any more: a waker may already be
	// running it, or have released it.
	IdleWaits IdleOutcome = iota
	// IdleEnqueue: the task was woken while it ran, and has become SCHEDULED again. The caller must
	// get it run.
	IdleEnqueue
)

// A CompleteOutcome is what [Word.Complete] returns.
type CompleteOutcome uint8

const (
	// CompleteDone: nothing to do. The reference is dropped; the caller must not touch the task.
	CompleteDone CompleteOutcome = iota
	// CompleteRelease: this was the last reference. The caller must release the task.
	CompleteRelease
	// CompleteWakeJoiner: the caller must wake the joiner, by the waker that it stored, and then
	// [Word.Drop] its own reference, which it still has.
	CompleteWakeJoiner
	// CompleteDiscard: the task is detached, and others still have references. The caller must
	// discard the result, which nobody will collect, and then [Word.Drop] its reference, which it
	// still has.
	CompleteDiscard
)

// A CancelOutcome is what [Word.Cancel] returns.
type CancelOutcome uint8

const (
	// CancelNoted: nothing to do. The task will be run, and its runner is told RunCancelled unless
	// the task enters a shield before.
	CancelNoted CancelOutcome = iota
	// CancelDeferred: nothing to do. A shield defers the cancellation until the task leaves it.
	CancelDeferred
	// CancelAlready: nothing to do. The task was cancelled before.
	CancelAlready
	// CancelFinished: nothing to do. The task is COMPLETE.
	CancelFinished
	// CancelEnqueue: the task was IDLE and has become SCHEDULED. The caller must get it run; nobody
	// else will.
	CancelEnqueue
)

// A ShieldOutcome is what [Word.LeaveShield] returns.
type ShieldOutcome uint8

const (
	// ShieldLeft: this was the outermost shield, and the task is not cancelled so far.
	ShieldLeft ShieldOutcome = iota
	// ShieldHeld: the task is still in another shield.
	ShieldHeld
	// ShieldCancelled: this was the outermost shield, and the task is cancelled. The task should
	// end now; if it does not, its next runner is told RunCancelled, without any other wake.
	ShieldCancelled
)

// A JoinOutcome is what [Word.Join] and [Word.Unjoin] return.
type JoinOutcome uint8

const (
	// JoinReady: the task is COMPLETE, and the result is there. The caller must not wait. It must
	// not touch a waker that it stored, either: the completion may still be reading it, and use it.
	JoinReady JoinOutcome = iota
	// JoinWait, from Join: the completion will wake the joiner, once.
	JoinWait
	// JoinWithdrawn, from Unjoin: nobody will be woken. The stored waker is the caller's again.
	JoinWithdrawn
)

// A DetachOutcome is what [Word.Detach] returns.
type DetachOutcome uint8

const (
	// DetachDone: nothing to do. The reference is dropped; the caller must not touch the task.
	DetachDone DetachOutcome = iota
	// DetachDiscard: the task is COMPLETE, and others still have references. The caller must
	// discard the result, which nobody will collect, and then [Word.Drop] its reference, which it
	// still has.
	DetachDiscard
	// DetachRelease: this was the last reference. The caller must release the task.
	DetachRelease
)

// A DropOutcome is what [Word.Drop] returns.
type DropOutcome uint8

const (
	// DropKept: others have references. The caller must not touch the task any more.
	DropKept DropOutcome = iota
	// DropRelease: this was the last reference. The caller must release the task.
	DropRelease
)

func (o WakeOutcome) String() string {
	return name(o, "WakeNoted", "WakeFinished", "WakeEnqueue", "WakeRelease")
}

func (o RunOutcome) String() string { return name(o, "RunStale", "RunPoll", "RunCancelled") }

func (o IdleOutcome) String() string { return name(o, "IdleWaits", "IdleEnqueue") }

func (o CompleteOutcome) String() string {
	return name(o, "CompleteDone", "CompleteRelease", "CompleteWakeJoiner", "CompleteDiscard")
}

func (o CancelOutcome) String() string {
	return name(o, "CancelNoted", "CancelDeferred", "CancelAlready", "CancelFinished",
		"CancelEnqueue")
}

func (o ShieldOutcome) String() string {
	return name(o, "ShieldLeft", "ShieldHeld", "ShieldCancelled")
}

func (o JoinOutcome) String() string { return name(o, "JoinReady", "JoinWait", "JoinWithdrawn") }

func (o DetachOutcome) String() string {
	return name(o, "DetachDone", "DetachDiscard", "DetachRelease")
}

func (o DropOutcome) String() string { return name(o, "DropKept", "DropRelease") }

// name returns the name of a constant, or a conversion for a value that has none.
func name[O ~uint8](o O, names ...string) string {
	if int(o) < len(names) {
		return names[o]
	}
	return fmt.Sprintf("%T(%d)", o, uint8(o))
}
