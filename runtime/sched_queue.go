package runtime

import "github.com/surewake/surewake/taskstate"

// spawn queues t, a new task. If the runtime is being cancelled, t ends with ErrClosed instead.
func (w *worker) spawn(t *task) {
	if w.rt.adorns.Load() {
		w.adorn(t)
	}
	w.count.spawned++
	w.takeCredit(1)
	if t.closing() {
		t.state.ToRunning()
		t.completeWith(w, ErrClosed)
		return
	}
	w.pushLocal(t)
}

// refuse ends t, a new task, with err.
func (w *worker) refuse(t *task, err error) {
	w.count.spawned++
	w.takeCredit(1)
	t.state.ToRunning()
	t.completeWith(w, err)
}

// pushLocal makes t, a new task, the next one of w. The task that was in the slot moves to the
// ring, where thieves can take it, and is announced. (runtime/D7)
func (w *worker) pushLocal(t *task) { w.pushNext(t, false) }

// pushWoken is pushLocal for a task that has had turns.
func (w *worker) pushWoken(t *task) { w.pushNext(t, true) }

func (w *worker) pushNext(t *task, begun bool) {
	if w.handing && w.slot.Load() == nil {
		w.hand(t)
	} else if evicted := w.slot.Swap(t); evicted != nil {
		// The swap publishes t to rescuers. Partner: slot.CompareAndSwap in scanSlots.
		w.evict(evicted)
	}
	w.newestBegun = begun
}

// pileLooks is how many looks at the injector may pass while there is what overflows have moved
// there before new tasks queue behind it, too. It costs a lock for each of them; before, they queue
// in the ring, and come before what is older. One of them may be the successor of a task that
// starts more than a ring holds, again and again. (runtime/R70)
const pileLooks = 32

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

// queuesBehind reports whether tasks pile up in the injector, so that what is due, or ready, queues
// behind them: before them, what sleeps, or waits for a descriptor, would have a turn whenever it
// may, and what it starts in each of them would pile up without bound. (runtime/R73)
//
// Rejected alternative: to put off what is due and ready for some time while there are more tasks
// than when they began to pile up. No time is right. One that is too short for what is started in a
// turn does not bound the tasks; and while a long one passes, more timers become due than may go on
// after it, so that their tasks, which are tasks, too, pile up. And the pile does not get smaller
// than when it began, which was half of a burst. (runtime/R75)
func (w *worker) queuesBehind() bool { return w.spilled > 0 && w.piles && w.pilesUp() }

// tasks returns how many tasks there are, and some credit.
func (w *worker) tasks() int {
	return int(w.rt.live.Load()) + w.rt.injector.Len() // live is less by the stale entries
}

// evict queues t, which another task has taken the place of, and announces it. It asks newestBegun,
// not t: a join at another worker may run t, and the entry be stale. (runtime/R64, R67)
func (w *worker) evict(t *task) {
	if w.spilled > 0 && (w.newestBegun || w.queuesBehind()) {
		w.pushBehind(t)
		return
	}
	w.evictToRing(t)
}

func (w *worker) evictToRing(t *task) {
	w.ring.Push(t, w.overflowFn)
	w.rt.notify()
}

// pushDue is pushWoken for the task of a timer. If the ring is full, it has room afterwards: what
// was in the slot goes there in any case, and overflows it. (runtime/R71)
func (w *worker) pushDue(t *task) {
	// Publishes t to rescuers. Partner: slot.CompareAndSwap in scanSlots.
	if evicted := w.slot.Swap(t); evicted != nil {
		w.evictToRing(evicted)
	}
	w.newestBegun = true
}

// hand is pushNext while a task of w ends and the slot is empty: as w takes its next task at once,
// the slot need not show t to rescuers. That saves two locked instructions. What w was handed
// before moves to the ring, as from the slot.
func (w *worker) hand(t *task) {
	evicted := w.handed
	w.handed = t
	if evicted != nil {
		w.evict(evicted)
	}
}

// unhand moves what w was handed to the slot, where rescuers see it: w does something else first.
func (w *worker) unhand() {
	if t := w.handed; t != nil {
		w.handed = nil
		w.slot.Store(t)
	}
}

// pushBack queues t, which has yielded, after all other tasks of w.
//
// If t is alone in the ring, w will take it next, so nobody is woken for it; unannounced records
// that w must announce it if w takes something else first. If there was a task before it, that one
// has been announced, and its searcher looks until the ring is empty. Len is read after the push:
// read before, a thief could empty the ring in between, and a searcher look at it and fall asleep.
func (w *worker) pushBack(t *task) {
	w.ring.Push(t, w.overflowFn)
	if w.ring.Len() <= 1 {
		w.unannounced = true
	} else if w.unannounced {
		w.unannounced = false
		w.rt.notify()
	}
}

// pushBehind queues t, which has had its turns, in the injector, behind what overflows have moved
// there: at the back of the ring it would come again before those that are older. (runtime/R64)
func (w *worker) pushBehind(t *task) {
	w.one[0] = t
	w.rt.injector.Push(w.one[:])
	w.one[0] = nil
	w.addCredit(1)
	w.rt.notify()
}

// dropIfStale drops a stale entry, whose task a join has run, and reports whether t was one. An
// entry of a task that is not SCHEDULED is useless: whatever makes the task SCHEDULED again queues
// it again.
func (w *worker) dropIfStale(t *task) bool {
	if t.state.Load().Lifecycle() == taskstate.Scheduled {
		return false
	}
	w.count.stale++
	t.dropStale()
	return true
}

// overflow moves a full ring's batch to the injector under one lock, without the stale entries,
// then notifies: in transit the tasks were invisible.
func (w *worker) overflow(batch []*task) {
	live := batch[:0]
	for _, t := range batch {
		if !w.dropIfStale(t) {
			live = append(live, t)
		}
	}
	w.count.overflows++
	if len(live) == 0 {
		return
	}
	w.rt.injector.Push(live)
	w.spilled = w.rt.injector.Len() // runtime/R64
	w.pileHigh = max(w.pileHigh, w.spilled)
	if oldest := w.ring.Tail() - uint32(w.ring.Cap()); int32(w.fetched-oldest) > 0 {
		w.oneByOne = w.rt.injector.Len() // runtime/R56
	}
	w.addCredit(len(live))
	w.rt.notify()
}
