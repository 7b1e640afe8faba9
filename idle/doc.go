// Package idle decides, for the workers of a scheduler, who sleeps, who searches and whom to wake.
//
// The problem: a worker that finds nothing should sleep, and a push should wake a sleeper only if
// nobody else will see the task. Both decide on what the other has not yet done. If the worker
// looks at the queues, and a push finds no sleeper, and then the worker sleeps, the task waits for
// good.
//
// The package promises, for any number of workers and whatever the timing:
//
//   - no lost wakeup: while a task is queued that a worker could take and a worker sleeps, some
//     worker searches, is about to look at the queues, or is being woken;
//   - work conservation: this holds even while all workers but one are stuck in long tasks;
//   - few wakes: a push that finds a worker searching wakes nobody and costs one atomic load.
//
// The package knows neither queues nor how a worker sleeps. It says what to do; the caller does it.
//
// # The protocol
//
//	submitter   1 push the task                   parker   1 set its bit
//	            2 load searching, then the bits            2 decrement searching, if it searched
//	                                                       3 recheck the queues
//
// Sequential consistency forbids that both miss: either the submitter sees the bit and wakes the
// parker, or it sees a searcher that has yet to recheck, or the recheck sees the task.
//
// # The rules
//
//  1. Whoever puts a task where another worker can take it calls [Coordinator.Notify] afterwards.
//  2. A worker that has found something, or stops searching for another reason, calls
//     [Worker.Found] before it goes on.
//  3. A worker that goes to sleep calls [Worker.Publish] first, sleeps as the outcome says, and
//     calls [Worker.Woke] afterwards, until the outcome is not [AwaitToken].
//  4. Between Publish and the sleep, when told [Recheck], it looks at every queue again, whether it
//     searched or not, and calls Notify if there is anything that it could take.
//  5. Each claim (by Notify, Found, [Coordinator.Claim] or [Coordinator.Close]) is followed by
//     exactly one unpark, by the claimer, soon; no other unpark is allowed. The unpark leaves a
//     token, which waits if the worker does not sleep yet.
//
// A breach that shows is a panic that names the rule.
//
// # A parking worker
//
// The tokens are those of package park, the queue is any:
//
//	func (s *scheduler) work(me int) {
//		w, sleep := s.idle.Worker(me), &s.parkers[me]
//		for {
//			t, ok := s.take()
//			if !ok && w.Search() {
//				t, ok = s.take() // a searcher looks everywhere, and more than once
//			}
//			if ok {
//				s.unpark(w.Found())
//				t()
//				continue
//			}
//			next := w.Publish()
//			if next == idle.Recheck {
//				if s.queued() {
//					s.unpark(s.idle.Notify())
//				}
//				next = w.Woke(sleep.ParkTimeout(10 * time.Millisecond))
//			}
//			if next == idle.AwaitToken {
//				sleep.Park()
//				next = w.Woke(true)
//			}
//			if next == idle.Closed && !s.queued() {
//				return
//			}
//		}
//	}
//
//	func (s *scheduler) submit(t func()) {
//		s.put(t)
//		s.unpark(s.idle.Notify())
//	}
//
//	func (s *scheduler) unpark(worker int, ok bool) {
//		if ok {
//			s.parkers[worker].Unpark()
//		}
//	}
//
// The package example runs it. No promise above needs the timeout; a worker may have one for other
// things that it looks after now and then. To stop the workers, see that no more tasks come, and
// then call
//
//	s.idle.Close(func(worker int) { s.parkers[worker].Unpark() })
//
// # Memory
//
// Let one goroutine make something visible, by an atomic or under a lock, and then call Notify or
// Claim; let a worker call Publish, and then look at that atomic or take that lock. Either the look
// sees what was made visible, or the call finds the worker: Claim claims it, and Notify claims it
// or another one unless a worker searches, which then looks at the queues itself. The package
// orders nothing else; the unpark has to carry what the claimed worker needs to see.
//
// # Source
//
// The last searcher that must wake a successor is that of Go's scheduler (runtime/proc.go, "Worker
// thread parking/unparking") and of Tokio's. Claims by clearing a bit, and counting after the
// claim, are in place of their spinning counter that is raised first; idle.go says why.
package idle
