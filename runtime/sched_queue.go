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
	w.countBehind(1)
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
	oldest := w.ring.Tail() - uint32(w.ring.Cap())
	batch = w.keepDue(batch, oldest)
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
	if int32(w.fetched-oldest) > 0 {
		w.oneByOne = w.rt.injector.Len() // runtime/R56
	}
	w.countBehind(len(live))
	w.addCredit(len(live))
	w.rt.notify()
}
