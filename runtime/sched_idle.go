package runtime

import (
	"time"

	"github.com/surewake/surewake/idle"
	"github.com/surewake/surewake/runtime/internal/poll"
)

// How workers sleep
//
// A worker that finds nothing sleeps by the protocol of package idle. At most one of the sleepers
// is the driver. It sleeps until the earliest of: the next timer is due, a watched descriptor is
// ready, the slots have to be scanned. The others sleep without a timeout. A runtime in which
// nothing runs and no timer is set wakes nobody.
//
//	falling asleep   1 publish (idle.Publish)  2 recheck the queues  3 become the driver if there
//	                 is none  4 load the earliest deadline, whether workers are busy, whether
//	                 descriptors are watched  5 sleep until the first of these
//	a new deadline   1 store it  2 load the driver, claim it, wake it
//	starting work    1 be claimed  2 as the last searcher, wake another sleeper
//
// It rests on three rules:
//
//   1. The driver has published itself: its bit in the idle set is set, or it has been claimed.
//   2. While a worker sleeps and all others run tasks, there is a driver.
//   3. While a worker sleeps and another runs tasks, the driver scans the slots, or a worker is
//      awake that is about to sleep.
//
// Rule 1: a worker becomes the driver after Publish and stops being it before Woke. So a task that
// has set a new earliest deadline finds the driver, claims it and wakes it; or finds none, and the
// next driver sees the deadline. (runtime/P3)
//
// Rule 2: a worker that goes to sleep and finds no driver becomes it. A driver that wakes was
// either claimed, and counts as a searcher, or woke by itself. When it finds a task it must be
// replaced. As the last searcher it wakes a sleeper, which finds nothing and becomes the driver; if
// it is not the last, the last searcher does that; if it woke by itself it is no searcher, and
// replaceDriver tells it to notify.
//
// Rule 3: while no worker runs tasks, the driver does not scan, and sets notScanning. A worker that
// starts working was claimed after the driver checked workersBusy, so notScanning was already set.
// The last searcher wakes a successor: the driver, a worker that finds work and wakes the next, or
// one that finds none, sees notScanning before it sleeps, and wakes the driver.
//
// A scan takes a task out of a slot in which it has been for a whole rescue interval: its worker is
// in a long task, and the slot was not announced. So, with a sleeping worker, a task waits in a
// slot for at most two intervals.

// Falling asleep, sleeping and waking are, access by access, the transitions that package idle's
// protocol is proved for (injector/R1). Becoming the driver, leaving, and setting a deadline are
// those of a table of their own (injector/R3). For any number of workers and timers, no timer is
// overslept (injector/J14), a new earliest deadline reaches the driver (injector/J15), and there is
// one, or a worker awake that will find that there is none (injector/J16).

// sleep sleeps until there may be something to do, and reports whether the runtime has ended.
func (w *worker) sleep() bool {
	rt := w.rt
	w.pauseTick()
	w.flush()
	w.hideForks()
	w.replaceDriver = false
	token := true
	outcome := w.idle.Publish()
	if outcome != idle.Closed {
		w.countSleep()
		rt.asleep.rests(rt)
	}
	if outcome == idle.Recheck {
		if rt.takeable(w) {
			rt.notify()
		}
		token = w.parkOrDrive()
		outcome = w.idle.Woke(token)
	}
	if outcome == idle.AwaitToken {
		w.parker.Park()
		outcome = w.idle.Woke(true)
	}
	w.tick.restart(rt.now())
	if !token {
		w.replaceDriver = true
		w.lookForDue()
	}
	if n := w.arrived; n > 0 { // also with a token: no other worker is told of these events
		w.arrived = 0
		w.deliverEvents(n)
	}
	return outcome == idle.Closed && !w.holds()
}

// countSleep counts a sleep of w, and shows it to Stats.
func (w *worker) countSleep() {
	w.count.parked++
	w.public.parked.show(w.count.parked)
}

// holds reports whether there is a task that w must run before it ends. It leaves what is in the
// queues of others to them: they look, too, so that the end of many workers does not take time by
// the square of their number. (runtime/R53)
func (w *worker) holds() bool {
	return w.rt.injector.Len() > 0 || w.ring.Len() > 0 ||
		w.buffer != nil && w.buffer.Len() > 0 || w.slot.Load() != nil
}

// takeable reports whether there is a task that w could take. Other workers' slots do not count:
// their owners are about to run those tasks. (runtime/I6)
func (rt *Runtime) takeable(w *worker) bool {
	if rt.injector.Len() > 0 {
		return true
	}
	for _, v := range rt.workers {
		if v.ring.Len() > 0 || v.buffer != nil && v.buffer.Len() > 0 {
			return true
		}
		// Partner: showForks. It is asked, too: the owner announces what it exposes. (runtime/R33)
		if f := v.forks.Load(); f != nil && f.stack.Ask() {
			return true
		}
	}
	return w.slot.Load() != nil
}

// parkOrDrive sleeps, as the driver if there is none, and reports whether w has taken its token.
func (w *worker) parkOrDrive() bool {
	rt := w.rt
	if !rt.driver.CompareAndSwap(0, int32(w.id+1)|notScanning) {
		// Partner: the CompareAndSwap of the driver, which sets notScanning and then checks busy.
		if rt.driver.Load()&notScanning != 0 && rt.workersBusy() {
			rt.wakeDriver()
		}
		w.parker.Park()
		return true
	}
	token := w.drive()
	rt.driver.Store(0)
	return token
}

// drive sleeps as the driver, and reports whether w has taken its token.
func (w *worker) drive() bool {
	rt := w.rt
	now := rt.now()
	// Partner: setTimer, which stores the deadline and then looks for the driver.
	timeout := rt.timers.until(now)
	// Partner: a worker that was claimed after this; see rule 3.
	s := &rt.slots
	if rt.workersBusy() {
		rt.driver.Store(int32(w.id + 1))
		interval := rt.config.rescueInterval
		if now-s.takenAt >= int64(interval) {
			rt.snapshotSlots(now)
		}
		// Not the timer alone. (runtime/P2)
		timeout = min(timeout, time.Duration(s.takenAt-now)+interval)
	} else {
		s.forget()
	}
	// Partner: Runtime.Watch, which counts the first and then looks for the driver.
	if rt.watches.count.Load() > 0 {
		if timeout == never {
			timeout = poll.Forever
		}
		n, token := rt.watches.poller.Park(w.id, w.parker, timeout, w.eventBuffer())
		w.arrived = n
		if !token {
			w.scanSlots(rt.now())
		}
		return token
	}
	if timeout == never {
		w.parker.Park()
		return true
	}
	token := w.parker.ParkTimeout(timeout)
	if !token {
		w.scanSlots(rt.now())
	}
	return token
}

// A slotSnapshot is what was in the slots when they were looked at last. There is one for each
// runtime, not for each worker (runtime/R11). The driver accesses it; partner: the Store of 0 to
// Runtime.driver and the CompareAndSwap of the next driver.
type slotSnapshot struct {
	tasks   []*task // by worker
	takenAt int64   // the clock at that look
	holds   bool    // some of tasks may not be nil
}

// forget drops the tasks, which may have ended. (runtime/R10)
func (s *slotSnapshot) forget() {
	if s.holds {
		s.holds = false
		clear(s.tasks)
	}
}

// snapshotSlots records which tasks are in the slots now, for the next scan to compare with. The
// driver calls it.
func (rt *Runtime) snapshotSlots(now int64) {
	s := &rt.slots
	s.takenAt, s.holds = now, true
	for i, v := range rt.workers {
		s.tasks[i] = v.slot.Load()
	}
}

// scanSlots rescues every task that has been in the same slot since the last scan or snapshot, if
// that was at least one rescue interval ago, and takes the next snapshot. The driver calls it,
// after it has slept and before it gives up that place.
func (w *worker) scanSlots(now int64) {
	s := &w.rt.slots
	interval := w.rt.config.rescueInterval
	if interval == 0 || now-s.takenAt < int64(interval) {
		return
	}
	s.takenAt, s.holds = now, true
	for i, v := range w.rt.workers {
		t := v.slot.Load()
		// Takes the task, or its owner has. Partner: slot.CompareAndSwap in pick and join.
		if t != nil && t == s.tasks[i] && v != w && v.slot.CompareAndSwap(t, nil) {
			w.count.rescued++
			w.ring.Push(t, w.overflowFn)
			t = nil
		}
		s.tasks[i] = t
	}
}

// notify wakes a worker if needed for a task that other workers can take. Any goroutine may call
// it.
func (rt *Runtime) notify() {
	if worker, ok := rt.idle.Notify(); ok {
		rt.unpark(worker, true)
	}
}

// unpark gives a claimed worker its token. It does nothing if ok is false.
func (rt *Runtime) unpark(worker int, ok bool) {
	if !ok {
		return
	}
	w := rt.workers[worker]
	if w.dormant {
		w.dormant = false
		go w.wakeUp()
	}
	rt.watches.poller.Unpark(worker, w.parker)
}

// wakeDriver makes the driver compute its timeout again. Any goroutine may call it.
func (rt *Runtime) wakeDriver() {
	if d := int(rt.driver.Load() &^ notScanning); d != 0 && rt.idle.Claim(d-1) {
		rt.unpark(d-1, true)
	}
}

// workersBusy reports whether there are slots to scan: scanning is on and a worker is awake.
func (rt *Runtime) workersBusy() bool {
	return rt.config.rescueInterval > 0 && rt.idle.Parked() < len(rt.workers)
}

// notScanning is set in Runtime.driver while the driver sleeps and does not scan the slots.
const notScanning = 1 << 30

// never is a timeout that does not end.
const never = time.Duration(1<<63 - 1)
