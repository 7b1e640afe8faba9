package runtime

import (
	"time"

	"github.com/surewake/surewake/idle"
	"github.com/surewake/surewake/runtime/internal/poll"
)

// Sleep
//
// A worker that has found nothing sleeps as package idle says. One of the sleepers is the driver: it sleeps until the next timer is due, or
// something is ready to be read or written, or it is time for a watch; the others have no timeout, and a runtime in which
// nothing runs and no timer is set wakes nobody.
//
//	rule D1   the driver is a worker that has published itself (its bit is set, or it has been claimed)
//	rule D2   while somebody sleeps, and everybody else is in a task, there is a driver
//
// D1: it becomes the driver behind Publish, and stops being it before Woke. So who has set a new earliest deadline finds the driver,
// claims it and wakes it; or finds none, and then whoever becomes the driver next finds the deadline. (runtime/P3)
//
// D2: each parker that finds no driver becomes it. A driver that wakes was claimed, and counted as a searcher, or has woken by itself. When
// it finds a task, somebody else takes its place: as the last searcher it wakes another sleeper, who finds nothing and becomes the
// driver; if it is not the last, that happens to the last; and if it is no searcher, because it woke by itself, replaceDriver says that
// it has to.
//
// The driver leaves the watch out while nobody works, and says so (notScanning). When somebody begins to work, the driver must learn
// of it, though it may be none of those that are woken:
//
//	rule D3   while somebody sleeps, and somebody works, the driver watches, or somebody is awake who will sleep
//
// D3: who begins to work was claimed after the driver had looked who works, and so after notScanning was set; as the last searcher it
// wakes another sleeper, or the last searcher does. That is the driver, or somebody who finds work and wakes the next, or
// somebody who finds none, and notScanning set before it sleeps, and wakes the driver.
//
// A watch takes a task out of a slot in which it has been for one whole interval: its worker is in a long task, and nobody was told of
// it. So a task waits for at most two intervals for a worker that sleeps.

// Step by step, falling asleep, sleeping and waking are what package idle's protocol is proved for (injector/R1).

// sleep puts w to sleep until there may be something to do, and reports whether the runtime has ended.
func (w *worker) sleep() bool {
	rt := w.rt
	w.pauseTick()
	w.flush()
	w.replaceDriver = false
	token := true
	outcome := w.idle.Publish()
	if outcome != idle.Closed {
		w.count.parked++
		w.public.parked.show(w.count.parked)
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
	now := w.tick.restart(rt.now())
	if !token {
		w.replaceDriver = true
		w.scanSlots(now)
		w.fireTimers()
	}
	if n := w.arrived; n > 0 { // with a token as well: nobody else is told of them
		w.arrived = 0
		w.deliverEvents(n)
	}
	return outcome == idle.Closed && !rt.takeable(w)
}

// takeable reports whether there is anything that w could take: not what is in slots, which their workers are about to run.
// (runtime/I6)
func (rt *Runtime) takeable(w *worker) bool {
	if rt.injector.length.Load() > 0 {
		return true
	}
	for _, v := range rt.workers {
		if v.ring.Len() > 0 || v.buffer != nil && v.buffer.Len() > 0 {
			return true
		}
	}
	return w.slot.Load() != nil
}

// rest sleeps, as the driver if there is none, and reports whether w has taken its token.
func (w *worker) parkOrDrive() bool {
	rt := w.rt
	if !rt.driver.CompareAndSwap(0, int32(w.id+1)|notScanning) {
		if rt.driver.Load()&notScanning != 0 && rt.workersBusy() { // partner: drive
			rt.wakeDriver()
		}
		w.parker.Park()
		return true
	}
	token := w.drive()
	rt.driver.Store(0)
	return token
}

// drive sleeps as the driver.
func (w *worker) drive() bool {
	rt := w.rt
	now := rt.now()
	timeout := rt.timers.until(now) // partner: setTimer, which looks for the driver after it has published the deadline
	if rt.workersBusy() {           // partner: whoever has become busy after this; see rule D3
		rt.driver.Store(int32(w.id + 1))
		watch := rt.config.rescueInterval
		if now-w.scannedAt >= int64(watch) { // long ago
			w.snapshotSlots(now)
		}
		timeout = min(timeout, time.Duration(w.scannedAt-now)+watch) // the smaller of the two (runtime/P2)
	}
	if rt.watches.count.Load() > 0 { // partner: Runtime.Watch, which looks for the driver after it has counted the first
		if timeout == never {
			timeout = poll.Forever
		}
		n, token := rt.watches.poller.Park(w.id, w.parker, timeout, w.eventBuffer())
		w.arrived = n
		return token
	}
	if timeout == never {
		w.parker.Park()
		return true
	}
	return w.parker.ParkTimeout(timeout)
}

// note begins a watch: it looks at what is in the slots now.
func (w *worker) snapshotSlots(now int64) {
	w.scannedAt = now
	for i, v := range w.rt.workers {
		w.slotSnapshot[i] = v.slot.Load()
	}
}

// watch takes what has been in somebody's slot since the last look, if that was one interval ago, and looks again.
func (w *worker) scanSlots(now int64) {
	if interval := w.rt.config.rescueInterval; interval == 0 || now-w.scannedAt < int64(interval) {
		return
	}
	w.scannedAt = now
	for i, v := range w.rt.workers {
		t := v.slot.Load()
		if t != nil && t == w.slotSnapshot[i] && v != w && v.slot.CompareAndSwap(t, nil) {
			w.count.rescued++
			w.ring.Push(t, w.overflowFn)
			t = nil
		}
		w.slotSnapshot[i] = t
	}
}

// notify tells the coordinator that there is a task that another worker can take. Anyone may call it.
func (rt *Runtime) notify() {
	if worker, ok := rt.idle.Notify(); ok {
		rt.unpark(worker, true)
	}
}

// unpark gives a worker that was claimed its token.
func (rt *Runtime) unpark(worker int, ok bool) {
	if ok {
		rt.watches.poller.Unpark(worker, rt.workers[worker].parker)
	}
}

// wakeDriver makes the driver look at the clock again. Anyone may call it.
func (rt *Runtime) wakeDriver() {
	if d := int(rt.driver.Load() &^ notScanning); d != 0 && rt.idle.Claim(d-1) {
		rt.unpark(d-1, true)
	}
}

// workersBusy reports whether there is somebody to watch: a worker that does not sleep.
func (rt *Runtime) workersBusy() bool {
	return rt.config.rescueInterval > 0 && rt.idle.Parked() < len(rt.workers)
}

// notScanning is set in Runtime.driver while the driver sleeps without a watch.
const notScanning = 1 << 30

const never = time.Duration(1<<63 - 1)
