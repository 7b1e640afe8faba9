package runtime

// How a closed runtime learns that no task is left
//
// A closed runtime stops when its last task ends, so tasks are counted. Workers count the tasks
// that start and end on them without touching shared memory most of the time: a worker has credit,
// which is tasks counted in live that do not exist.
//
//	live = tasks that have been spawned, have not ended and are not in the injector
//	       + the credit of all workers
//	       - stale entries of the injector: their tasks are counted there until they are taken
//
// A spawn takes one from the credit, and so does a task that leaves the injector. The end of a task
// adds one, and so does a task that enters the injector. Missing credit is added to live, and
// surplus returned, 64 at a time. A worker returns all its credit before it sleeps. So live plus
// the length of the injector is never less than the number of tasks, and equals it when all workers
// sleep.
//
// A closed runtime stops when the injector is empty and live is 0 at the same instant. Both are
// checked in an Update of the injector: a task that leaves it enters live before it leaves, and
// a task entering it enters before live is lowered. The check is made by whatever lowers live to 0,
// by closing, and by a worker that goes to sleep without credit, since its last credit may have
// gone to a stale entry.
//
// Proved for any number of workers and tasks: live counts this (injector/J11); workers are told to
// stop only when there is no task and none can start (injector/J12); and when that is so, a check
// follows (injector/J13).
//
// Rejected alternatives
//
//   - One counter that every spawn and every end adds to: two contended accesses for each task.
//   - A counter for each worker, summed when one sleeps. A task that was spawned and stolen may be
//     counted as ended before it is counted as spawned: the sum is 0 while its parent still runs.

// lease is how much credit a worker takes or returns at a time.
const lease = 64

// takeCredit counts n tasks of w.
func (w *worker) takeCredit(n int) {
	if w.credit < n {
		w.credit += lease + n
		w.rt.live.Add(int64(lease + n))
	}
	w.credit -= n
}

// addCredit uncounts n tasks of w, which have ended or entered the injector.
func (w *worker) addCredit(n int) {
	if w.credit += n; w.credit > 3*lease {
		w.credit -= 2 * lease
		w.rt.subtractLive(2 * lease)
	}
}

// flush publishes the counters of w and returns its credit.
func (w *worker) flush() {
	w.publish()
	if n := w.credit; n > 0 {
		w.credit = 0
		w.rt.subtractLive(n)
	} else if w.rt.mode.Load() != open && w.rt.live.Load() == 0 {
		w.rt.stopIfDone(false) // the last credit may have gone to a stale entry
	}
}

// subtractLive lowers live by n. Any goroutine may call it.
func (rt *Runtime) subtractLive(n int) {
	// Partner: raiseMode, which sets mode and then loads live.
	if rt.live.Add(-int64(n)) == 0 && rt.mode.Load() != open {
		rt.stopIfDone(false)
	}
}

// stopIfDone tells the workers to stop if the runtime is closed and no task is left, and so none
// can start. It closes the runtime first if closes is set.
func (rt *Runtime) stopIfDone(closes bool) {
	over := false
	rt.injector.Update(func(closed bool) bool {
		closed = closed || closes
		over = closed && rt.injector.Len() == 0 && rt.live.Load() == 0
		return closed
	})
	if over && rt.finished.CompareAndSwap(false, true) {
		rt.timers.dropReady()
		rt.blocking.stop()
		if rt.config.poller == Netpoll {
			rt.watches.endAll() // its goroutines have to stop, as workers do
		}
		rt.idle.Close(func(worker int) {
			if !rt.workers[worker].endDormant() {
				rt.unpark(worker, true)
			}
		})
	}
}

// dropLate drops what is queued after the runtime has finished: stale entries of tasks that joins
// have taken between a wake and its push. Nobody else looks there any more. (runtime/R68)
func (rt *Runtime) dropLate() {
	var late [1]*task
	enters := func(n int) { rt.live.Add(int64(n)) }
	for rt.injector.TakeFunc(late[:], 1, enters) > 0 {
		late[0].dropStale()
	}
	rt.timers.dropReady()
}

// isOpen reports whether the runtime takes tasks from outside. Any goroutine may call it.
func (rt *Runtime) isOpen() (open bool) {
	rt.injector.Update(func(closed bool) bool {
		open = !closed
		return closed
	})
	return open
}

// admit counts a task that is submitted from outside and bypasses the injector, and reports whether
// the runtime is open.
func (rt *Runtime) admit() (open bool) {
	rt.injector.Update(func(closed bool) bool {
		rt.live.Add(1) // partner: stopIfDone, which loads live in its Update
		open = !closed
		return closed
	})
	return open
}
