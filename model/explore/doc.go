// Package explore runs a function in every execution that can differ in its result.
//
// # Theory
//
// Go's atomics are sequentially consistent, so an execution is an order of operations. Two
// executions that differ only in the order of adjacent independent operations end in the same
// state: they belong to the same Mazurkiewicz trace, and one of them is enough. The search is
// DPOR with sleep sets (Abdulla, Aronis, Jonsson, Sagonas: Optimal Dynamic Partial Order Reduction,
// POPL 2014). It runs one complete execution of each trace, and some that turn out to be redundant
// and are cut short (Result.Pruned). Programs of atomics, locks, WaitGroups and plain channel
// operations are searched with wakeup trees, which avoid most or all of these (search_wakeup.go);
// others, with selects, timers or choices, with source sets.
//
//	event    an executed operation, and the node of the search tree from which it was executed
//	clock    for each thread, the last of its events that happens before
//	race     two dependent events, ordered by nothing else, of which the second could have run
//	         first; for each race, a thread that leads to the other order is added to the
//	         backtracking set of the node of the first
//	sleep    threads whose operation was already explored from a node: they need not run again
//	         until something that they depend on has happened
//
// Plain memory accesses are not scheduling points. That is sound only for programs without data
// races, so the schedules are run under Go's race detector: a verdict is a proof only if that run
// finds nothing.
//
// # The way of an operation
//
// An operation goes through these files in this order:
//
//	hook      package hook: rewritten code calls one function for each operation
//	enter     the operation becomes pending (enter.go)
//	decide    the search picks the thread that runs next (decide.go)
//	commit    the pending operation of that thread becomes an event: its races are found, and
//	          the sleep set after it is computed (commit.go, search_races.go, search_clock.go)
//	apply     the model of the object changes (the file of the object)
//	real      the hook does the real operation on the real memory
//
// What distinguishes one operation from another is its entry in the table ops (op.go). The entry
// says when the operation is enabled, what it depends on, what it does to the model, and how it
// is shown. It stands in the file of the object that the operation works on.
//
//	api.go            Config, Result, Run; questions that package model and the hooks ask
//	engine*.go        the state of an exploration, its loop, the judgement of an execution
//	op.go             operations, classes of dependence, the table
//	enter, decide, commit    one step
//	enter_before.go   one thread among others who are not there
//	thread*.go        threads and sets of them, how control changes hands, spin loops,
//	                  uncontrolled goroutines
//	search_*.go       nodes, clocks, races and backtracking, wakeup trees, bounds on preemptions,
//	                  parts of the tree, replay, random strategies
//	sync_*.go         atomics, Mutex, RWMutex, WaitGroup, Once, Cond, futex
//	chan*.go          channels: transfer, select, dependence, requests, rendezvous, sleep sets of
//	                  choices
//	time_*.go         the virtual clock, timers
//	bubble.go         bubbles of testing/synctest
//	coro*.go          coroutines of iter.Pull
//	show_*.go         failures, the recorded trace, Config.Observe, certificates
//
// # Threads
//
// A thread is a coroutine (thread_coro.go). Under the race detector it is a goroutine, and the
// hand-off between threads is hidden from the detector (thread_coro_race.go). Whether the detector
// still remembers all that a thread has done is tried now and then (race_history.go). One thread
// runs at a time. Checked code calls Enter before each operation, on the thread's own stack. The
// decision which thread runs next is made right there, so control changes hands only if that is
// another thread. While only one thread can affect the result, which is before the first go
// statement and after all other threads were joined, operations are not scheduling points.
//
// Threads are numbered in the order in which they are started, and a number is not used again in
// the same execution. A set of threads is a word and, from number 64 on, further words
// (thread_set.go); a clock has pages from there on (search_clock.go). Both are shared by what has
// them until it changes, so that the cost of a step is that of what the step changes, and about one
// instruction for every 64 threads. To give the number of an ended thread to a new one would need
// less memory. It would be right only where everything that the old thread did happens before the
// go statement; elsewhere a clock entry would order the new thread's events after the old one's.
//
// # Coroutines
//
// A coroutine of checked code (coro.go) is part of the thread that called next. It runs on a
// goroutine of its own, which is reused by later coroutines. A thread that reaches a scheduling
// point inside a coroutine gives control away on the coroutine's stack, through its own
// threadCoro, and gets it back there: to the Go runtime a coroutine is a place where some
// goroutine waits, no matter which. So coroutines nest in threads and in one another, at the cost
// of one switch of iter.Pull. next, yield and stop are not scheduling points.
//
// # Blocking
//
// A gated operation (Lock, Wait, Join, ...) can be disabled; its thread keeps it pending. Events
// before which it could not have run are skipped in the search for its races. So Lock races with
// the previous Lock, and not with the Unlock between the two. If nothing can run, either every
// thread has ended or the execution is deadlocked; the operations that are blocked forever are
// searched for races as well.
//
// A loop whose iterations have no effect of their own (the rewriter marks such loops) waits,
// after an iteration that only read, until something that it read has changed (thread_spin.go).
// A thread in another loop, which repeats its iteration, runs only if no other can; the verdict
// then names the loop, as a bound (thread_fair.go).
// The rules of WaitGroup (sync_waitgroup.go) and of timeouts (sync_futex.go, time_timer.go) are
// beside their code.
//
// # Channels and time
//
// An operation on channels, timers or the clock depends on others by accesses, one for each
// channel that it reads or changes. chan_dependence.go says which accesses depend on one another.
// Timers depend on one another by the clock only if an execution looks at it (time_apart.go).
// The values stay in the real channels. If several cases of a select are ready, each of them is
// explored, and each has its own place in the sleep set (chan_sleepset.go).
//
// # Rejected alternatives
//
//   - A bound on preemptions instead of all schedules. It misses bugs that need one preemption
//     more, and is no proof. It exists as an option, for what has too many traces
//     (search_bounded.go), and serves to find a failure with fewer preemptions than the first one
//     found.
//   - Depth-first search through all schedules within that bound, without reduction. Two workers
//     of the runtime make some 300 steps: tens of thousands of schedules with two preemptions,
//     where a few hundred differ. It is what the reduction is tested against (Config.Unreduced).
//   - To tell the search of one subtree about races that another one finds, so that a node above
//     both has only the branches that some race asks for. Subtrees would then depend on one
//     another; as they are, processes that never talk can search them (search_part.go).
//   - Hashing of states. The state of an execution is spread over stacks, closures and the heap,
//     and cannot be compared.
//   - An operating system thread for each thread. A hand-off would cost microseconds instead of
//     30 nanoseconds.
//   - A dispatcher that resumes every thread. Two threads that alternate would pay two coroutine
//     switches per step. Instead, the thread that the dispatcher resumed resumes the others.
//   - The real iter.Pull for coroutines of checked code. A new goroutine for each of them in each
//     execution took six times as long without the race detector, and four times with it.
//   - A queue of waiters for each channel, as in Go's runtime, in all programs. Then every send on
//     an unbuffered channel is ordered with the arrival of its receiver, and k values make 2^k
//     traces instead of one. chan_rendezvous.go has these queues, for programs in which a select
//     meets another one. Where selects are on one side of each channel, what waits on the other
//     side is enough (chan_request.go).
//   - Requests of receivers in all programs, and for all channels where a select sends on one of
//     them. Receivers that wait for a close would be ordered with one another: n! traces for n of
//     them instead of one. Still so are those that wait for a signal where a select sends one.
//   - Queues and requests for those channels only that need them. Which channel of an execution is
//     which one of another is not known before the go statements that lead to it; its type is.
//   - Making a send and a receive dependent when the buffer is empty or full. Whether it is empty
//     depends on the order of other operations, so that executions of one trace would disagree on
//     what happens before what.
//   - Additions that commute when their result is unused. The race detector orders them, so the
//     two runs would explore different schedules.
//   - Snapshots of memory instead of running the prefix again. Go's heap and stacks cannot be
//     restored.
//
// # Tests
//
// The search, with and without a bound, is compared with one without reduction on random programs
// (random_program_test.go, chan_program_test.go, bubble_program_test.go), and with known numbers of
// traces.
package explore
