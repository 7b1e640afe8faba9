// Package pool is a work-stealing pool made of the packages deque, injector, idle and park, to be
// copied and changed: its code is in one file of 170 lines without the comments.
//
// No task is lost, whatever the timing: while one is queued, no worker sleeps that could run it. So
// tasks may wait for one another, as many as there are workers, until [Pool.Close], after which one
// worker may be left. A task that panics or calls [runtime.Goexit] ends its worker's goroutine, and
// another one goes on as that worker.
//
// # Checking a pool of your own
//
// Draw schedules first: that finds most mistakes within seconds, also those that need several
// preemptions. Then explore all schedules, or all with one or two preemptions:
//
//	go tool surewake check -strategy=pos -budget=20s ./...    each check for 20 seconds
//	go tool surewake check -preemptions=1 ./...               all with one preemption
//	go tool surewake check ./...                              all, or ten minutes for each check
//
// Each check calls model.Check; so a module that copies this package imports package model in its
// tests. The tests here show what to check:
//
//   - Two workers, queues of four, and three tasks in one queue, so that a steal has a rest. One of
//     them waits for another; Choose says which. A task that was stranded is found by the next
//     worker that looks, so it has to be one that somebody waits for.
//   - The tasks in each place where tasks can be before the workers start, so that the first step
//     of a worker is what the check is about: a queue, the injector, the task that spawns them. So
//     what makes the pool and what starts its goroutines are two functions.
//   - After a task has panicked or called Goexit, as many tasks that meet as there are workers.
//   - Small queues, so that the overflow takes part.
//   - A Submit beside Close: the task is refused, or runs.
//   - One worker and one Submit of two tasks, which is small enough for every interleaving;
//     model.Preemptions(1) for what is not.
//   - Sleeps without a timeout, and model.NoRescue; if there are timeouts, model.Timeouts(1) as
//     well. A wait for the tasks before Close, which wakes everybody.
//   - A mutant for each rule of package idle that the code follows. The folder testdata/mutants has
//     those of this pool; the page of package model/mutant says how they are written.
//
// # What it does without
//
// Package github.com/surewake/surewake/runtime is made of the same parts. It has results, joins,
// cancellation, timers, and tasks that wait without holding a worker; this pool has none of them. A
// task that blocks blocks its worker, and the thread of a worker that sleeps is the kernel's: start
// at most GOMAXPROCS workers, see package park.
package pool
