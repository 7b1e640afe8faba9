// Package taskstate is the state of one task of a scheduler, in one 64-bit word: where the task is
// on its way from spawn to completion; whether it was woken, cancelled, joined or detached; in how
// many shields against cancellation it is; and how many references to it there are.
//
// Every transition is one compare-and-swap, repeated until it succeeds, and returns what its caller
// must do next: enqueue the task, poll it, wake its joiner, release it. The package knows no queue,
// no worker and no task.
//
//	func ExampleWord_ToIdle() {
//		w := taskstate.New(2)
//		fmt.Println(w.ToRunning())
//		fmt.Println(w.ToIdle(), "-", w.Load())
//		fmt.Println(w.Wake(), w.Wake(), w.ToRunning())
//		fmt.Println(w.Wake(), "-", w.Load())
//		fmt.Println(w.ToIdle(), "-", w.Load())
//		// Output:
//		// RunPoll
//		// IdleWaits - IDLE references=2
//		// WakeEnqueue WakeNoted RunPoll
//		// WakeNoted - RUNNING notified references=2
//		// IdleEnqueue - SCHEDULED references=2
//	}
//
// # When not to use it
//
// Where a task runs to its end in one go and nobody joins or cancels it, a queue of functions is
// enough, as in [pool]. Where it may wait on its goroutine, a goroutine and a context are.
//
// # Running tasks
//
// This is an executor. A task is polled until it says that it is done. In between it waits for a
// wake, by any holder of a reference.
//
//	type job struct {
//		state  taskstate.Word
//		poll   func(t *job, cancelled bool) (done bool) // stores the result
//		result string
//		joiner chan struct{} // closed to wake the joiner
//	}
//
//	type executor chan *job
//
//	func (e executor) wake(t *job) {
//		if t.state.Wake() == taskstate.WakeEnqueue {
//			e <- t
//		}
//	}
//
//	func (e executor) run(t *job) { // t comes from the queue
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
//		// Nothing after the switch: except where told so, this goroutine has no reference now.
//	}
//
//	func (t *job) join() string {
//		t.joiner = make(chan struct{})
//		if t.state.Join() == taskstate.JoinWait {
//			<-t.joiner
//		}
//		return t.result
//	}
//
// It is the package example, and a check runs it in every order. A spawn is taskstate.New(2), one
// reference for the task itself and one for its joiner, and a place in the queue. Any queue will
// do; [pool] is one with workers that steal and sleep, and each e <- t above a Spawn or a Submit
// there, which wake a worker if needed.
//
// # References
//
// A task may be touched only by a holder of a reference. Each reference is owned by one party:
//
//	the task's own    from New until Complete; goes from a queue's entry to the runner and back,
//	                  and stays with the word while the task is IDLE
//	the handle's      from New until Detach, or until Drop after the result was collected
//	a waker's         from Clone until Drop or WakeDrop
//	a stale entry's   an entry stays in its queue when Claim takes the right to run from it, and
//	                  keeps a reference; ToRunning returns RunStale to whoever takes it from the
//	                  queue, and that goroutine drops the reference
//
// The transition that drops the last one says so: its caller releases the task. Completion and
// cancellation take no reference from a waker: whoever keeps wakers for an event drops them, by
// WakeDrop when it comes, and by Drop when they are taken back or the event never comes.
//
// # Who may call what
//
// Every caller must hold a reference. Beyond that:
//
//	ToIdle, Yield, Complete, EnterShield, LeaveShield   the runner, told RunPoll or RunCancelled
//	ToRunning                                           the one that took the task from a queue
//	Join, Unjoin, Detach, Renew                         the holder of the handle
//	Wake, WakeDrop, Cancel, Claim, Clone, Drop, Load    any holder of a reference
//
// What shows in the word is checked: a transition that the state does not allow, one reference or
// one shield too many or too few, and any use of a word without references panics, with the rule
// and the state, and leaves the word as it was.
//
// # What is promised
//
// For any number of wakers, queues and references (theorems taskstate/T1 to T9, T18):
//
//   - one runner at a time, and one entry in a queue (T1, T2);
//   - no wake is lost, none asks for a poll that nobody needs, and the poll comes, if each poll
//     before it ends, what is queued is popped, and a compare-and-swap that is tried again succeeds
//     in the end (T3, T6, T18);
//   - the release is told to one caller, once, after all others have dropped theirs (T4, T5);
//   - a cancellation reaches the runner, after the outermost shield (T7, T9);
//   - the joiner is woken once (T8).
//
// # Memory
//
// Each transition that changes the word synchronizes before the next one that finds its value. So a
// runner sees all that the runners before it wrote, and what the caller wrote that made the task
// SCHEDULED; Complete synchronizes before the return of a Join, Unjoin, Detach or Load that finds
// the task COMPLETE; and the last Drop comes after everything that the other owners did.
//
// # Costs, zero values, platforms
//
// A transition is one load and one compare-and-swap, repeated if others change the word meanwhile;
// a Wake of a task that is SCHEDULED already is one load. A [Word] is 8 bytes, and nothing
// allocates. [New] makes one: the zero Word has no references, and every transition of it panics.
// It is the same on 32-bit platforms, where the atomics of 64 bits cost more.
//
// [State] prints the word by name, as above. So do the pictures of the command surewake.
//
// # Source
//
// The lifecycle with a notified bit, join interest and a reference count in one word is that of
// Tokio's tasks (runtime/task/state.rs). word.go says what differs, and what is proved.
//
// [pool]: https://github.com/surewake/surewake/tree/main/examples/pool
package taskstate
