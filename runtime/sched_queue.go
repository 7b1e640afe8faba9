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
	tasks, piled := w.tasks(), w.piles
	if w.piles = w.piled >= pileLooks && tasks >= min(n/2, 8*w.ring.Cap()); w.piles && !piled {
		w.pileTasks = tasks
		w.dueOwed.forget()
		w.readyOwed.forget()
	}
	return w.piles
}

// For how many nanoseconds a worker puts off what is due or ready: at first, and at most.
const (
	leastOwed = 10_000_000
	mostOwed  = 16 * leastOwed
)

// A debt says how long a worker has put off one kind of what makes tasks go on, timers or
// descriptors. Each kind has its own: what is due all the time would keep the other from its turn.
// Only its worker uses it.
type debt struct {
	paidAt int64 // the clock when the worker let such tasks go on last
	wait   int64 // for how long it puts off the next ones, if not for leastOwed
	tasks  int   // how many tasks there were when wait changed last
}

// forget says that what has been put off so far tells nothing of what comes.
func (d *debt) forget() { d.wait, d.tasks = 0, 0 }

// owes reports whether w puts off what d is about: tasks pile up in the injector, and there are
// more of them than when that began. What sleeps, or waits for a descriptor, comes before all that
// is queued; if it starts more tasks in each turn than have a turn in between, these would pile up
// without bound. (runtime/R73)
func (w *worker) owes(d *debt, now int64) bool {
	return w.spilled > 0 && w.piles && now-d.paidAt < max(d.wait, leastOwed) &&
		w.tasks() > w.pileTasks
}

// pay says that w lets what d is about go on at now. If there are more tasks than before, what has
// run in between was less than it starts, and the next ones wait for twice as long: tasks may take
// long, or w have its processor for a part of the time only. If there are far fewer, they wait for
// half as long. A sixteenth more is more, as a number that only goes up and down is highest now
// and then; a quarter fewer is far fewer, or tasks would grow on wherever one time is a little too
// short and its double is not. (runtime/R75)
func (w *worker) pay(d *debt, now int64) {
	d.paidAt = now
	if !w.piles {
		return
	}
	switch tasks, most := w.tasks(), max(d.tasks, w.pileTasks); {
	case tasks <= w.pileTasks:
		d.forget()
	case tasks > most+most/16:
		d.wait, d.tasks = min(2*max(d.wait, leastOwed), mostOwed), tasks
	case tasks < most-most/4:
		d.wait, d.tasks = d.wait/2, tasks
	}
}

// tasks returns how many tasks there are, and some credit.
func (w *worker) tasks() int {
	return int(w.rt.live.Load()) + w.rt.injector.Len() // live is less by the stale entries
}

// evict queues t, which another task has taken the place of, and announces it. It asks newestBegun,
// not t: a join at another worker may run t, and the entry be stale. (runtime/R64, R67)
func (w *worker) evict(t *task) {
	if w.spilled > 0 && (w.newestBegun || w.piles && w.pilesUp()) {
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
