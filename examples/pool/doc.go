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
// The tests of this package, run by the command surewake, show how:
//
//   - First one worker and two tasks, through every interleaving.
//   - Then two workers and tasks that wait for one another. A task that was stranded is found by
//     the next worker that looks, so it has to be one that somebody waits for.
//   - Small queues, so that the overflow takes part; queues that are full before the workers start,
//     so that the first step of a worker is what the check is about.
//   - At most one or two preemptions where every interleaving is too much; then `check -strategy
//     pos`, which finds bugs that need more.
//   - Sleeps without a timeout, and model.NoRescue. A wait for the tasks before Close, which wakes
//     everybody.
//   - A mutant for each rule of package idle that the code follows. The folder testdata/mutants has
//     those of this pool.
//
// # What it does without
//
// Package github.com/surewake/surewake/runtime is made of the same parts. It has results, joins,
// cancellation, timers, and tasks that wait without holding a worker; this pool has none of them. A
// task that blocks blocks its worker, and the thread of a worker that sleeps is the kernel's: start
// at most GOMAXPROCS workers, see package park.
package pool
