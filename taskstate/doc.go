// Package taskstate is the state of one task of a scheduler, in one 64-bit word: where the task is on its way from
// spawn to completion, whether it was woken, cancelled, joined or detached, in how many shields against cancellation
// it is, and how many references to it there are.
//
// Every transition is one compare-and-swap, repeated until it succeeds, and returns what its caller must do now: enqueue the task,
// poll it, wake its joiner, release it. The package knows no queue, no worker and no task; it imports the standard library only.
//
// # Running tasks
//
// This is an executor. A task is polled until it says that it is done; in between it waits to be woken, by whoever it
// has told to call wake.
//
//	type task struct {
//		state  taskstate.Word
//		poll   func(t *task, cancelled bool) (done bool) // stores the result
//		result string
//		joiner chan struct{} // what the joiner leaves to be woken
//	}
//
//	type executor chan *task
//
//	func (e executor) wake(t *task) {
//		if t.state.Wake() == taskstate.WakeEnqueue {
//			e <- t
//		}
//	}
//
//	func (e executor) run(t *task) { // t comes from the queue
//		switch now := t.state.ToRunning(); {
//		case now == taskstate.RunStale:
//			t.drop()
//		case t.poll(t, now == taskstate.RunCancelled):
//			switch t.state.Complete() {
//			case taskstate.CompleteWakeJoiner:
//				close(t.joiner)
//				t.drop()
//			case taskstate.CompleteDiscard:
//				t.result = ""
//				t.drop()
//			case taskstate.CompleteRelease:
//				t.release()
//			case taskstate.CompleteDone:
//			}
//		case t.state.ToIdle() == taskstate.IdleEnqueue:
//			e <- t
//		}
//		// Nothing here: unless it was told otherwise, this goroutine has no reference any more.
//	}
//
//	func (t *task) join() string {
//		t.joiner = make(chan struct{})
//		if t.state.Join() == taskstate.JoinWait {
//			<-t.joiner
//		}
//		return t.result
//	}
//
// The package example runs it. A spawn is taskstate.New(2), one reference for the task itself and one for who will join it,
// and a place in the queue.
//
// # Who may call what
//
// Nobody who has no reference may call anything. Beyond that:
//
//	ToIdle, Yield, Complete, EnterShield, LeaveShield   the runner: who was told RunPoll or RunCancelled
//	ToRunning                                           who took the task from a queue
//	Join, Unjoin, Detach                                the holder of the handle
//	Wake, WakeDrop, Cancel, Claim, Clone, Drop, Load    anyone
//
// What can be seen from the word is checked: a transition that the state does not allow, one reference or one shield too many
// or too few, and any use of a word without references panics, with the rule and the state, and leaves the word as it was.
package taskstate
