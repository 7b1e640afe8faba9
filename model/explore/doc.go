// Package explore runs a body in every execution that matters.
//
// # What matters
//
// Go's atomics are sequentially consistent, so an execution is an order of
// operations. Two executions that differ only in the order of neighbours which
// do not depend on one another (see class) end in the same state: they are the
// same Mazurkiewicz trace, and one of them is enough. The search is source-DPOR
// with sleep sets (Abdulla, Aronis, Jonsson, Sagonas: Optimal Dynamic Partial
// Order Reduction, POPL 2014): it runs one complete execution of each trace,
// and some that turn out to be asleep and are cut short (Result.Pruned).
//
//	event    an executed operation, and the node of the search tree it came from
//	clock    for each thread, the last of its events that happens before
//	race     two dependent events that nothing else orders, of which the second
//	         could have run first; for each race, a thread that leads to the other
//	         order is added to the backtracking set of the node of the first
//	sleep    threads whose operation was explored from a node already: they need
//	         not run again until something they depend on has happened
//
// Plain memory has no scheduling points. That is sound for programs without
// data races only, so the same schedules are run once more under Go's race
// detector, and a verdict is a proof only with both.
//
// # Threads
//
// A thread is a coroutine (thread_coro.go); under the race detector it is a goroutine
// whose hand-offs are hidden (thread_coro_race.go). One runs at a time. Checked code
// calls Enter before each operation, on the thread's own stack; the decision who
// runs next is taken right there, and control changes hands only if that is
// another thread. While there is only one thread that can matter, before the
// first one is started and after all have been joined, operations are not steps.
//
// # Coroutines
//
// A coroutine of checked code (coro.go) is part of the thread that called next,
// and runs on a goroutine of its own, which is kept for others. A thread that
// comes to a scheduling point inside gives control away on that stack, by its own
// threadCoro, and the switch back finds it there: for the Go runtime a coroutine is
// a place where some goroutine waits, no matter which. So coroutines nest in
// threads, and in one another, at the cost of a switch of iter.Pull. next, yield
// and stop are no scheduling points.
//
// # Blocking
//
// A gated operation (Lock, Wait, Join, ...) can be disabled. Its thread keeps it
// pending; a race with it is looked for behind the events before which it could
// not have run, so Lock races with the Lock before it and not with the Unlock.
// When nothing can run, every thread is at its end or the execution is
// deadlocked; the operations that are blocked for ever race as well.
//
// A loop whose iterations have no effect of their own (the rewriter marks them)
// waits, after an iteration that only read, until something it read has changed
// (search_spin.go). WaitGroups (sync_waitgroup.go), timeouts and the futex (sync_futex.go) have
// their rules beside their code.
//
// # Channels and time
//
// An operation on channels, timers or the clock has no class but accesses, to as
// many channels as it looks at; which of them depend on one another is said in
// chan_dependence.go, and what the operations do in chan.go, chan_rendezvous.go and time_timer.go. The
// values stay in the real channels. Where several cases of a select are ready,
// each is explored; they sleep one by one (chan_sleepset.go).
//
// # What was not done
//
//   - Plain depth-first search with a preemption bound: it misses what needs one
//     preemption more, and a bound is no proof. It is there on request, and to
//     find a failure with fewer preemptions than the first one had.
//   - Hashing of states. Executions have no state that could be compared: it is
//     spread over stacks, closures and the heap.
//   - A thread of the operating system for each thread: a hand-off costs
//     microseconds instead of 30 nanoseconds.
//   - A dispatcher that resumes every thread. Two threads that take turns would pay two
//     switches of coroutines a step; the thread that the dispatcher resumed resumes the
//     others itself.
//   - The real iter.Pull for coroutines of checked code: a goroutine for each, in
//     each execution, took six times as long without the race detector and four
//     times with it.
//   - A queue of waiters for each channel, as Go's runtime has it, in all programs.
//     Then every send on an unbuffered channel comes before or after the arrival
//     of its receiver, and k values make 2^k traces instead of one (chan_rendezvous.go does
//     so, where it can be told).
//   - Dependence of a send and a receive when the buffer is empty or full. Whether
//     it is depends on the order of others, so that orders of one trace would
//     disagree on what happens before what.
//   - Additions that commute when their result is unused. The race detector orders
//     them, so the two runs would explore different schedules.
//   - Snapshots of the memory in place of running the prefix again: Go's heap and
//     stacks cannot be put back.
//
// The tests hold the search against one without reduction, on random programs
// (random_program_test.go, chan_program_test.go), and against counts that are
// known.
package explore
