// Package model checks concurrent Go code in every interleaving that matters.
//
// A check is an ordinary test that hands a body to [Check]:
//
//	func TestCounter(t *testing.T) {
//		model.Check(t, func(x *model.Exec) {
//			var n atomic.Int64
//			for range 2 {
//				x.Go("adder", func() { n.Add(1) })
//			}
//			x.Join()
//			x.Assert(n.Load() == 2, "n is %d", n.Load())
//		})
//	}
//
// Under `go test` it is a stress test: the body runs many times on real goroutines. Under
// `surewake check` the same source, rewritten at build time, is explored: of all executions that
// differ only in the order of independent operations one is run, under Go's race detector, and
// plainly where that says more. If none fails, the verdict is a proof for this body. README.md has
// the verdicts, how to choose sizes, and what is not checked.
//
// The body runs once for each execution and must set up all it uses: variables of the test around
// it survive from one execution to the next and make executions depend on one another, which is
// reported as nondeterminism. This does not apply to package variables. Those that a check can
// change are made anew for each execution, by running their initialisers and the init functions
// of their packages before the body, so that a default pool, a cache or a sync.Once is fresh. What
// the test itself changed in them before Check is what each execution begins with. Goroutines
// started in the body belong to it; when it returns they run on, and one that waits forever is a
// failure. Those that the initialisation of a package starts may wait forever.
//
// What is checked in each execution: assertions and panics, data races,
// deadlocks of all or some goroutines, goroutines left waiting, loops without
// progress, recorded histories ([Spec]), and what an observer of each step says
// ([Observe]).
//
// Go statements, sync, sync/atomic, channels, select, iter.Pull, context, io.Pipe, net.Pipe, and
// sleeps and timers on a virtual clock work as they stand. What else waits or runs behind the
// checker's back is refused, with file and line; calls of the standard library that meet state
// which the checker does not see (files, the environment, random numbers, objects with locks of
// their own) are named in the verdict's assumptions: README.md says which.
//
// Time passes in two ways, and a check that sets a timer or sleeps for less than a second is
// explored in both. In the first, as in testing/synctest, a sleep, timer, ticker, deadline or
// timeout ends only when nothing else can run, the one with the first deadline first; so none of
// them hides a lost wakeup, and sleeps of several goroutines overlap. A goroutine that waits for
// something goes on by a function of time.AfterFunc that is still to run, however long that takes;
// when all goroutines have ended, such functions are not awaited. In the second way, goroutines can
// be slow, by less than a second all in all: sleeps, timers, tickers and deadlines of less than a
// second may end as soon as they are set, at most two of them in an execution (if that kept one
// from ending, the verdict is at most bounded); of several with one deadline each may come first,
// however long they are; and time.Now may find, once in an execution, that the clock has moved.
// Longer ones are watchdogs, which come as in the first way; so do timeouts of futex waits. A
// failure that shows only in the second way has the kind timing, and its message says which timer
// or sleep ended before which goroutine that could run. What was not explored, such as a clock that
// moves in a check without short timers, stands in the assumptions. If an execution went on only by
// the timeout of a futex wait, as of a park.Parker, the verdict is at most bounded: it may have
// hidden a lost wakeup, which [NoRescue] finds. The flags -early and
// -time=synctest of the command set the length of a second, and leave out the second way;
// [Timeouts] and [NoRescue] take the place of both.
//
// A *testing.T in the body is that of one execution: Errorf and Error fail the execution at its
// end, Fatal and FailNow at once, with all that was logged; Failed starts false; Cleanup functions
// run when the body has returned, after the context of the test is cancelled; Run starts a subtest
// on a goroutine of the execution. A body that calls Skip or Parallel on it is undecided.
//
// Bubbles of testing/synctest are explored as that package documents them: each has its own clock,
// which moves when all of its goroutines are durably blocked, and nothing in it ends early.
//
// Atomics are sequentially consistent, as Go's are. Printing in a body synchronizes for the race
// detector. The race run of such a check runs each trace in further orders, but printing before
// and after an access in both goroutines can still hide a race.
package model
