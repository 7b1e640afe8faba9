// Package park is how one goroutine sleeps until another wakes it: a [Parker] holds at most one
// token, [Parker.Unpark] leaves it, and [Parker.Park] waits for it and takes it.
//
// If Unpark happens before Park, Park returns: the token is remembered, so that looking for
// something to do and going to sleep need not be one atomic step. Several Unparks before one Park
// leave one token.
//
// [pool] is a whole work-stealing pool made of this package, deque, injector and idle, to be
// copied: whoever builds a scheduler begins there.
//
// # Who may call what
//
//	Init                 whoever makes the Parker, before any other call
//	Park, ParkTimeout    one goroutine at a time, the parker
//	Unpark               anyone, the parker included
//
// The role of the parker may pass to another goroutine once the call has returned; no further
// synchronization is needed for that. A second goroutine that goes to sleep beside the first
// panics, and the first goes on.
//
// # Waiting for something to do
//
// The consumer looks, then parks. The producer puts, then unparks. If the consumer looked too early
// to see what was put, the token comes after that look, and Park does not wait:
//
//	func consume() {
//		for {
//			v, ok := queue.take()
//			switch {
//			case ok:
//				handle(v)
//			case queue.closed():
//				return
//			default:
//				p.Park() // a token is a reason to look again, not a promise to find something
//			}
//		}
//	}
//
//	func produce(v int) {
//		queue.put(v) // first make it visible,
//		p.Unpark()   // then wake
//	}
//
// It is the package example, which a test checks. With a timeout in place of Park, a producer that
// forgets Unpark, or calls it before it puts, goes unnoticed: the value is late, and not lost. So
// the timeout is for what the consumer looks after besides, and a check of the loop does without.
//
// # When not to use it
//
//   - Where a channel does: it carries the value, too, and a select waits for several.
//   - For several goroutines that wait for the same thing: each needs a Parker, and somebody has to
//     choose whom to wake. Package idle does that for the workers of a scheduler; else sync.Cond.
//   - For many sleepers on Linux: the default kind holds a thread for each. See below.
//
// # What is promised
//
// An Unpark leaves a token if there is none. Then, for any number of wakers, timeouts and signals
// (theorems park/P1 and P2; that this code does what they are about is R1),
//
//   - each return of Park, and each ParkTimeout that returns true, took exactly one token; no token
//     is taken twice or lost, even if a timeout passes at the same time;
//   - ParkTimeout returns false only after its duration has passed, at an instant without a token;
//   - an Unpark synchronizes before the return of the call that takes its token; if several left
//     one token, each of them does.
//
// # Two ways to sleep
//
// [Futex] (Linux) puts the goroutine's thread to sleep in the kernel. The goroutine starts again 3
// to 35 microseconds after the wake, even if the waker keeps its P; the wake is a system call,
// which costs the waker 5 to 10. A sleeping goroutine holds a thread, and its P until Go's
// scheduler takes that back, some 20 microseconds to 10 milliseconds later. So it suits the few
// workers of a scheduler (at most GOMAXPROCS), which sleep seldom. The runtime counts such
// goroutines as running: it does not report a deadlock of theirs, and [testing/synctest] does not
// see them wait.
//
// [Portable] puts only the goroutine to sleep, on a channel. It suits any number of goroutines, and
// it works under [testing/synctest] if the Parker sleeps in one bubble only; but a goroutine that
// is woken waits until some P looks at it, 70 to 120 microseconds if the waker keeps its own P
// (BenchmarkWakeToRun, 2 processors).
//
// # Zero values, platforms
//
// The zero value of [Parker] is ready and uses the default of the platform: Futex on Linux, else
// Portable. [New] and, for a Parker that is a field of something larger, [Parker.Init] choose. A
// Parker is 24 bytes, and allocates what its kind sleeps by at the first sleep. It is the same on
// 32-bit platforms.
//
// # Source
//
// One token with remembered wakes is that of java.util.concurrent's LockSupport and of Rust's
// thread::park. The three-state word with a futex is close to the latter's; park.go says what
// differs.
//
// [pool]: https://github.com/surewake/surewake/tree/main/examples/pool
package park
