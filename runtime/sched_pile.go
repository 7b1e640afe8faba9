package runtime

// Tasks that pile up
//
// What a ring has no room for goes to the injector. If it piles up there, whoever comes before it
// again and again, and starts more tasks than a ring holds each time, makes the pile grow without
// bound, and what is submitted is never begun. So new tasks, and what has had its turns, queue
// behind the pile. (runtime/R64, R70)
//
// What sleeps, or waits for a descriptor, goes first all the same, and so does what must end: a
// pile may be one burst that is being run, for seconds, and a timeout of it, or a heartbeat beside
// it, cannot wait for that. But the tasks are counted that it queues behind the pile then, with
// those of what it wakes, as long as one comes after the other. When they are more than a ring
// holds, what is due and ready queues behind the pile, too, until as many tasks have left the
// injector as were there when the count began. So while all that is queued has a turn, what goes
// first adds so many tasks to the pile, and those of one turn. (runtime/R73)
//
// As long as something that was due is queued there, all that is due later is queued behind it, in
// the order of the deadlines. (runtime/R13)
//
// Any backlog in the injector makes late what is queued there, be it no pile: the tasks of
// outsiders, or a pile that has just begun. So what is due is not put where it may be pushed out
// to there: it stays among the timers until it is picked (time_timer.go). (runtime/R79)
//
// Rejected alternatives:
//
//   - To queue all that is due behind a pile. A timeout of 300 ms ended a burst of 2 s after 2 s,
//     when nothing was left to end. (runtime/R76)
//   - To count all tasks that what is due starts. Most of them run at once, as next after their
//     parent, and wait, as that of a Timeout does: they are no part of the pile, and the heartbeat
//     beside 256 of them stood still.
//   - To let what is due go first only while the pile gets smaller. What is due starts a task, and
//     that starts a thousand when the pile has left: it grew from one time to the next.
//   - To put off what is due and ready for some time while there are more tasks than when they
//     began to pile up. No time is right. One that is too short for what is started in a turn does
//     not bound the tasks; and while a long one passes, more timers become due than may go on after
//     it, so that their tasks, which are tasks, too, pile up. And the pile does not get smaller
//     than when it began, which was half of a burst. (runtime/R75)

// pileLooks is how many looks at the injector may pass while there is what overflows have moved
// there, or turns of what is due, before new tasks queue behind it, too. It costs a lock for each
// of them; before, they queue in the ring, and come before what is older. One of them may be the
// successor of a task that starts more than a ring holds, again and again. (runtime/R70)
const pileLooks = 32

// countLook counts a look at the injector, or the turn of what was due. Without the latter, tasks
// that are due again after each turn, and start many in it, would do so in half of the polls
// between two looks, and the pile would be so much larger. (runtime/R84)
func (w *worker) countLook() {
	if w.piled++; w.spilled > 0 && w.piled >= pileLooks {
		w.pilesUp()
	}
}

// pilesUp reports whether what overflows have moved to the injector piles up there: it has been
// there for so many looks. What joins have left, and one burst that is being run, are no pile: if
// half of the entries have left, or most are stale and there are few tasks, new ones go on to queue
// in the ring. Otherwise fib by Spawn takes 1.2 times as long, and a burst of 10,000 tasks 1.7
// times, if it follows another. It is asked at each look, and before each new task that is to queue
// behind. (runtime/R72)
func (w *worker) pilesUp() bool {
	n := w.rt.injector.Len()
	if w.pileHigh = max(n, w.pileHigh); n < w.pileHigh/2 {
		w.piled, w.pileHigh = 0, n
	}
	w.piles = w.piled >= pileLooks && w.tasks() >= min(n/2, 8*w.ring.Cap())
	return w.piles
}

// queuesBehind reports whether tasks pile up in the injector, so that new ones queue behind them.
func (w *worker) queuesBehind() bool { return w.spilled > 0 && w.piles && w.pilesUp() }

// tasks returns how many tasks there are, and some credit.
func (w *worker) tasks() int {
	return int(w.rt.live.Load()) + w.rt.injector.Len() // live is less by the stale entries
}

// A duePile is what a worker knows of what is due, or ready, while there is a backlog. Its worker
// accesses it.
type duePile struct {
	last     bool // what was picked last was due
	owesLook bool // it was, at a look at the injector, which is still to be done
	turn     bool // tasks pile up, and it is the turn of what was due, or has been woken by that
	queued   int  // tasks that such turns have queued behind the pile since forget was set
	forget   int  // tasks to be taken from the injector until queued is 0 again
	behind   int  // tasks to be taken from there before what is due may go first again
	// skipped and passed are how many entries in a row were no turns, of what was due and of what
	// was not; see skip.
	skipped, passed int
}

// mostSkipped is how many entries in a row that are no turns may be picked from what is due, or
// from what is not.
const mostSkipped = 64

// skip says that what was picked has no turn: it was stale, or has ended without being run. Then
// those go on whose turn it was. Otherwise each of the children that end with a scope would wait
// for a turn of something else; and what is queued behind the stale entries that they leave would
// wait for the ends of as many others, for each of them. (runtime/R82)
func (d *duePile) skip() {
	switch {
	case d.last && d.skipped < mostSkipped:
		d.skipped++
		d.last = false
	case !d.last && d.passed < mostSkipped:
		d.passed++
		d.last = true
	}
}

// backlog reports whether the injector holds so much that what is due, and queued there, would be
// late.
func (w *worker) backlog() bool { return w.rt.injector.Len() > w.ring.Cap() }

// beginDueTurn says that w is about to run what was due, with a backlog. What was next goes to the
// ring: if what is woken took its place, it would queue behind the backlog.
func (w *worker) beginDueTurn(piles bool) {
	w.countLook()
	if t := w.slot.Load(); t != nil && w.slot.CompareAndSwap(t, nil) {
		w.evictToRing(t)
	}
	w.due.turn = piles
}

// endDueTurn ends the turn of what was due. If that has woken something that goes next, or the last
// that it has started does, its turn is one, too.
func (w *worker) endDueTurn() { w.due.turn = w.handed != nil || w.slot.Load() != nil }

// countBehind counts n tasks that w has queued in the injector.
func (w *worker) countBehind(n int) {
	d := &w.due
	if !d.turn {
		return
	}
	if d.queued == 0 {
		d.forget = w.shareQueued()
	}
	d.queued += n
}

// shareQueued returns how many tasks w is to take from the injector until all have left that are
// there, if each worker takes as many.
func (w *worker) shareQueued() int { return w.rt.injector.Len()/len(w.rt.workers) + 1 }

// passPile counts n tasks that w has taken from the injector.
func (w *worker) passPile(n int) {
	d := &w.due
	d.behind, d.forget = max(d.behind-n, 0), max(d.forget-n, 0)
	if d.forget == 0 {
		d.queued = 0
	}
}

// putBehind fires all timers that are due, and queues their tasks behind what piles up.
func (w *worker) putBehind(now int64) {
	for w.takeDueBehind(now) {
	}
	w.due.behind = w.shareQueued()
	w.dueLeft = false
}

// keepDue puts those of a batch that overflows the ring which may be of timers that were due, the
// oldest ones, before all timers, and returns the others. (runtime/R79)
func (w *worker) keepDue(batch []*task, oldest uint32) []*task {
	n := min(int(int32(w.dueEnd-oldest)), len(batch))
	if n <= 0 {
		return batch
	}
	w.dueLeft = true
	if w.rt.timers.keep(batch[:n]) {
		w.rt.wakeDriver()
	}
	return batch[n:]
}
