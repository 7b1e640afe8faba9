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
//  1. Whoever puts a task where another worker can take it calls [Coordinator.Notify] afterwards,
//     once for a put of any size. The rest of a steal, and the rest of a batch that a worker takes
//     from a queue, are puts: nobody could see them while they moved.
//  2. A worker that has found something, or stops searching for another reason, calls
//     [Worker.Found] before it goes on.
//  3. A worker that goes to sleep calls [Worker.Publish] first, sleeps as the outcome says, and
//     calls [Worker.Woke] afterwards, until the outcome is not [AwaitToken].
//  4. Between Publish and the sleep, when told [Recheck], it looks at every queue again, whether it
//     searched or not, and calls Notify if there is anything that it could take.
//  5. Each claim (by Notify, Found, [Coordinator.Claim] or [Coordinator.Close]) is followed by
//     exactly one unpark, by the claimer, soon; no other unpark is allowed. The unpark leaves a
//     token, which waits if the worker does not sleep yet.
//  6. A worker takes from the queues of others only as a searcher: after [Worker.Search] returned
//     true, or Woke returned [Searching], and before Found, which then is the Notify for the rest
//     of the steal. If Search returns false it does not steal, and goes to sleep.
//  7. A worker does not end as a searcher, by a panic or [runtime.Goexit] either: Notify would wake
//     nobody from then on. Where that may happen between Search and Found, Found is deferred; for a
//     worker that does not search it does nothing. Before a task runs, Found has been called.
//  8. Close comes after the last put from outside. Whoever stops the workers shuts the submitters
//     out first, under the lock of the queue that they put tasks in; the package does not. Workers
//     may put tasks after Close, where they take them themselves before they end.
//
// A breach of the rules 2, 3 and 5 that shows is a panic that names the rule.
//
// Where a push hands an overflow to another queue, one Notify after the push stands for both. The
// unpark that Close is given is called without any lock, and may call all functions of this
// package; it must not block, since the claims that remain come after it.
//
// # A worker
//
// These are the loop of a worker of [pool], its sleep, and what wakes it. There, own looks at the
// worker's own queue and at the one that all share, steal at those of the others, and queued at all
// of them:
//
//	func (w *Worker) next() (Task, bool) {
//		for {
//			t, ok := w.own()
//			if !ok && w.role.Search() {
//				t, ok = w.steal() // only as a searcher: Found answers for the rest of the steal
//			}
//			if ok {
//				w.pool.unpark(w.role.Found()) // before the task, which may wait, or panic
//				return t, true
//			}
//			if !w.sleep() {
//				return nil, false
//			}
//		}
//	}
//
//	func (w *Worker) sleep() bool {
//		outcome := w.role.Publish()
//		if outcome == idle.Closed {
//			return w.pool.queued()
//		}
//		if outcome == idle.Recheck && w.pool.queued() {
//			w.pool.notify()
//		}
//		w.token.Park()
//		w.role.Woke(true)
//		return true
//	}
//
//	func (p *Pool) notify() { p.unpark(p.idle.Notify()) }
//
//	func (p *Pool) unpark(worker int, claimed bool) {
//		if claimed {
//			p.workers[worker].token.Unpark()
//		}
//	}
//
// To stop the workers:
//
//	func (p *Pool) Close() {
//		p.shared.Close() // before the workers end: no Submit puts a task that nobody takes
//		p.idle.Close(func(worker int) { p.unpark(worker, true) })
//		p.running.Wait()
//	}
//
// That package is a whole pool of 170 lines, made of this one, deque, injector and park, to be
// copied.
//
// # Timeouts
//
// No promise above needs one. A worker that looks after other things now and then, such as
// deadlines, may sleep with a timeout if it was told Recheck, and calls Woke with what ended the
// sleep; when told AwaitToken it sleeps without one. A timeout hides mistakes: if a push wakes
// nobody, its task is late and not lost. So check a scheduler with plain sleeps, or with
// model.NoRescue, which fails an execution that goes on only by a timeout.
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
//
// [pool]: https://github.com/surewake/surewake/tree/main/examples/pool
package idle
