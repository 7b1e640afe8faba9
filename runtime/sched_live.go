package runtime

// How many tasks there are
//
// A closed runtime ends when its last task has. Its workers count the tasks that begin and end without touching anything that others
// touch, most of the time: a worker has credit, tasks that it has counted already and that do not exist.
//
//	live = tasks that have begun and not ended and are not in the injector + the credit of all workers
//	       - entries of the injector whose tasks a join has run: they are counted there until they are taken
//
// A spawn takes one from the credit, and so does a task that comes from the injector; the end of a task adds one, and so does a task that
// goes to the injector. What is missing is added to live, and what is too much is given back, 64 at a time. A worker gives back everything
// before it sleeps. So live and the length of the injector together are never less than the tasks, and equal them when all workers sleep.
//
// A closed runtime ends when the injector is empty and live is 0 at the same instant. That is looked at under the injector's lock: a
// task that leaves the injector is in live before it has left, and one that enters it has entered before live goes down. Whoever
// brings live to 0 looks, and so does whoever closes; and a worker that has no credit to give back when it goes to sleep, since its last
// may have gone for an entry that was no task any more.
//
// For any number of workers and tasks it is proved that live counts this (injector/J11), that workers are told to end only when there is
// no task and none can begin (injector/J12), and that somebody looks when that is so (injector/J13).
//
// What was not done
//
//   - One counter that each spawn and each end adds to: two accesses a task that all workers contend for.
//   - A counter for each worker, all added up when one sleeps. A task that was spawned and stolen may have been counted as ended and not
//     yet as begun: the sum is 0 although its parent still runs.

const lease = 64

// began counts n tasks.
func (w *worker) takeCredit(n int) {
	if w.credit < n {
		w.credit += lease + n
		w.rt.live.Add(int64(lease + n))
	}
	w.credit -= n
}

// left counts n tasks that have ended, or gone to the injector.
func (w *worker) addCredit(n int) {
	if w.credit += n; w.credit > 3*lease {
		w.credit -= 2 * lease
		w.rt.subtractLive(2 * lease)
	}
}

// flush publishes everything that w has kept to itself.
func (w *worker) flush() {
	w.publish()
	if n := w.credit; n > 0 {
		w.credit = 0
		w.rt.subtractLive(n)
	} else if w.rt.mode.Load() != open && w.rt.live.Load() == 0 {
		w.rt.stopIfDone(false) // the last credit may have gone for an entry that a join was faster than
	}
}

// ended takes n from live. Anyone may call it.
func (rt *Runtime) subtractLive(n int) {
	if rt.live.Add(-int64(n)) == 0 && rt.mode.Load() != open { // partner: Runtime.raiseMode, which looks at live after it has set mode
		rt.stopIfDone(false)
	}
}

// finish lets the workers stop if the runtime is closed, or is closed by it, and there are no tasks any more: then there will be none.
func (rt *Runtime) stopIfDone(closes bool) {
	q := &rt.injector
	q.lock.Lock()
	q.closed = q.closed || closes
	over := q.closed && q.length.Load() == 0 && rt.live.Load() == 0
	q.lock.Unlock()
	if over && rt.finished.CompareAndSwap(false, true) {
		rt.blocking.stop()
		rt.idle.Close(func(worker int) { rt.unpark(worker, true) })
	}
}

// admit counts a task that comes from outside and does not go to the injector, and reports whether the runtime is open.
func (rt *Runtime) admit() bool {
	q := &rt.injector
	q.lock.Lock()
	defer q.lock.Unlock()
	rt.live.Add(1) // partner: finish, which looks at live under this lock
	return !q.closed
}
