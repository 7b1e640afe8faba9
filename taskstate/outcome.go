package taskstate

import "fmt"

// Every transition returns what its caller must do now. The types differ, so that a switch over one of them can be
// seen to name every case; the zero value is the case in which there is nothing left to do, or nothing to be had.

// A WakeOutcome is what [Word.Wake] and [Word.WakeDrop] return.
type WakeOutcome uint8

const (
	// WakeNoted: nothing is left to do. The task will be polled, and that poll begins after the call.
	WakeNoted WakeOutcome = iota
	// WakeFinished: nothing is left to do. The task is COMPLETE.
	WakeFinished
	// WakeEnqueue: the task has become SCHEDULED. The caller must see that it is run, and nobody else will.
	WakeEnqueue
	// WakeRelease, from WakeDrop only: the task is COMPLETE and this was the last reference. The caller must release it.
	WakeRelease
)

// A RunOutcome is what [Word.ToRunning] and [Word.Claim] return.
type RunOutcome uint8

const (
	// RunStale: the task is not SCHEDULED. It must not be polled. Who took it from a queue must [Word.Drop] the
	// reference that came with the entry; Claim has changed nothing.
	RunStale RunOutcome = iota
	// RunPoll: the caller is the runner, and must poll the task.
	RunPoll
	// RunCancelled: the caller is the runner, and the task is to end: cancellation was asked for, and no shield holds it
	// back. A task that can end itself is polled, and told so; else its runner lets go of it and stores a result that says so.
	RunCancelled
)

// An IdleOutcome is what [Word.ToIdle] returns.
type IdleOutcome uint8

const (
	// IdleWaits: the task is IDLE. The caller must not touch it any more: who wakes it may already be running it,
	// or have released it.
	IdleWaits IdleOutcome = iota
	// IdleEnqueue: somebody woke the task while it ran, so it has become SCHEDULED again. The caller must see that it is run.
	IdleEnqueue
)

// A CompleteOutcome is what [Word.Complete] returns.
type CompleteOutcome uint8

const (
	// CompleteDone: nothing is left to do. The reference is dropped; the caller must not touch the task any more.
	CompleteDone CompleteOutcome = iota
	// CompleteRelease: this was the last reference. The caller must release the task.
	CompleteRelease
	// CompleteWakeJoiner: the caller must wake whom the joiner has left to be woken, and then [Word.Drop] its reference,
	// which it still has.
	CompleteWakeJoiner
	// CompleteDiscard: the task is detached and not yet released. The caller must discard the result, which nobody will
	// collect, and then [Word.Drop] its reference, which it still has.
	CompleteDiscard
)

// A CancelOutcome is what [Word.Cancel] returns.
type CancelOutcome uint8

const (
	// CancelNoted: nothing is left to do. The task will be run, and that run is RunCancelled unless it enters a shield before.
	CancelNoted CancelOutcome = iota
	// CancelDeferred: nothing is left to do. A shield holds the cancellation back until the task leaves it.
	CancelDeferred
	// CancelAlready: nothing is left to do. Somebody else has cancelled the task.
	CancelAlready
	// CancelFinished: nothing is left to do. The task is COMPLETE.
	CancelFinished
	// CancelEnqueue: the task was IDLE and has become SCHEDULED. The caller must see that it is run, and nobody else will.
	CancelEnqueue
)

// A ShieldOutcome is what [Word.LeaveShield] returns.
type ShieldOutcome uint8

const (
	// ShieldLeft: this was the outermost shield, and nobody has cancelled the task so far.
	ShieldLeft ShieldOutcome = iota
	// ShieldHeld: the task is still in another shield.
	ShieldHeld
	// ShieldCancelled: this was the outermost shield, and the task is cancelled. The task should end now; if it does not,
	// its runner is told RunCancelled next time, without any other wake.
	ShieldCancelled
)

// A JoinOutcome is what [Word.Join] and [Word.Unjoin] return.
type JoinOutcome uint8

const (
	// JoinReady: the task is COMPLETE, and the result is there. The caller must not wait. It must not touch what it left
	// to be woken, either, if it has: the completion may still be reading that, and wake it.
	JoinReady JoinOutcome = iota
	// JoinWait, from Join: the completion will wake what the caller has left to be woken, once.
	JoinWait
	// JoinWithdrawn, from Unjoin: nobody will be woken. What the caller left to be woken is its own again.
	JoinWithdrawn
)

// A DetachOutcome is what [Word.Detach] returns.
type DetachOutcome uint8

const (
	// DetachDone: nothing is left to do. The reference is dropped; the caller must not touch the task any more.
	DetachDone DetachOutcome = iota
	// DetachDiscard: the task is COMPLETE and not yet released. The caller must discard the result, which nobody will
	// collect, and then [Word.Drop] its reference, which it still has.
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
	return name(o, "CancelNoted", "CancelDeferred", "CancelAlready", "CancelFinished", "CancelEnqueue")
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
