package runtime

import (
	"github.com/surewake/surewake/deque"
	"github.com/surewake/surewake/taskstate"
)

// How a worker finds work
//
// A worker takes the first task that it finds, in this order:
//
//   1. what is due, and is noted once every tick.interval polls or at the end of a tick, in turns
//      with something else (time_timer.go); and the injector, once every tick.interval polls, or
//      after a batch if it holds another: otherwise tasks that respawn themselves starve the
//      injector (runtime/R3); but not twice without a turn of steps 3 and 4 in between
//      (runtime/R48). Where an overflow has taken back some of a batch, one task is taken at a
//      time, here and in steps 5 and 6, until all have left the injector that were there then: so
//      no worker takes one back twice, unless another has in between (runtime/R56). A look that is
//      one before its time waits then for what the last task and one of the ring have woken and
//      spawned
//   2. the private buffer, if there is one
//   3. what the end of a task has just woken, or the slot, unless the last lifoCap polls of steps 3
//      and 4 were all from there: then the slot's task moves to the back of the ring (runtime/R6);
//      or of the injector, as does a task that yields, or has begun and must leave the slot, as
//      long as that holds what overflows have moved there: those are older (runtime/R64); after
//      some looks so does any task that must leave the slot (runtime/R70).
//      After a task that a look has taken they are counted anew, if one of the ring was polled
//      since the last look
//   4. the ring
//   5. the injector
//   6. the rings of the other workers, starting at a random one, then the injector; this is
//      repeated config.searches times, by at most half of the workers at a time
//   7. after it has announced that it is about to sleep: steps 5 and 6 once more, only to look
//
// Which tasks are announced
//
// A task that has become visible to other workers is announced to the idle coordinator afterwards:
// a task pushed to the ring, an overflow, all but the first task of a batch from the injector, all
// but the first stolen task (as the last searcher, by Found). Filling the slot is not announced:
// that task is about to run. If its worker stays in one task for long, the driver rescues it
// (sched_idle.go).
//
// Batches
//
// Proved (package proofs), J4 to J10 for any number of workers, submitters and tasks, the others
// within bounds; package injector has what is proved of the queue itself:
//
//	injector/J4, injector/J6      no lost wakeup while batches are in transit; the count of
//	                              searchers stays exact
//	injector/J5, injector/J10     when all workers have stopped, all accepted tasks are done
//	injector/J9                   a batch fits
//	injector/X1, injector/X2      the same in every reachable state, and every run ends
//	injector/S1, injector/S2      the same for a second model, with long tasks,
//	injector/S3                   and every fair run completes all tasks and stops all workers
//	injector/R1                   how workers look here, fall asleep, sleep, wake and stop refines
//	                              the tables that idle is proved with
//
// Rejected alternatives
//
//   - Looking at the injector after the local queues only. Tasks that respawn themselves starve it.
//   - Letting searchers steal from slots. They would take what the owner is about to run while its
//     cache is hot; Tokio measured a loss of 30% and reverted it.
//   - A minimum size of a batch from the injector. It exceeds the fair share: the first worker
//     takes the tasks that the others were woken for.

// take returns the next task from w's own queues or the injector, or nil. The task is RUNNING and w
// is its runner.
func (w *worker) take() *task {
	for {
		if w.tick.left <= 0 {
			w.unhand()
			w.endTick()
		}
		t := w.pick()
		if t == nil {
			return nil
		}
		if w.toRunning(t) {
			return t
		}
		w.due.skip()
	}
}

// toRunning makes t, a queue entry, RUNNING. It returns false if there is nothing to run: the entry
// was stale, or the task was to end and has ended.
func (w *worker) toRunning(t *task) bool {
	switch t.state.ToRunning() {
	case taskstate.RunStale:
		w.count.stale++
		t.dropStale()
		return false
	case taskstate.RunCancelled:
		if w.endUnstarted(t) {
			w.countTurn() // runtime/R66
			return false
		}
	case taskstate.RunPoll:
		if t.closing() && w.endUnstarted(t) {
			w.countTurn()
			return false
		}
	}
	w.countPoll()
	return true
}

// endUnstarted ends t, which is RUNNING and must end, and returns true. It returns false if t must
// run to notice: a suspended task returns an error from its wait, a future's Drop is called, or the
// future learns what it was given.
func (w *worker) endUnstarted(t *task) bool {
	switch body := t.body.(type) {
	case *coroutine:
		return false
	case interface{ mustRun() bool }:
		if body.mustRun() {
			return false
		}
	}
	t.completeWith(w, t.closedErr())
	return true
}

// countPoll counts a poll.
func (w *worker) countPoll() {
	w.count.polled++
	w.countTurn()
}

// countTurn counts a turn against the tick and the next look at the injector.
func (w *worker) countTurn() {
	w.tick.left--
	w.tick.polls++
	w.pollsUntilInjector--
}

// pick removes one entry from w's queues or the injector and returns it, or nil.
func (w *worker) pick() *task {
	if w.urged.Load() {
		w.urged.Store(false)
		w.lookForDue() // partner: urge, after something was added
	}
	if w.due.turn {
		w.endDueTurn()
	}
	looks := w.due.owesLook || w.pollsUntilInjector <= 0 && w.turns == 0 && !w.looksLater()
	w.turns = max(w.turns-1, 0)
	if t := w.dueNow(looks); t != nil {
		return w.afterForeignTask(t)
	}
	if looks {
		w.pollsUntilInjector, w.sooner = w.tick.interval, false
		w.countLook()
		most := w.rt.config.batchCap
		if t, n := w.fetch(most, w.sharers(most)); t != nil {
			w.lookSooner(n)
			w.leaveTurn()
			if w.ringTurn {
				w.ringTurn, w.lifoPolls = false, 0
			}
			return w.afterForeignTask(t)
		}
	}
	if w.buffer != nil {
		if t, ok := w.buffer.Pop(); ok {
			return w.afterForeignTask(t)
		}
	}
	if t := w.handed; t != nil {
		w.handed = nil
		w.lifoPolls++
		w.count.lifo++
		w.announce()
		return t
	}
	// Takes the task, or a rescuer has. Partner: slot.CompareAndSwap in scanSlots.
	if t := w.slot.Load(); t != nil && w.slot.CompareAndSwap(t, nil) {
		if w.lifoPolls < w.rt.config.lifoCap {
			w.lifoPolls++
			w.count.lifo++
			w.announce()
			return t
		}
		first, ok := w.ring.Pop() // before the push, or that might take it (runtime/R56)
		w.lifoPolls, w.ringTurn, w.unannounced = 0, true, false
		switch {
		case w.spilled > 0: // runtime/R64
			w.pushBehind(t)
			if !ok {
				first, _ = w.fetch(w.rt.config.idleBatch, len(w.rt.workers))
			}
			return first
		case !ok:
			return t
		}
		w.ring.Push(t, w.overflowFn)
		w.rt.notify()
		return first
	}
	w.lifoPolls = 0
	if t, ok := w.ring.Pop(); ok {
		w.unannounced = false
		w.ringTurn = true
		return t
	}
	t, _ := w.fetch(w.rt.config.idleBatch, len(w.rt.workers))
	if t == nil && w.dueLeft {
		t = w.pickDue()
	}
	return t
}

// dueNow returns what is due and goes next, or nil. looks is whether w looks at the injector, too.
func (w *worker) dueNow(looks bool) *task {
	d := &w.due
	if looks && !d.last {
		w.lookForDue()
	}
	if looks || w.dueLeft {
		w.unhand()
	}
	if w.dueLeft {
		if t := w.pickDue(); t != nil {
			d.owesLook = looks
			return t
		}
	}
	d.last, d.owesLook, d.skipped = false, false, 0
	return nil
}

// afterForeignTask returns t, which came neither from the slot nor from the ring, and announces
// what the ring holds. It does not end the run of polls from the slot: where each turn of the
// worker's own tasks follows such a task, all would be the slot's. (runtime/R48)
func (w *worker) afterForeignTask(t *task) *task {
	w.announce()
	return t
}

// announce notifies of the unannounced task in the ring, if there is one: w is about to run
// another.
func (w *worker) announce() {
	if w.unannounced {
		w.unannounced = false
		w.rt.notify()
	}
}

// fetch takes a batch of n tasks, at most so many and the share of one of so many workers, from the
// injector. It returns the first, or nil, and puts the others where thieves can take them.
// (runtime/R5)
func (w *worker) fetch(most, sharers int) (first *task, n int) {
	q := &w.rt.injector
	target := w.ring
	if w.buffer != nil {
		target = w.buffer
	} else if w.oneByOne > 0 {
		most = 1 // runtime/R56
	}
	for q.Len() > 0 {
		room := target.Cap() - target.Len() + 1 // the first task needs none
		batch := w.batch(min(most, room))
		n = q.TakeFunc(batch, sharers, w.takeCreditFn)
		if n == 0 {
			break
		}
		w.oneByOne, w.spilled = max(w.oneByOne-n, 0), max(w.spilled-n, 0)
		behind := w.due.behind > 0
		w.passPile(n)
		first, others := batch[0], batch[1:n]
		if n == 1 && w.dropIfStale(first) {
			batch[0] = nil
			continue // joins leave stale entries as fast as tasks are started (runtime/R62, R10)
		}
		for _, t := range others[target.PushBatch(others):] { // an unfinished steal occupies room
			target.Push(t, w.overflowFn)
		}
		if target == w.ring && n > 1 {
			w.fetched = w.ring.Tail()
			if behind {
				w.dueEnd = w.ring.Tail() // some may be of timers that were due
			}
		}
		clear(batch[:n])
		w.count.batches++
		if n > 1 {
			w.rt.notify()
		}
		return first, n
	}
	w.oneByOne, w.spilled = 0, 0
	w.piled, w.pileHigh, w.piles = 0, 0, false
	w.due.queued, w.due.behind = 0, 0
	return nil, 0
}

// sharers returns among how many workers w, which has tasks of its own, shares what the injector
// holds when it looks there. If nobody sleeps or searches, who would take the rest at once, it is w
// alone, as long as it does not take more than it runs until its next look: a rest that is halved
// at each look takes many looks, a millisecond apart. That made 1,000 tasks from outside 2.4 times
// slower.
func (w *worker) sharers(most int) int {
	c := w.rt.idle
	if w.tick.interval < most || c.Searching() > 0 || c.Parked() > 0 {
		return len(w.rt.workers)
	}
	return 1
}

// lookSooner shortens the time to the next look at the injector if this look, which has taken n
// tasks, has left a batch there: otherwise what comes faster than a batch in each interval piles
// up, however few tasks the worker has of its own. It leaves the time to run what was taken, which
// is little if there was little room, and one more task, or, where the batch is run before the
// worker's own tasks, as many of those. (runtime/R3)
//
// Less than a batch that is left waits for the looks in their intervals: where the ring overflows,
// most of it are tasks that will be joined by the one that runs. With looks as soon as one was
// left, fib(20) by Spawn took a quarter longer, in suspended joins.
//
// What an overflow has moved there may wait until a turn is over (looksLater); what comes from
// outside may not, as long as nothing has overflown.
func (w *worker) lookSooner(n int) {
	room, polls := w.ring.Cap(), n+1
	if w.buffer != nil {
		room, polls = w.buffer.Cap(), 2*n
	}
	if w.rt.injector.Len() < min(room, w.rt.config.batchCap) {
		return
	}
	w.pollsUntilInjector = min(polls, w.pollsUntilInjector)
	w.sooner = w.oneByOne > 0 || w.spilled > 0
}

// looksLater reports whether a look before its time waits, for another interval at most: until
// what was taken last has run, with what it has woken and spawned, and a task of the ring, with
// what that has. Otherwise it would come between two tasks that talk to one another, whose next one
// it sends to the back of the ring: 1,000 tasks with a partner each were suspended by hundreds
// then, and took 1.8 times as long.
func (w *worker) looksLater() bool {
	if !w.sooner || w.pollsUntilInjector <= -w.tick.interval {
		return false
	}
	return w.handed != nil || w.lifoPolls < w.rt.config.lifoCap && w.slot.Load() != nil ||
		!w.ringTurn && w.ring.Len() > 0
}

// leaveTurn keeps the look after this one, which has taken tasks, away until one of the worker's
// own tasks has had its turn, however many polls the tasks that were taken are: with joins, each of
// them may be more than the interval. (runtime/R48)
func (w *worker) leaveTurn() {
	w.turns = 1
	if w.buffer != nil {
		w.turns += w.buffer.Len()
	}
}

// next returns the next task for the trampoline, RUNNING, and sleeps until there is one. It returns
// nil when the runtime has ended.
func (w *worker) next() *task {
	for {
		t := w.take()
		if t == nil {
			t = w.search()
		}
		if t != nil {
			if worker, ok := w.idle.Found(); ok {
				w.rt.unpark(worker, true)
			}
			if w.replaceDriver {
				w.replaceDriver = false
				w.rt.notify()
			}
			return t
		}
		if w.sleep() {
			return nil
		}
	}
}

// search looks for work in the queues of others, which slows them down. Those that are woken to
// stop do not: there is no task then, and none can start, and with many workers it would take time
// by the square of their number. (runtime/R53)
func (w *worker) search() *task {
	rt := w.rt
	// Partner: the CompareAndSwap in stopIfDone, before the workers are woken.
	if len(rt.workers) == 1 || rt.finished.Load() || !w.idle.Search() {
		return nil
	}
	start := w.pauseTick()
	t := w.steal()
	if t == nil {
		w.count.searching += rt.now() - start
	} else {
		w.count.searching += w.tick.restart(rt.now()) - start
	}
	return t
}

// steal looks through the queues of all others, from a random one on, and the injector, up to
// config.searches times. It returns a RUNNING task, or nil.
func (w *worker) steal() *task {
	all := w.rt.workers
	for range w.rt.config.searches {
		from := w.randomBelow(len(all))
		for i := range all {
			victim := all[(from+i)%len(all)]
			if victim == w {
				continue
			}
			if t := w.stealFrom(victim.ring); t != nil {
				return t
			}
			if victim.buffer != nil {
				if t := w.stealFrom(victim.buffer); t != nil {
					return t
				}
			}
			if t := w.stealFork(victim); t != nil {
				return t
			}
		}
		if t, _ := w.fetch(w.rt.config.idleBatch, len(w.rt.workers)); t != nil {
			if w.toRunning(t) {
				return t
			}
			// Its end may have filled the slot, from which nobody else takes.
			if t := w.take(); t != nil {
				return t
			}
		}
	}
	return nil
}

// stealFrom steals from victim into w's ring. It returns a RUNNING task, or nil.
func (w *worker) stealFrom(victim *deque.Deque[*task]) *task {
	before := w.ring.Tail()
	t, result := victim.StealInto(w.ring)
	if result != deque.Stolen {
		return nil
	}
	w.count.steals++
	w.count.stolen += uint64(1 + w.ring.Tail() - before)
	if w.toRunning(t) {
		return t
	}
	return w.take()
}

// mix turns a seed into a generator state, which is never 0 (splitmix64, Vigna 2015).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return max(x^x>>31, 1)
}

// randomBelow returns a random number in [0, n) (xorshift64, Marsaglia 2003, reduced by Lemire's
// multiplication).
func (w *worker) randomBelow(n int) int {
	w.random ^= w.random << 13
	w.random ^= w.random >> 7
	w.random ^= w.random << 17
	return int((w.random >> 32) * uint64(n) >> 32)
}
