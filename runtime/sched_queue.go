package runtime

import "github.com/surewake/surewake/taskstate"

// spawn queues a new task.
func (w *worker) spawn(t *task) {
	w.count.spawned++
	w.takeCredit(1)
	if w.rt.cancelling() {
		t.state.ToRunning()
		t.completeWith(w, ErrClosed)
		return
	}
	w.pushLocal(t)
}

// pushLocal makes t, which is SCHEDULED, the next task of w; what was to be the next goes to the ring, where others can take it.
// (runtime/D7)
func (w *worker) pushLocal(t *task) {
	if evicted := w.slot.Swap(t); evicted != nil {
		w.ring.Push(evicted, w.overflowFn)
		w.rt.notify()
	}
}

// pushBack queues t, which has yielded, behind everything else. If the ring was empty, w takes t itself next, and nobody is woken for
// it: quiet says that somebody must be told if w takes something else first. If it was not, somebody has been told of what is before
// t, and looks until the ring is empty. So it must have been there when t was: a look at the ring before the push will not do, since
// a thief may empty it in between, and somebody look at it and fall asleep.
func (w *worker) pushBack(t *task) {
	w.ring.Push(t, w.overflowFn)
	if w.ring.Len() <= 1 {
		w.unannounced = true
	} else if w.unannounced {
		w.unannounced = false
		w.rt.notify()
	}
}

// skips drops an entry that a join was faster than, and reports whether it was one. An entry of a task that is not SCHEDULED is of no use to
// anybody: who makes it SCHEDULED again queues it again.
func (w *worker) dropIfStale(t *task) bool {
	if t.state.Load().Lifecycle() == taskstate.Scheduled {
		return false
	}
	w.count.stale++
	t.dropStale()
	return true
}

// overflow moves what a full ring has no room for to the injector, in one go, except what a join was faster than, and tells somebody: on its
// way, nobody could see it.
func (w *worker) overflow(batch []*task) {
	live := batch[:0]
	for _, t := range batch {
		if !w.dropIfStale(t) {
			live = append(live, t)
		}
	}
	w.rt.injector.push(false, live...)
	w.addCredit(len(live))
	w.rt.notify()
	w.count.overflows++
}
