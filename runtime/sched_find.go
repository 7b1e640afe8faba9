package runtime

import (
	"github.com/surewake/surewake/deque"
	"github.com/surewake/surewake/taskstate"
)

// Where a worker finds work
//
//	1  timers that are due and the injector, first of all, every interval polls: work that feeds itself does not starve them
//	   (runtime/R3)
//	2  the private buffer, if there is one
//	3  the slot, unless it was the source of the last lifoCap polls: then what is in it goes behind the ring (runtime/R6)
//	4  the ring
//	5  the injector
//	6  the rings of the others, from a random one on, and the injector, some times over; at most half of the workers do this at a time
//	7  all of it once more, only to look, after it has said that it is about to sleep
//
// Who announces what
//
// Whatever puts a task where another worker can take it tells the idle coordinator afterwards: a push to the ring, an overflow, what
// came from the injector and was not the first, what came from a steal and was not the first (as the last searcher, by Found).
// Filling the slot does not: that task is about to run. If its worker is busy for long, the driver takes it from there (sched_idle.go).
//
// What was not done
//
//   - The look at the injector behind the local queue. Tasks that respawn themselves starve it for ever.
//   - The slot as one more victim of searchers. It is emptied of what its worker was about to run while the cache is hot; Tokio
//     measured a loss of 30% and took it back.
//   - A minimum for a batch from the injector. It beats the fair share: the first worker takes what the others were woken for.

// take returns the next task of what w has, and what is in the injector: RUNNING, and w its runner. It is nil if there is none.
func (w *worker) take() *task {
	for {
		if w.tick.left <= 0 {
			w.endTick()
		}
		t := w.pick()
		if t == nil {
			return nil
		}
		if w.toRunning(t) {
			return t
		}
	}
}

// begin makes t, an entry of a queue, RUNNING, and reports whether there is something to run.
func (w *worker) toRunning(t *task) bool {
	switch t.state.ToRunning() {
	case taskstate.RunStale:
		w.count.stale++
		t.dropStale()
		return false
	case taskstate.RunCancelled:
		if w.endUnstarted(t, ErrCancelled) {
			return false
		}
	case taskstate.RunPoll:
		if w.rt.cancelling() && w.endUnstarted(t, ErrClosed) {
			return false
		}
	}
	w.countPoll()
	return true
}

// endUnstarted ends a task that is to end and has no stack on which it could learn that.
func (w *worker) endUnstarted(t *task, err error) bool {
	switch body := t.body.(type) {
	case *coroutine:
		return false
	case interface{ hasDropper() bool }:
		if body.hasDropper() {
			return false
		}
	}
	if w.rt.cancelling() {
		err = ErrClosed
	}
	t.completeWith(w, err)
	return true
}

func (w *worker) countPoll() {
	w.count.polled++
	w.tick.left--
	w.tick.polls++
	w.pollsUntilInjector--
}

// pick takes an entry.
func (w *worker) pick() *task {
	if w.pollsUntilInjector <= 0 {
		w.pollsUntilInjector = w.tick.interval
		w.fireTimers()
		if t := w.fetch(); t != nil {
			return w.afterForeignTask(t)
		}
	}
	if w.buffer != nil {
		if t, ok := w.buffer.Pop(); ok {
			return w.afterForeignTask(t)
		}
	}
	if t := w.slot.Load(); t != nil && w.slot.CompareAndSwap(t, nil) {
		if w.lifoPolls < w.rt.config.lifoCap {
			w.lifoPolls++
			w.count.lifo++
			w.announce()
			return t
		}
		w.pushBack(t)
	}
	w.lifoPolls = 0
	if t, ok := w.ring.Pop(); ok {
		w.unannounced = false
		return t
	}
	if t := w.fetch(); t != nil {
		return t
	}
	return nil
}

// elsewhere is for a task that is neither from the slot nor from the ring.
func (w *worker) afterForeignTask(t *task) *task {
	w.lifoPolls = 0
	w.announce()
	return t
}

// announce tells somebody of the task in the ring that nobody was told about, if there is one: w does something else now.
func (w *worker) announce() {
	if w.unannounced {
		w.unannounced = false
		w.rt.notify()
	}
}

// fetch takes a batch from the injector: it returns the first, and the others go where thieves can take them. (runtime/R5)
func (w *worker) fetch() *task {
	q := &w.rt.injector
	if q.length.Load() == 0 {
		return nil
	}
	target := w.ring
	if w.buffer != nil {
		target = w.buffer
	}
	room := target.Cap() - target.Len() + 1 // the first needs none
	n := q.take(w, w.scratch[:min(len(w.scratch), room)])
	if n == 0 {
		return nil
	}
	first, others := w.scratch[0], w.scratch[1:n]
	for _, t := range others[target.PushBatch(others):] { // an open steal takes up room
		target.Push(t, w.overflowFn)
	}
	clear(w.scratch[:n])
	w.count.batches++
	if n > 1 {
		w.rt.notify()
	}
	return first
}

// next returns the next task for the trampoline, RUNNING; w sleeps until there is one. It is nil when the runtime has ended.
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

// search looks for work where it costs others something.
func (w *worker) search() *task {
	rt := w.rt
	if len(rt.workers) == 1 || !w.idle.Search() {
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
		}
		if t := w.fetch(); t != nil && w.toRunning(t) {
			return t
		}
	}
	return nil
}

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

// mix spreads the bits of a seed (splitmix64, Vigna 2015), and is never 0.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return max(x^x>>31, 1)
}

// below returns a number from 0 to n-1 (xorshift64, Marsaglia 2003; without its bias by Lemire's product).
func (w *worker) randomBelow(n int) int {
	w.random ^= w.random << 13
	w.random ^= w.random >> 7
	w.random ^= w.random << 17
	return int((w.random >> 32) * uint64(n) >> 32)
}
