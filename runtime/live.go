package runtime

// How many tasks there are
//
// A closed runtime ends when its last task has. Its workers count the tasks that begin and end without touching anything that others
// touch, most of the time: a worker has credit, tasks that it has counted already and that have not begun.
//
//	live = tasks that have begun and not ended + the credit of all workers
//
// A spawn takes one from the credit, the end of a task adds one; what is missing is taken from live, and what is too much given back,
// 64 at a time. A worker gives back everything before it sleeps. So live is never less than the number of tasks, and equals it when
// all workers sleep: whoever brings it to 0 in a closed runtime ends the runtime, and nobody does before all tasks have ended.

const lease = 64

// began counts a new task.
func (w *worker) began() {
	if w.credit == 0 {
		w.credit = lease
		w.rt.live.Add(lease)
	}
	w.credit--
}

// ended counts a task that has ended.
func (w *worker) ended() {
	w.count.completed++
	w.credit++
	if w.credit > 2*lease {
		w.credit -= lease
		w.rt.ended(lease)
	}
}

// flush publishes everything that w has kept to itself.
func (w *worker) flush() {
	w.publish()
	if w.credit > 0 {
		n := w.credit
		w.credit = 0
		w.rt.ended(n)
	}
}

// ended takes n from live. Anyone may call it.
func (rt *Runtime) ended(n int) {
	if rt.live.Add(-int64(n)) == 0 && rt.mode.Load() != open { // partner: Runtime.end, which looks at live after it has set mode
		rt.finish()
	}
}
