package idle

import (
	"fmt"
	"sync/atomic"
)

// An Outcome says what a worker must do now.
type Outcome uint8

const (
	// Recheck: the worker is published. It looks at every queue again and calls
	// [Coordinator.Notify] if there is anything that it could take; then it sleeps, with or without
	// a timeout, and calls [Worker.Woke]. From Publish.
	Recheck Outcome = iota + 1
	// AwaitToken: the worker has been claimed and its token is on its way. It does nothing but
	// sleep, without a timeout, until it has the token, and then calls Woke(true). From Publish and
	// Woke.
	AwaitToken
	// Searching: the worker has its token and is a searcher. It looks for work everywhere, and
	// calls [Worker.Found] or [Worker.Publish]. From Woke.
	Searching
	// Running: the worker has woken by itself, and is no searcher. From Woke.
	Running
	// Closed: there is no sleep any more, and the worker is not a searcher. It looks at every queue
	// again, and ends if there is nothing that it could take. From Publish.
	Closed
)

// String returns the name of the outcome: "Recheck", "AwaitToken", and so on.
func (o Outcome) String() string {
	switch o {
	case Recheck:
		return "Recheck"
	case AwaitToken:
		return "AwaitToken"
	case Searching:
		return "Searching"
	case Running:
		return "Running"
	case Closed:
		return "Closed"
	}
	return fmt.Sprintf("Outcome(%d)", uint8(o))
}

// A Worker is the side of the Coordinator that one worker uses; [Coordinator.Worker] returns it. It
// belongs to one goroutine at a time, and may pass to another if the two synchronize. Two owners at
// a time are a data race, which the race detector reports.
type Worker struct {
	// c, word, bit and id never change. Notifiers read word and bit too, in Claim.
	c    *Coordinator
	word *atomic.Uint64 // where the worker's bit is
	bit  uint64
	id   int32
	// state is the owner's alone.
	state state
	_     [99]byte // 128 bytes, so that workers do not slow down one another
}

// state is what the worker itself knows of its life.
type state uint8

const (
	running   state = iota // not on the count, bit not set
	searching              // on the count (possibly since the claim), bit not set
	parked                 // off the count; has exactly one of: its bit, a claim, a token
)

// Worker returns the side of worker i, the same at each call. Anyone may call it. It panics unless
// i is from 0 to Workers()-1.
func (c *Coordinator) Worker(i int) *Worker {
	if i < 0 || i >= len(c.workers) {
		panic(fmt.Sprintf("idle: Worker(%d); there are workers 0 to %d", i, len(c.workers)-1))
	}
	return &c.workers[i]
}

// ID returns the worker's number. Anyone may call it.
func (w *Worker) ID() int { return int(w.id) }

// Search asks to become a searcher: to look for work where that costs others something, in their
// queues. It returns false if half of the workers search already; the worker should go to sleep
// instead. A worker that is a searcher remains one. Only the owner may call it; it panics while the
// worker is parked.
//
// The cap is a hint: no Search raises the number of searchers above half the workers, rounded up,
// but claims come on top and are never refused. One worker counts twice at most: it has published
// itself as a searcher, and is claimed and counted again before it has taken itself off. So there
// are never more than twice as many searchers as workers.
func (w *Worker) Search() bool {
	switch w.state {
	case searching:
		return true
	case parked:
		w.misuse("Search")
	}
	c := w.c
	// The limit is compared with the count itself, not with its double, which could wrap.
	for n := c.searching.Load(); n < c.limit; n = c.searching.Load() {
		if c.searching.CompareAndSwap(n, n+1) {
			w.state = searching
			return true
		}
	}
	return false
}

// Found ends a search. A worker calls it when it has found a task, before it runs it, or when it
// stops searching for another reason, such as the end of what it waited for (rule 2). If the worker
// was the last searcher and another must be woken in its place, Found returns that one and true, as
// [Coordinator.Notify] does. For a worker that does not search it does nothing and returns -1 and
// false. Only the owner may call it; it panics while the worker is parked.
func (w *Worker) Found() (worker int, ok bool) {
	if w.state == running {
		return none, false
	}
	return w.found()
}

// found is the rest of Found, separate so that the part that a busy worker needs is inlined.
func (w *Worker) found() (worker int, ok bool) {
	if w.state == parked {
		w.misuse("Found")
	}
	w.state = running
	// Partner: searching.Load in Notify. Whoever saw this worker there has pushed before this, and
	// the worker that is woken here sees the task.
	if !w.c.uncount(w, "Found") {
		return none, false // others search, and the last of them notifies
	}
	return w.c.Notify()
}

// Release is Found for a defer: if the worker still searches, because a panic or [runtime.Goexit]
// has come between Search and Found, the search ends here, and unpark is called with the worker
// that must be woken in its place, to give it its token (rule 7). For a worker that does not search
// it does nothing; so the panic of a call that a parked worker must not make is the one that is
// seen. Only the owner may call it. It recovers from nothing.
//
//	defer w.Release(unpark)
func (w *Worker) Release(unpark func(worker int)) {
	if w.state != searching {
		return
	}
	if worker, ok := w.found(); ok {
		unpark(worker)
	}
}

// Publish makes the worker one that can be claimed, and no longer a searcher. It comes before each
// sleep (rule 3), and returns what to do: [Recheck], [AwaitToken] or [Closed]. Only the owner may
// call it; it panics if the worker is parked already.
func (w *Worker) Publish() Outcome {
	if w.state == parked {
		w.misuse("Publish")
	}
	// Parker 1; partner: words.Load in claim, and words.And in Claim. A submitter that misses the
	// bit has pushed before, and the recheck sees its task.
	w.word.Or(w.bit)
	if w.state == searching {
		// Parker 2; partner: searching.Load in Notify. A submitter that saw this searcher has
		// pushed before, and the recheck sees its task.
		w.c.uncount(w, "Publish")
	}
	w.state = parked
	// After the Or; partner: closed.Store in Close.
	if !w.c.closed.Load() {
		return Recheck
	}
	if !w.c.take(w.word, w.bit) {
		return AwaitToken
	}
	w.state = running
	return Closed
}

// Woke is called after a sleep, with what ended it: true if the worker has taken its token, false
// if not. It returns what to do: [Searching], [Running] or [AwaitToken]. Only the owner may call
// it. It panics if the worker is not parked, or has a token though nobody claimed it (rule 5).
func (w *Worker) Woke(token bool) Outcome {
	if w.state != parked {
		panic(fmt.Sprintf("idle: Woke by worker %d, which has not published itself: "+
			"Publish comes before each sleep (rule 3)", w.id))
	}
	if token {
		if w.word.Load()&w.bit != 0 {
			panic(fmt.Sprintf("idle: worker %d got a token, but nobody has claimed it: "+
				"every unpark goes through a claim (rule 5)", w.id))
		}
		w.state = searching // and counted, by the claimer
		return Searching
	}
	// Partner: words.And in claim, Claim and Close. The one who clears the bit has the wake-up.
	if !w.c.take(w.word, w.bit) {
		return AwaitToken // the claimer has won, and may not have counted this worker yet
	}
	w.state = running
	return Running
}

func (w *Worker) misuse(method string) {
	panic(fmt.Sprintf("idle: %s by worker %d, which is parked: Woke comes first, "+
		"until it says something other than AwaitToken (rule 3)", method, w.id))
}
