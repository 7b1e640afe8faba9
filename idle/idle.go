package idle

import (
	"fmt"
	"math/bits"
	"sync/atomic"
)

// How it works
//
// There is one bit a worker, in words of 64: set while the worker is asleep, or about to be, and nobody has claimed it.
// And there is one number, searching: how many workers are awake and look for work, or are being woken to do so.
//
//	worker  running ------- Search -------> searching          searching counts it from here on
//	        searching ----- Found --------> running            searching - 1; was it the last: notify
//	        running or
//	        searching ----- Publish ------> parked             bit set; if it was a searcher: searching - 1; recheck
//	        parked -------- Woke(true) ---> searching          counted already, by the notifier
//	        parked -------- Woke(false) --> running            if it was the one who cleared the bit
//	                                   `--> parked             if not: a token is on its way
//
//	notify  searching > 0: somebody looks already and will see the task; done
//	        else look for a set bit, word by word; clear it; searching + 1; the worker is the caller's, who gives it its token
//
// Whoever clears a bit owns the wake-up of that worker; the result of the atomic And says who that is. The sleeper
// itself competes in the same way when it times out, and Close when it wakes everybody. So a worker that sleeps has at every
// instant exactly one of: its bit, a claim in somebody's hands, a token.
//
// The counting follows from it: the claimer counts the worker after it has won the bit and before it gives the token. A worker
// that finds its bit gone does nothing before it has the token, so it never takes itself off a count that it is not yet on.
//
// The last searcher must notify: a push that sees a searcher leaves its task to it. The searcher may find another task, though;
// if it is the last one it wakes a successor, who finds the first task or wakes one in turn.
//
// Which memory accesses rely on which
//
// Go's atomics are sequentially consistent, and this package needs them to be: each row is a store-buffering pair, in which two
// sides write one location and then read the other's, and cannot both miss each other. Acquire and release would let them.
//
//	one side writes, then reads                  the other writes, then reads                    so
//	push a task; words.Load in claim             words.Or in Publish; the caller's recheck       the sleeper is seen, or sees the task
//	push a task; searching.Load in Notify        searching.Add(-1) in Publish; the recheck       a searcher that was relied on sees the
//	                                               or in Found; the Notify there                   task, or wakes one who will
//	closed.Store in Close; words.Load there      words.Or in Publish; closed.Load there          Close claims the sleeper, or it does
//	                                                                                               not sleep
//	register a deadline, or the like;            words.Or in Publish; the caller's recheck       the one worker meant is claimed, or
//	  words.And in Claim                                                                           sees the deadline
//
// The task counts as pushed at the access that makes it takeable, and the recheck reads that same location; both must be
// atomic, or under one lock. Of the other accesses only order in one location is used: And and Or on one word, Add on
// searching.
//
// In Publish the bit is set before the count goes down. Either order would do, since the recheck comes after both. This one
// lets a notifier that sees no searcher find the sleeper more often.
//
// Why many words are as good as one
//
// A notifier reads the words one after the other, and a worker may set its bit in a word that has been passed. Let a notifier
// that has passed k words *cover* the sleepers if none of those that have rechecked has its bit in these k. Then the
// following is true at every instant: if a task is queued and there is a sleeper that has rechecked, then some worker
// searches, or is between Publish and its recheck, or is claimed or has a token, or some notifier covers the sleepers. For
//
//   - a push and a recheck that finds something each start a notifier, which has passed nothing and covers everybody;
//   - a recheck that finds nothing happens when no task is queued;
//   - a notifier passes a word only when it has read it as zero, so it covers after it whom it covered before;
//   - one that has passed all words covers nobody, so it can leave: if it still covered the sleepers, there are none;
//   - one that leaves because searching was above zero leaves behind a searcher, a claim or a token;
//   - a searcher stops being one in Found, where it notifies unless there is another, or in Publish, where it rechecks;
//   - a timeout or a claim makes sleepers fewer, and a claim gives a token.
//
// This is the invariant "wakes" of the proof in proofs/coq/Idle.v, for any number of workers, words, notifiers and tasks (idle/I5).
//
// What is proved
//
// Each line is a theorem of package proofs, most of them for any number of workers and tasks.
//
//	idle/I1              no lost wakeup
//	idle/I2, idle/I11    a parked worker has one wake-up; a timeout does not eat it
//	idle/I3, idle/I7     searching is exact, so never negative
//	idle/I8              and at most twice the number of workers
//	idle/I4, idle/I5     while a task is queued and a worker sleeps, somebody is under way
//	idle/I6              every run ends with all tasks taken, if nobody times out
//	idle/I9, idle/I10    after Close nobody sleeps on
//	idle/I12             a searcher that leaves with nothing leaves no task to sleepers alone
//	idle/I13             Claim reaches its worker, or the worker knows
//	idle/X1, idle/X2     the same in every state, within bounds
//	idle/S1, idle/S2     tasks are done while other workers are stuck, and in every fair run, in a second model
//	idle/S3              the pairs above need sequential consistency
//	idle/R1, idle/R2     this code, in the loop of the documentation, does step by step what the proofs are about
//
// What was not done
//
//   - Let only searchers recheck, or only the last one. A worker that gave up without having searched, because of the cap, sets
//     its bit just after a push has looked for one, and both are content (idle/I1).
//   - On a timeout, look whether the bit is there and then clear it. A claim fits between; both sides do the accounting of one
//     wake-up, and searching stays one too high for ever: no push wakes anybody again (idle/I2).
//   - Let a worker whose bit is gone go on at once; the token would be there next time. It may take itself off the count
//     before its claimer has put it on: below zero, or a moment at zero that sends a needless or omits a needed notification
//     (idle/I3).
//   - Raise searching from 0 to 1 first, then look for a bit, and lower it again if there is none, as the Go scheduler does
//     with its spinning threads. It thins out notifiers that would each wake somebody. But whoever saw the 1 meanwhile left
//     its task to a searcher that never was; the notifier would have to look at all queues after lowering it, and it does not
//     know them (idle/I4). Here several notifiers at once may wake several workers, one each, never more than there are
//     notifiers.
//   - One word, and workers beyond 64 without a bit (idle/I5).
//   - A word of summary, one bit for each word that is not zero, or the number of parked workers beside the words. What can be
//     computed from the bits need not agree with them when it is kept; a notifier that believes it and leaves strands a task
//     (idle/I7). For 1000 workers the scan is 16 loads from one pair of cache lines, and only where nobody searches.
//   - A hard cap on searchers. Claims would have to fail because of it, after the bit is cleared (idle/I8).
//   - A list or stack of sleepers under a lock, as Tokio has it. It would give the worker that slept shortest; the lock would
//     be taken at each park and each wake. The lowest number is as good: the high ones stay asleep as long as the low ones
//     suffice.
//   - Close claims until nobody is asleep. A worker that it has woken publishes itself again before it learns that it must
//     end, and may be claimed in that instant, any number of times.
//   - Wake-ups for Close by a flag that sleepers look at, beside the claims. A worker could then have two tokens.

const (
	wordBits = 64
	none     = -1 // no worker

	maxWorkers = 1 << 16 // far below what would overflow searching, which is at most twice the number of workers
)

// A Coordinator knows which of a fixed number of workers are asleep and how many search. Use [New]; a Coordinator must not
// be copied.
type Coordinator struct {
	// The fields lie in groups of 128 bytes (two cache lines, since processors fetch neighbours in pairs), by how often they
	// are written: once, and at each turn of a searcher. The words, written at each park, are elsewhere.

	// words holds the bit of worker i in words[i/64], at position i%64; the bits beyond the last worker stay zero. A bit is set by
	// its worker, in Publish, and cleared by whoever claims the worker, the worker itself included, see take. The number of parked
	// workers is the number of bits and is kept nowhere.
	words []atomic.Uint64
	// workers never changes; the elements belong to one goroutine each.
	workers []Worker
	// limit never changes: Search is refused when so many search, half the workers and at least one.
	limit int32
	// closed is stored by Close, before its claims, and never taken back; loaded by Publish, after the bit is set.
	closed atomic.Bool
	_      [72]byte

	// searching is the number of workers that search, between the Search or the claim that made them searchers and the Found
	// or Publish in which they cease to be. Loaded by everybody; up in Search (by compare-and-swap, below limit) and after a
	// claim, down in Found and Publish. Never below 0; at most twice the number of workers, see Search.
	searching atomic.Int32
	_         [124]byte
}

// New returns a Coordinator for workers 0 to workers-1, all of them running. It panics unless workers is between
// 1 and 65,536.
func New(workers int) *Coordinator {
	if workers < 1 || workers > maxWorkers {
		panic(fmt.Sprintf("idle: %d workers; the number must be between 1 and %d", workers, maxWorkers))
	}
	words := (workers + wordBits - 1) / wordBits
	c := &Coordinator{
		// The capacity is a multiple of 128 bytes, so that nothing else lies on the words' cache lines.
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

// Workers returns the number of workers. Anyone may call it.
func (c *Coordinator) Workers() int { return len(c.workers) }

// Searching returns how many workers search or are being woken to do so, as a snapshot. Anyone may call it.
func (c *Coordinator) Searching() int { return int(c.searching.Load()) }

// Parked returns how many workers are asleep and unclaimed, word by word, as a snapshot: with more than 64 workers it need not
// be the number at any one instant. Anyone may call it.
func (c *Coordinator) Parked() int {
	n := 0
	for i := range c.words {
		n += bits.OnesCount64(c.words[i].Load())
	}
	return n
}

// Notify is called by whoever has made a task takeable by others. If a worker must be woken for it, Notify claims the one with
// the lowest number and returns it: the caller must give it its token (rule 5). Otherwise ok is false, and worker is -1.
// Anyone may call it, a worker also between Publish and its sleep; it may then get its own number.
//
// While a worker searches, Notify is one atomic load.
func (c *Coordinator) Notify() (worker int, ok bool) {
	// Pairs with searching.Add(-1) in Publish and Found: a searcher counted here has yet to do that, and looks at the queues
	// or notifies afterwards.
	worker = none
	if c.searching.Load() == 0 {
		worker = c.claim()
	}
	return worker, worker >= 0
}

// Claim claims this one worker if it is asleep; on true the caller must give it its token (rule 5). It is for what concerns
// one worker, such as a deadline that the worker waits for. If it is false, the worker is awake or about to wake, and will look
// after what the caller has published before, in its next recheck at the latest. Anyone may call it.
func (c *Coordinator) Claim(worker int) bool {
	if worker < 0 || worker >= len(c.workers) {
		panic(fmt.Sprintf("idle: Claim of worker %d; there are workers 0 to %d", worker, len(c.workers)-1))
	}
	w := &c.workers[worker]
	if !c.take(w.word, w.bit) {
		return false
	}
	c.count()
	return true
}

// Close ends all sleep. It claims whoever is asleep and calls unpark for each, to give it its token; and every later
// [Worker.Publish] returns [Closed] or [AwaitToken]. A worker is a searcher when it has been woken, and takes what is left;
// so Close comes after the last push. Anyone may call Close, and again; after a panic in unpark, too, in which only the
// worker in question misses its token.
func (c *Coordinator) Close(unpark func(worker int)) {
	// Pairs with words.Or in Publish: a bit that the loads below miss was set after this, and its worker looks at closed next.
	c.closed.Store(true)
	for i := range c.words {
		word := &c.words[i]
		// Once round, and each bit once. A worker that was woken publishes itself again, to learn that it must end; who claims until no
		// bit is set may claim it in that instant, each time.
		for b := word.Load(); b != 0; b &= b - 1 {
			if lowest := b & -b; c.take(word, lowest) {
				c.count()
				unpark(i*wordBits + bits.TrailingZeros64(lowest))
			}
		}
	}
}

// claim takes the lowest bit that is set and returns its worker, or none. The caller owes the worker its token.
func (c *Coordinator) claim() (worker int) {
	for i := range c.words {
		word := &c.words[i]
		// Pairs with words.Or in Publish: a bit that this load misses was set after it, and its worker rechecks after that.
		for b := word.Load(); b != 0; b = word.Load() {
			// If somebody else is faster, look again and not elsewhere: it may have been a worker that timed out, which
			// takes one task and wakes nobody.
			if lowest := b & -b; c.take(word, lowest) {
				c.count()
				return i*wordBits + bits.TrailingZeros64(lowest)
			}
		}
	}
	return none
}

// take clears a bit, and says whether it was the caller who did. The order of And and Or on one word decides: whoever takes
// the bit alone does the accounting of this wake-up. It is And and not a compare-and-swap of the word, which would fail when
// other workers come and go.
func (c *Coordinator) take(word *atomic.Uint64, bit uint64) bool {
	return word.And(^bit)&bit != 0
}

// count makes the worker that the caller has just claimed a searcher: after the claim, so that there is nothing to undo when
// the claim fails, and before the token, so that the worker is on the count when it comes off it.
func (c *Coordinator) count() { c.searching.Add(1) }

// uncount takes a searcher off the count, and says whether it was the last.
func (c *Coordinator) uncount(w *Worker, in string) (last bool) {
	n := c.searching.Add(-1)
	if n < 0 {
		panic(fmt.Sprintf("idle: %s by worker %d left %d searchers; is a Worker used by two goroutines, "+
			"or was a token given without a claim (rule 5)?", in, w.id, n))
	}
	return n == 0
}
