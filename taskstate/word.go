package taskstate

import (
	"fmt"
	"sync/atomic"
)

// How it works
//
// A transition is a pure function of a State, which returns the State after it and what the caller
// must do next, and around it a loop that loads the word and puts that state in place by
// compare-and-swap:
//
//	for {
//		s := w.Load()
//		next, outcome := s.toIdle()
//		if outcome == refused {
//			panic(s.broken("ToIdle"))
//		}
//		if w.swap(s, next) {
//			return outcome
//		}
//	}
//
// A transition linearizes at its successful CAS or, if it changes nothing, at its load. A CAS fails
// only because another transition has succeeded, so transitions are lock-free. A state that does
// not allow the transition is refused before anything is written. The functions of the transitions
// that every task goes through are small enough to be inlined: with calls, the life of a task would
// take twice as long. A table of states says all about one transition, and TestEveryReachableState
// goes through it. What several do together is said below; the names in parentheses are those of
// the checks, which go through every interleaving, and of the mutants in testdata that they kill.
//
// # The right to run
//
// SCHEDULED and RUNNING are a token with one holder: at first the caller of New, then a queue's
// entry, then a runner, then, while the task is IDLE, nobody, and then the waker that is told
// WakeEnqueue or CancelEnqueue. Each of these steps is one CAS, and each state has one side that
// may take the next:
//
//	SCHEDULED -> RUNNING    the first of: ToRunning, by the holder of an entry; Claim
//	RUNNING   -> ...        the runner only
//	IDLE      -> SCHEDULED  the first of: Wake, WakeDrop, Cancel
//
// So there is at most one runner, and one entry for each time the task became SCHEDULED
// (TestOneRunnerOneEntry; T1d). The steps are also the memory order: each CAS synchronizes before
// the next one that finds its value, so a runner sees all that the runners before it wrote, and the
// task's own memory needs no other protection.
//
// # No wakeup is lost
//
// A waker makes something true that the task will look at, and then calls Wake. If Wake linearizes
//
//	while IDLE       it makes the task SCHEDULED, and its caller enqueues it
//	while RUNNING    it sets notified; ToIdle, whose CAS fails if it loaded the word before that,
//	                 makes the task SCHEDULED
//	while SCHEDULED  it changes nothing: the poll to come begins with ToRunning, which is later
//	once COMPLETE    there is nobody to wake
//
// In each case a poll begins later than Wake, and sees what the waker made true
// (TestNoWakeupIsLost; T1b, T1c), provided that the two synchronize on it, by an atomic or a mutex.
// They have to in any case: the poll before this one may be looking at it just now. That is why a
// load is enough in the third case. Runtimes in languages with weaker atomics write the word there
// too, so that the poll to come is ordered after it. Here, if the waker's access came after that of
// a poll that began after Wake's load, then the load would come after ToRunning's CAS, and would
// not have returned SCHEDULED. A waker that finds the task SCHEDULED is the common case of a burst,
// and it leaves the cache line shared.
//
// So notified is set only while RUNNING, and means one thing: another poll after this one. A
// notified that survives SCHEDULED -> RUNNING would cause a needless poll (TestNoPollForNothing;
// T6).
//
// Rejected: to leave RUNNING in two steps, IDLE first and then SCHEDULED if notified was set.
// Between them, a waker finds the task IDLE and enqueues it, another runner completes it and drops
// the last reference; the second step then changes a task that does not exist any more, or the next
// one in its memory. ToIdle looks at notified and leaves in one CAS
// (TestNobodyTouchesAReleasedTask; T1).
//
// # Cancellation reaches COMPLETE
//
// A flag alone would not: nobody runs an IDLE task to look at it. So Cancel is also a wake, unless
// a shield defers it; then leaving the outermost shield is. A cancelled task is not kept from
// RUNNING, since somebody must complete it for its joiner: its runner is told
// (TestCancelReachesComplete, and BehindAShield; T2, T5d).
//
// # The joiner is woken once
//
// A joiner stores a waker beside the word and then calls Join, whose CAS is both the publication
// and the second look: either it sets join interest in a word that is not COMPLETE, and Complete's
// CAS, which comes later, finds it there and reads the waker; or it finds COMPLETE, and the joiner
// does not wait. Unjoin withdraws in the same way (TestJoinWakesOnce, TestJoinCanBeWithdrawn; T3).
// A runner that has somebody to wake keeps its reference meanwhile: else the joiner, seeing
// COMPLETE, could take the result and release the task while the runner still reads the waker
// (T3c).
//
// # References
//
//  1. The task has one of its own, from New until Complete. It goes with the right to run; while
//     the task is IDLE it stays with the word. So before COMPLETE there is always at least one.
//  2. The handle has one, if New was told so, until Detach, or Drop after the result was collected.
//  3. Each waker has one, from Clone to Drop or WakeDrop.
//  4. Claim takes the right to run away from an entry, and that entry keeps the reference it came
//     with. The claimer gets another. References are alike: all that matters is that there is one
//     per owner.
//
// The one that drops the last reference is told so, after everybody else's last access, and no one
// else is (TestReleasedOnce; T4). The number is checked before it is changed, in both directions.
// An atomic add would be cheaper where many clone at the same time, but it has counted, and
// wrapped, before it knows.
//
// Renew begins another life in the same memory, when the holder of the handle has all references
// that are left. What the theorems say is said of each life: they know of no Renew, which leads to
// where they begin (taskstate/R2). Whoever still uses a reference of the holder's, such as a late
// waker, is one more waker of the next life, of which there may be any number.
//
// # What is proved
//
// Each line is a theorem of package proofs, the first ones for any number of wakers and queues.
//
//	taskstate/T1, taskstate/T2    one runner, one entry
//	taskstate/T3, taskstate/T6    no wakeup is lost, and none asks for a needless poll
//	taskstate/T4, taskstate/T5    released once; until COMPLETE, the task has its own reference
//	taskstate/T7, taskstate/T9    cancellation reaches its runner; shields are counted exactly
//	taskstate/T8                  the joiner is woken once
//	taskstate/T10 taskstate/T11   the first eight, of these functions: one runner, one entry,
//	taskstate/T12 taskstate/T13   no wakeup is lost, released once,
//	taskstate/T14 taskstate/T15   cancellation leads to COMPLETE, none is told inside a shield,
//	taskstate/T16 taskstate/T17   nobody who keeps the rules panics, the joiner is woken once
//	taskstate/T18                 after a Wake a poll begins in the end, or the task is COMPLETE
//	taskstate/X1, taskstate/S1    the same in every state, within bounds, and of a second model
//	taskstate/R1, taskstate/R2    this code does step by step what the proofs are about

// A Word is the state of one task, for any number of goroutines. [New] makes one; a Word must not
// be copied afterwards. Any transition of the zero Word panics.
type Word struct {
	_ [0]atomic.Uint64 // aligns bits on 32-bit processors, and makes vet report copies

	// bits is a State. Everybody loads it; the transitions change it by compare-and-swap, and each
	// says who may call it. It is not an atomic.Uint64, so that New can initialize it plainly: an
	// atomic store costs as much as a transition.
	bits uint64
}

// New returns the word of a task that is SCHEDULED: the caller must get it run. Of its references,
// one is the task's own, and the others are the caller's to give away: 2 if there will be a handle.
// It panics unless there are 1 to MaxReferences.
//
// Assign the result to memory that nobody else has seen; what then publishes that memory publishes
// the word.
func New(references int) Word {
	if references < 1 || references > MaxReferences {
		panic(badNew(references))
	}
	return Word{bits: uint64(scheduled | State(references)<<referenceShift)}
}

//go:noinline
func badNew(references int) string {
	return fmt.Sprintf("taskstate: New: %d references; there must be 1 to %d", references,
		MaxReferences)
}

// Load returns a snapshot, possibly stale. The caller must hold a reference.
//
// If it is COMPLETE, Complete synchronizes before the return, and the result may be read.
func (w *Word) Load() State { return State(atomic.LoadUint64(&w.bits)) }

// swap changes the state from old to next, and reports whether it was old. Its partner is every
// other access to the word; the callers name the one that matters.
func (w *Word) swap(old, next State) bool {
	return atomic.CompareAndSwapUint64(&w.bits, uint64(old), uint64(next))
}
