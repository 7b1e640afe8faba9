package idle

import (
	"fmt"
	"math/bits"
	"sync/atomic"
)

// The problem
//
// A submitter pushes a task and must know whether a sleeper has to be woken. A worker finds nothing
// and must know whether a task comes just now. Neither can ask the other; each writes something and
// then reads what the other has written.
//
// # The protocol
//
// There is one bit per worker, in words of 64: it is set while the worker is asleep, or about to
// be, and unclaimed. And there is one number, searching: how many workers are awake and look for
// work, or are being woken to do so.
//
//	submitter   1  push the task
//	            2  load searching: if it is above 0, somebody looks and will see the task; done
//	            3  else load the words, claim a worker by clearing its bit
//	            4  count it as searching, and give it its token
//
//	parker      1  set the own bit
//	            2  decrement searching, if it searched
//	            3  recheck all queues: if there is a task, do as a submitter from step 2 on
//	            4  sleep until the token comes
//
// Submitter 1-2 and 1-3 against parker 1-3 and 2-3 are store-buffering pairs: each side writes one
// location and then reads the other's. Sequential consistency forbids that both miss; acquire and
// release would allow it. So are the last two rows:
//
//	one side writes, then reads       the other writes, then reads   therefore
//	push a task;                      words.Or in Publish;           the sleeper is seen, or
//	  words.Load in claim               the caller's recheck           sees the task
//	push a task;                      searching.Add(-1) in Publish   a searcher that was relied
//	  searching.Load in Notify          or Found; the recheck, or      on sees the task, or
//	                                    the Notify in Found            wakes one that will
//	closed.Store in Close;            words.Or in Publish;           Close claims the sleeper,
//	  words.Load there                  closed.Load there              or it does not sleep
//	register a deadline, say;         words.Or in Publish;           the one worker meant is
//	  words.And in Claim                the caller's recheck           claimed, or sees it
//
// The push is the access that makes the task takeable, and the recheck reads that same location;
// both must be atomic, or under one lock. All other accesses rely on the order of one location
// only: And and Or on one word, Add on searching.
//
// Publish sets the bit before it decrements searching. The recheck comes after both, so either
// order would do; this one lets a notifier that sees no searcher find the sleeper more often.
//
// # The life of a worker
//
//	running ------- Search -------> searching          counted in searching from here on
//	searching ----- Found --------> running            searching - 1; the last one notifies
//	running or
//	searching ----- Publish ------> parked             bit set; a searcher: searching - 1; recheck
//	parked -------- Woke(true) ---> searching          counted already, by the notifier
//	parked -------- Woke(false) --> running            if it cleared the bit itself
//	                           `--> parked             if not: a token is on its way
//
// Whoever clears a bit owns the wake-up of that worker; the result of the atomic And says who that
// is. The sleeper competes in the same way when it times out, and Close when it wakes everybody. So
// a worker that sleeps has at every instant exactly one of: its bit, a claim that somebody has yet
// to complete, a token.
//
// The claimer counts the worker after it has won the bit and before it gives the token. A worker
// that finds its bit gone does nothing until it has the token, so it never takes itself off a count
// that it is not yet on.
//
// The last searcher must notify. A push that sees a searcher leaves its task to it, but the
// searcher may find another task; if it is the last one, it wakes a successor, which finds the
// first task or wakes one in turn.
//
// # Rejected alternatives
//
//   - Let only searchers recheck, or only the last one. A worker that gave up without having
//     searched, because of the cap, sets its bit just after a push has looked for one, and nobody
//     looks again (idle/I1).
//   - On a timeout, look whether the bit is there and then clear it. A claim fits between; both
//     sides account for one wake-up, and searching stays one too high for good: no push wakes
//     anybody again (idle/I2).
//   - Let a worker whose bit is gone go on at once; the token would be there next time. It may take
//     itself off the count before its claimer has put it on: below zero, or a moment at zero that
//     sends a needless or omits a needed notification (idle/I3).
//   - Raise searching from 0 to 1 first, then look for a bit, and lower it again if there is none,
//     as the Go scheduler does with its spinning threads. It saves wakes when several submitters
//     notify at once. But whoever saw the 1 meanwhile left its task to a searcher that never was;
//     the notifier would have to look at all queues after lowering it, and it does not know them
//     (idle/I4). Here several notifiers at once may wake several workers, at most one each.
//   - One word, and workers beyond 64 without a bit (idle/I5).
//   - A summary word, one bit for each word that is not zero, or the number of parked workers
//     beside the words. What can be computed from the bits may disagree with them when it is kept;
//     a notifier that believes it and leaves strands a task (idle/I7). For 1000 workers the scan is
//     16 loads from one pair of cache lines, and only while nobody searches.
//   - A hard cap on searchers. Claims would have to fail because of it, after the bit is cleared
//     (idle/I8).
//   - A list or stack of sleepers under a lock, as in Tokio. It would give the worker that slept
//     shortest; the lock would be taken at each park and each wake. The lowest number does as well:
//     the high ones stay asleep as long as the low ones suffice.
//   - Close claims until nobody is asleep. A worker that it has woken publishes itself again before
//     it learns that it must end, and may be claimed in that instant, any number of times.
//   - A permit: a value that Search and Woke return, that a steal requires, and that Found takes
//     back. Nothing in Go keeps a copy of it from being used after Found; and what has to require
//     it is the steal, in a package that does not know this one. Where all of a worker's steals are
//     in one function with one caller, as in the example pool, a type adds no more than that
//     function's name does. The mutant steal-without-search of the pool shows that its checks
//     notice (rule 6).
//   - Wake-ups for Close by a flag that sleepers look at, beside the claims. A worker could then
//     have two tokens.
//
// # The argument: many words are as good as one
//
// A notifier reads the words one after the other, and a worker may set its bit in a word that it
// has passed. A notifier that has passed k words *covers* the sleepers if none of those that have
// rechecked has its bit in these k. At every instant, if a task is queued and a sleeper has
// rechecked, then some worker searches, or is between Publish and its recheck, or is claimed or has
// a token, or some notifier covers the sleepers:
//
//   - a push, and a recheck that finds something, each start a notifier, which has passed nothing
//     and covers everybody;
//   - a recheck that finds nothing happens when no task is queued;
//   - a notifier passes a word only when it has read it as zero, so it still covers whom it
//     covered;
//   - one that has passed all words covers nobody, so it can leave: if it still covered the
//     sleepers, there are none;
//   - one that leaves because searching was above zero leaves behind a searcher, a claim or a
//     token;
//   - a searcher stops being one in Found, where it notifies unless there is another, or in
//     Publish, after which it rechecks;
//   - a timeout or a claim makes sleepers fewer, and a claim gives a token.
//
// This is the invariant "wakes" of the proof in proofs/coq/Idle.v, for any number of workers,
// words, notifiers and tasks (idle/I5).
//
// # What is proved
//
// Each line is a theorem of package proofs, most of them for any number of workers and tasks.
//
//	idle/I1              no lost wakeup
//	idle/I2, idle/I11    a parked worker has one wake-up; a timeout does not eat it
//	idle/I3, idle/I7     searching is exact, so never negative
//	idle/I8              and at most twice the number of workers
//	idle/I4, idle/I5     while a task is queued and a worker sleeps, somebody is under way
//	idle/I6              every run ends with all tasks taken, if nobody times out
//	idle/I15             while a task is queued, one is taken in the end, whatever times out
//	idle/I9, idle/I10    after Close nobody sleeps on
//	idle/I12             a searcher that leaves with nothing leaves no task to sleepers alone
//	idle/I13             Claim reaches its worker, or the worker knows
//	idle/X1, idle/X2     the same in every state, within bounds
//	idle/S1, idle/S2     tasks are done while other workers are stuck, and in every fair run, in a
//	                     second model
//	idle/S3              the pairs above need sequential consistency
//	idle/I14, idle/R4    each access of this code is a step of the table, by one goroutine among
//	                     any number of others that keep to it
//	idle/R1, idle/R2     this code, in the loop of the documentation, does step by step what the
//	                     proofs are about
//	idle/R3              so does the pool that the documentation shows

const (
	wordBits = 64
	none     = -1 // no worker

	// far below what would overflow searching, which is at most twice the number of workers
	maxWorkers = 1 << 16
)

// A Coordinator knows which of a fixed number of workers are asleep and how many search. [New]
// makes one; a Coordinator must not be copied.
type Coordinator struct {
	// The fields lie in groups of 128 bytes (two cache lines, since processors fetch neighbours in
	// pairs), by how often they are written: once, and whenever a worker starts or stops searching.
	// The words, written at each park, are elsewhere.

	// words holds the bit of worker i in words[i/64], at position i%64; the bits beyond the last
	// worker stay zero. Its worker sets a bit, in Publish; whoever claims the worker clears it, the
	// worker itself included, see take. The number of parked workers is the number of bits and is
	// kept nowhere.
	words []atomic.Uint64
	// workers never changes; the elements belong to one goroutine each.
	workers []Worker
	// limit never changes: Search is refused when so many search, half the workers rounded up.
	limit int32
	// closed is stored by Close, before its claims, and never taken back; loaded by Publish, after
	// the bit is set.
	closed atomic.Bool
	_      [72]byte

	// searching is the number of workers that search, from the Search or the claim that made them
	// searchers to the Found or Publish in which they cease to be. Everybody loads it; it goes up
	// in Search (by compare-and-swap, below limit) and after a claim, down in Found and Publish. It
	// is never below 0, and at most twice the number of workers, see Search.
	searching atomic.Int32
	_         [124]byte
}

// New returns a Coordinator for workers 0 to workers-1, all of them running. It panics unless
// workers is between 1 and 65,536.
func New(workers int) *Coordinator {
	if workers < 1 || workers > maxWorkers {
		panic(fmt.Sprintf("idle: %d workers; the number must be between 1 and %d", workers,
			maxWorkers))
	}
	words := (workers + wordBits - 1) / wordBits
	c := &Coordinator{
		// The capacity is a multiple of 128 bytes: nothing else lies on the words' cache lines.
		words:   make([]atomic.Uint64, words, (words+15)&^15),
		workers: make([]Worker, workers),
		limit:   int32((workers + 1) / 2),
	}
	for i := range c.workers {
		w := &c.workers[i]
		w.c, w.id = c, int32(i)
		w.word, w.bit = &c.words[i/wordBits], 1<<(i%wordBits)
	}
	return c
}

// Workers returns the number of workers, which New was given. Anyone may call it.
func (c *Coordinator) Workers() int { return len(c.workers) }

// Searching returns how many workers search or are being woken to do so, at one instant within the
// call. Anyone may call it; it is meant for statistics.
func (c *Coordinator) Searching() int { return int(c.searching.Load()) }

// Parked returns how many workers are asleep and unclaimed. Anyone may call it; it is meant for
// statistics. It reads word by word: with more than 64 workers the sum need not be the number at
// any one instant.
func (c *Coordinator) Parked() int {
	n := 0
	for i := range c.words {
		n += bits.OnesCount64(c.words[i].Load())
	}
	return n
}

// IsParked reports whether a worker is asleep and unclaimed. Anyone may call it; it is meant for
// statistics. It panics unless worker is from 0 to Workers()-1.
func (c *Coordinator) IsParked(worker int) bool {
	w := &c.workers[worker]
	return w.word.Load()&w.bit != 0
}

// Notify says whom to wake for a task. Whoever has made a task takeable by others calls it
// afterwards (rule 1). If a worker must be woken, Notify claims the one with the lowest number and
// returns it and true: the caller must give it its token (rule 5). Otherwise it returns -1 and
// false.
//
// Anyone may call it, a worker also between Publish and its sleep; it may then get its own number.
// While a worker searches, Notify is one atomic load.
func (c *Coordinator) Notify() (worker int, ok bool) {
	worker = none
	// Submitter 2; partner: searching.Add(-1) in Publish and Found. A searcher that is counted here
	// has yet to do that, and looks at the queues or notifies afterwards.
	if c.searching.Load() == 0 {
		worker = c.claim()
	}
	return worker, worker >= 0
}

// Claim claims one worker if it is asleep. If it returns true the caller must give the worker its
// token (rule 5). It is for what concerns one worker only, such as a deadline that the worker waits
// for. If it returns false, the worker is awake or about to wake, and sees what the caller has
// published before the call in its next recheck at the latest. Anyone may call it. It panics if
// there is no such worker.
func (c *Coordinator) Claim(worker int) bool {
	if worker < 0 || worker >= len(c.workers) {
		panic(fmt.Sprintf("idle: Claim of worker %d; there are workers 0 to %d",
			worker, len(c.workers)-1))
	}
	w := &c.workers[worker]
	// Partner: words.Or in Publish. An Or that comes later is followed by the recheck.
	if !c.take(w.word, w.bit) {
		return false
	}
	c.count()
	return true
}

// Close ends all sleep: it claims every worker that is asleep and calls unpark for each, to give it
// its token, and every later [Worker.Publish] returns [Closed] or [AwaitToken]. A worker that it
// has woken is a searcher and takes what is left; so Close comes after the last put from outside
// (rule 8).
//
// Anyone may call Close, more than once, and again after a panic in unpark, by which only the
// worker in question misses its token.
func (c *Coordinator) Close(unpark func(worker int)) {
	// Partner: words.Or in Publish. A bit that the loads below miss was set after this store, and
	// its worker loads closed next.
	c.closed.Store(true)
	for i := range c.words {
		word := &c.words[i]
		// Each word once, and each bit once: a worker that was woken publishes itself again, to
		// learn that it must end, and a loop that ends when no bit is set could claim it each time.
		for b := word.Load(); b != 0; b &= b - 1 {
			if lowest := b & -b; c.take(word, lowest) {
				c.count()
				unpark(i*wordBits + bits.TrailingZeros64(lowest))
			}
		}
	}
}

// claim takes the lowest bit that is set and returns its worker, or none. The caller must give the
// worker its token.
func (c *Coordinator) claim() (worker int) {
	for i := range c.words {
		word := &c.words[i]
		// Submitter 3; partner: words.Or in Publish. A bit that this load misses is set later, and
		// its worker rechecks after that.
		for b := word.Load(); b != 0; b = word.Load() {
			// If take fails, look at this word again and not elsewhere: whoever took the bit may be
			// a worker that timed out, which takes one task and wakes nobody.
			if lowest := b & -b; c.take(word, lowest) {
				c.count()
				return i*wordBits + bits.TrailingZeros64(lowest)
			}
		}
	}
	return none
}

// take clears a bit, and reports whether the caller did it. The order of And and Or on one word
// decides: the one who took the bit accounts for this wake-up. It is And and not a compare-and-swap
// of the word, which would fail when other workers come and go.
func (c *Coordinator) take(word *atomic.Uint64, bit uint64) bool {
	return word.And(^bit)&bit != 0
}

// count makes the worker that the caller has just claimed a searcher: after the claim, so that
// there is nothing to undo when a claim fails, and before the token, so that the worker is on the
// count when it takes itself off.
func (c *Coordinator) count() { c.searching.Add(1) }

// uncount takes a searcher off the count, and reports whether it was the last.
func (c *Coordinator) uncount(w *Worker, in string) (last bool) {
	n := c.searching.Add(-1)
	if n < 0 {
		panic(fmt.Sprintf("idle: %s by worker %d left %d searchers; "+
			"is a Worker used by two goroutines, or was a token given without a claim (rule 5)?",
			in, w.id, n))
	}
	return n == 0
}
