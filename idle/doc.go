// Package idle decides, for the workers of a scheduler, who sleeps, who searches and whom to wake.
//
// The problem: a worker that finds nothing should sleep, and a push should wake a sleeper only if
// nobody else will see the task. Both decide on what the other has not yet done. If the worker
// looks at the queues, and a push finds no sleeper, and then the worker sleeps, the task waits for
// good.
//
// The package knows neither queues nor how a worker sleeps. It says what to do; the caller does it.
// [pool] is a whole pool of 170 lines, made of this package, deque, injector and park, to be
// copied: whoever builds a scheduler begins there.
//
// # Who may call what
//
//	Search, Found, Release, Publish, Woke    the worker: a Worker has one owner at a time
//	Notify                                   whoever has put a task, from outside or a worker
//	Claim                                    whoever has something for one worker only
//	Close                                    whoever stops the workers
//	Worker, Workers, Searching,
//	Parked, IsParked                         anyone
//
// A worker that sleeps, one that is busy, and two tasks, all played by one goroutine:
//
//	func Example() {
//		c := idle.New(2)
//		sleeper, busy := c.Worker(0), c.Worker(1)
//		fmt.Println(sleeper.Publish()) // found nothing, and looks once more before it sleeps
//		fmt.Println(c.Notify())        // a task was put: wake worker 0
//		fmt.Println(c.Notify())        // another one: worker 0 is on its way
//		fmt.Println(sleeper.Woke(true))
//		fmt.Println(sleeper.Found()) // the last searcher wakes another, but none sleeps
//		fmt.Println(busy.Search())
//		// Output:
//		// Recheck
//		// 0 true
//		// -1 false
//		// Searching
//		// -1 false
//		// true
//	}
//
// # What is promised
//
// For any number of workers, whatever the timing, if the callers keep the rules below:
//
//   - no lost wakeup: while a task is queued that a worker could take and a worker sleeps, some
//     worker searches, is about to look at the queues, or is being woken (theorems idle/I1, I4, I5
//     and I12);
//   - work conservation: this holds even while all workers but one are stuck in long tasks (S1,
//     S2);
//   - few wakes: a push that finds a worker searching wakes nobody and costs one atomic load;
//   - after Close nobody sleeps on (I9, I10).
//
// The pool does step by step what these theorems are about (R3).
//
// # When not to use it
//
//   - For goroutines that wait for one queue: a channel, or sync.Cond, knows its sleepers. This
//     package is for workers that look at several queues, of which some are of one worker each.
//   - For one consumer: package park alone.
//   - Where the number of workers changes: it is fixed by New. A worker that is not needed sleeps.
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
//     nobody from then on. Where that may happen between Search and Found, [Worker.Release] is
//     deferred, which ends the search and wakes another worker if needed. Before a task runs, Found
//     has been called. Between Publish and Woke, nothing may end the goroutine.
//  8. Close comes after the last put from outside. Whoever stops the workers shuts the submitters
//     out first, under the lock of the queue that they put tasks in; the package does not. Workers
//     may put tasks after Close, where they take them themselves before they end.
//
// A breach of rule 3, and an unpark without a claim, panic and name the rule where they show. A
// forgotten Found, and a claim without its unpark, leave workers asleep: in a check that is a
// deadlock, of workers that wait in a futex.
//
// Where a push hands an overflow to another queue, one Notify after the push stands for both. The
// unpark that Close or Release is given is called without any lock, and may call all functions of
// this package. That of Close must not block, since the claims that remain come after it.
//
// # A worker
//
// These are the loop of a worker of [pool], its sleep, and what wakes it. There, own looks at the
// worker's own queue and at the one that all share, steal at those of the others, and queued at all
// of them. What a task panics with is recovered, and nothing else: any other panic is a mistake
// in the pool, and ends the program.
//
//	func (w *Worker) work() {
//		inTask := false
//		defer func() {
//			if !inTask { // the pool is closed, or a panic goes on
//				w.pool.running.Done()
//				return
//			}
//			if handle := w.pool.onPanic; handle != nil {
//				if v := recover(); v != nil { // nil: Goexit
//					handle(v)
//				}
//			}
//			go w.work()
//		}()
//		for t, ok := w.next(); ok; t, ok = w.next() {
//			inTask = true
//			t(w)
//			inTask = false
//		}
//	}
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
//		w.role.Woke(true) // always Searching: Park ends with a token only
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
// # Checking a scheduler
//
// What breaks the rules 1, 4, 6 and 7 strands a task now and then, and no test notices. The command
// surewake does. In this order:
//
//	go tool surewake check -strategy=pos -budget=20s ./...    draws schedules, 20 s for each check
//	go tool surewake check -preemptions=1 ./...               all with one preemption
//	go tool surewake check ./...                              all, or ten minutes for each check
//
// The first two find different mistakes.
//
// Write the checks with two workers, and with tasks that wait for one another: the next worker that
// looks finds a stranded task, so it has to be one that somebody waits for. Put three of them into
// one queue: only then has a steal a rest. Keep queues so small that they overflow; wait for the
// tasks before Close, which wakes everybody. One worker and one Submit of two tasks can be proved.
// The page of [pool] has the list, its tests have the programs.
//
// # Timeouts
//
// No promise above needs one. A worker that looks after other things now and then, such as
// deadlines, may sleep with a timeout if it was told Recheck, and calls Woke with what ended the
// sleep; when told AwaitToken it sleeps without one. A timeout hides mistakes: if a push wakes
// nobody, its task is late and not lost. So check a scheduler with plain sleeps, or with
// model.NoRescue, which fails an execution that goes on only by a timeout. If workers sleep with
// timeouts, check them with model.Timeouts(1) as well: without it no timeout comes early, and what
// follows a Woke(false) is not run.
//
// # Memory
//
// Let one goroutine make something visible, by an atomic or under a lock, and then call Notify or
// Claim; let a worker call Publish, and then look at that atomic or take that lock. Either the look
// sees what was made visible, or the call finds the worker: Claim claims it, and Notify claims it
// or another one unless a worker searches, which then looks at the queues itself. The package
// orders nothing else; the unpark has to carry what the claimed worker needs to see.
//
// # Costs, zero values, platforms
//
// A Notify is one atomic load while somebody searches; else it loads one word for each 64 workers,
// and a claim is two more atomic operations. Search, Found, Publish and Woke are one to three; a
// worker that is busy and does not search pays nothing for Found. Nothing allocates after New. A
// Worker is 128 bytes, a Coordinator 256 and its words.
//
// [New] makes a Coordinator, of 1 to 65,536 workers. A zero one has no workers: its Notify claims
// nobody, and its Worker panics. It is the same on 32-bit platforms; only the padding that keeps
// workers off one another's cache lines is made for 64 bits.
//
// How a sleeper costs a thread, and which kind of sleep does not, is on the page of package park.
//
// # Source
//
// The last searcher that must wake a successor is that of Go's scheduler (runtime/proc.go, "Worker
// thread parking/unparking") and of Tokio's. Claims by clearing a bit, and counting after the
// claim, are in place of their spinning counter that is raised first; idle.go says why.
//
// [pool]: https://github.com/surewake/surewake/tree/main/examples/pool
package idle
