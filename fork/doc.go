// Package fork is the fork stack: fork-join within one strand of calls, at little more than the
// price of the calls. A function forks a call, does something else, and joins it; until then others
// may steal it. Nearly all forks are never stolen, and those cost two plain stores, two loads of
// memory at hand and three branches.
//
//	func fib(w *worker, n int) int {
//		if n < 2 {
//			return n
//		}
//		f := fork.Fork(&w.Stack, fib, n-1)
//		b := fib(w, n-2)
//		return f.Join(w) + b
//	}
//
// # Who may call what
//
//	the owner            a worker's goroutine, while it runs calls: Fork, Both; For, Range,
//	                     Reduce, Map, ForEach; Join, Mine and Result of a Frame; Poll, Share,
//	                     Abandon, Trim and Len of its Stack
//	whoever makes it     Stack.Init, Stack.CheckJoins
//	anyone               Stack.Claim, Stack.Ask, Stack.Asked
//	whoever has claimed  Claim.Depth and Claim.Func; then Claim.Run, once
//	a Host, in Await     Claim.Ended, Claim.Wait, Claim.By
//
// A fork is joined by the function that made it, and the youngest one first. A Frame is not used
// after its join: the next fork at that depth uses it again.
//
// # When not to use it
//
// Forks are calls: a forked function runs to its end on one goroutine, and while it waits for
// something else than a fork, nothing of its stack moves. Tasks that wait for channels, locks or
// time, and tasks that outlive the function that started them, belong into package runtime, or into
// the queues of package deque. Where a leaf takes a millisecond, goroutines and a WaitGroup do as
// well.
//
// # What is promised
//
// For any number of thieves, forks, joins and panics (theorems of package proofs):
//
//   - Each fork that is joined runs exactly once: in the join, or by the one who has claimed it.
//     One that is abandoned runs at most once (fork/K1).
//   - Between two operations of the owner, all forks but the youngest [Private] are claimed, or can
//     be claimed by one compare-and-swap (fork/K4).
//   - After a thief has asked, the first fork, join or poll of the owner makes at least the older
//     half of the private forks public, if there are any (fork/K5).
//
// What can hide from thieves, then, is at most [Private] forks, for as long as the owner does none
// of the three: a long leaf. [Stack.Share] before it, or [Stack.Poll] in it, ends that.
//
// # Loops
//
// [For], [Range] and [Reduce] run loops. They fork nothing until a thief asks, and then the upper
// half of what is left, so there is no grain to choose:
//
//	fork.Range(w, 0, len(out), func(_ *worker, lo, hi int) {
//		for i := lo; i < hi; i++ {
//			out[i] = math.Sqrt(in[i])
//		}
//	})
//
// A rest that will be over in 4 microseconds is not split. For looks for thieves after each
// iteration. Range and Reduce, for short ones, hand out blocks;
// what can hide meanwhile is what is left of the loop, for as long as a block lasts: some
// microseconds, unless iterations become much longer all at once. [Map] is Range over a slice,
// [RangeUntil] a Range that can end early, as [ForUntil] is a For, and so on.
//
// [ForEach] is for what cannot be halved, an iterator. Its values are drawn by one worker, which
// leaves the call for a value to a thief that has asked. A function that divides its own work looks
// at [Stack.Asked].
//
// # A pool
//
// The package does not know how workers look for forks, sleep and wake. That is the [Host]'s. This
// one is that of the pool in the package example, in which nobody sleeps while a fork is public:
// whoever makes forks public wakes a sleeper, and whoever is about to sleep says so before it looks
// for the last time. A sleeper has a token of its own, since it may wait for it with a fork in its
// hands. The pool is checked with every interleaving of two workers, and with three.
//
//	func (w *worker) sleep() *fork.Claim[*worker] {
//		p := w.pool
//		p.lock.Lock()
//		p.sleepers = append(p.sleepers, w)
//		p.lock.Unlock()
//		c := w.steal() // after it has said so: it has asked everyone, or somebody sees it sleep
//		if c == nil && !p.closed.Load() {
//			w.Trim()
//			<-w.wake
//			return nil
//		}
//		p.lock.Lock()
//		i := slices.Index(p.sleepers, w)
//		if i >= 0 {
//			p.sleepers = slices.Delete(p.sleepers, i, i+1)
//		}
//		p.lock.Unlock()
//		if i < 0 {
//			<-w.wake // somebody has woken it
//		}
//		return c
//	}
//
//	// unpark wakes a worker that sleeps, if there is one.
//	func (p *pool) unpark() {
//		p.lock.Lock()
//		defer p.lock.Unlock()
//		if last := len(p.sleepers) - 1; last >= 0 {
//			p.sleepers[last].wake <- struct{}{}
//			p.sleepers = p.sleepers[:last]
//		}
//	}
//
//	func (w *worker) Exposed() { w.pool.unpark() }
//
//	func (w *worker) Await(c *fork.Claim[*worker]) {
//		if thief := c.By(); thief != nil {
//			for loot := thief.Claim(true); loot != nil; loot = thief.Claim(true) {
//				loot.Run(w, &w.Stack)
//			}
//		}
//		if c.Wait() {
//			<-w.ended
//		}
//	}
//
//	func (w *worker) Ended(_ *fork.Claim[*worker], _ *worker) { w.ended <- struct{}{} }
//
// A Host owes:
//
//  1. A worker that is about to sleep says so, and then claims from all with ask, before it sleeps;
//     Exposed wakes one of those that have said so.
//  2. What was claimed is run, by Run, with the Stack of the goroutine that runs it.
//  3. Await returns when the claim has ended, and runs nothing meanwhile but what its thief has
//     forked: anything else may last longer than what the owner waits for.
//  4. Whoever lets a function fork on a Stack calls Abandon(0) when the function has returned or
//     panicked.
//  5. [runtime.Goexit] in a claimed call ends the goroutine of the thief: the pool starts another,
//     by a deferred function of that goroutine.
//
// [pool] shows how workers sleep that also run tasks, with deque, injector, idle and park. The Host
// of package runtime suspends the owner in Await, and so forked functions there may wait.
//
// # Panics
//
// A panic of a claimed call is kept, and raised in its join, with the same value; so it does not
// depend on who has made the call. Between a fork and its join, a panic of the owner leaves the
// fork on its Stack. The next join of an older fork abandons it, as does the end of a claimed call,
// and Abandon: it is not run any more, or waited for if a thief has begun it. No fork needs a
// defer. [Both] and the loops do so before they panic.
//
// # Memory
//
// A Fork synchronizes before its function begins, and the end of the function before the return of
// its join, whoever makes the call. Claim and the exposing of forks are sequentially consistent
// with other atomics: of an owner that makes forks public and then looks for sleepers, and a worker
// that says that it sleeps and then claims with ask, at least one sees the other.
//
// # Costs, zero values, platforms
//
// Nothing is allocated in the steady state: each depth keeps the frame of the call that was forked
// there last, until Trim. A steal costs the owner and the thief some 300 ns each. [Both] takes
// closures: the one that may be stolen is an allocation. The zero Stack panics in Fork; Init makes
// it ready. At most 1<<30 forks can be unjoined. It is the same on 32-bit platforms, where the
// atomics of 64 bits cost more.
//
// # Source
//
// Lazy task creation (Mohr, Kranz, Halstead, 1990) leaves the call to its parent unless somebody
// steals it. The split of a deque in a private and a public part is that of van Dijk and van de Pol
// (Lace, 2014), the request of a thief by a bit that the owner looks at that of Acar, Charguéraud
// and Rainey (2013), waiting by helping the thief that of Wagner and Calder (Leapfrogging, 1993),
// loops that are split when they are asked that of Tzannes, Caragea, Barua and Vishkin (Lazy binary
// splitting, 2010).
// That the bit lies in the word of the positions, implies that nothing is public, and so lets the
// owner publish by a store, is this package's own.
//
// [pool]: https://github.com/surewake/surewake/tree/main/examples/pool
package fork
