package runtime

import (
	"sync/atomic"

	"github.com/surewake/surewake/deque"
	"github.com/surewake/surewake/idle"
	"github.com/surewake/surewake/park"
	"github.com/surewake/surewake/runtime/internal/poll"
)

// A worker runs tasks. Its own fields belong to its goroutine, the trampoline, and to the coroutine
// that the trampoline has resumed; the two never run at the same time. The exceptions are at the
// end: what thieves and rescuers take from, and what others read.
type worker struct {
	rt *Runtime
	id int
	// goroutine is the number of its goroutine; see inTask.
	goroutine string

	// A coroutine that returns to the trampoline says why, and what comes next.
	toResume  *coroutine    // what the trampoline resumes next; nil: look for a task
	reason    suspendReason // why the coroutine has returned
	suspended *task         // the task that it has suspended, unless it became a spare
	current   *coroutine    // the coroutine that was resumed last
	spares    []*coroutine  // those that run nothing
	returned  bool          // run has returned; false if a task has called Goexit

	handing            bool  // a task of w ends; see hand
	handed             *task // what comes before the slot, which is empty then; or nil
	newestBegun        bool  // what was pushed to the slot last, or handed, has had turns
	lifoPolls          int   // polls from the slot since the last one from the ring
	unannounced        bool  // the ring may hold a task that was not announced; see pushBack
	pollsUntilInjector int   // polls until the next look at the injector
	turns              int   // picks until then, at least; see leaveTurn
	ringTurn           bool  // one of the ring was polled since the last look that took a task
	sooner             bool  // that look is one before its time; see lookSooner
	dueLeft            bool  // there may be timers that are due
	// oneByOne is how many tasks are to be taken from the injector one at a time: those that were
	// there when an overflow had taken back some of a batch.
	oneByOne int
	// spilled is how many tasks are to be taken from the injector before what has had its turns may
	// queue in the ring: those that were there after an overflow.
	spilled int
	// piled is how many looks there were since the first of these overflows, pileHigh is the most
	// entries that were there. piles: new tasks queue in the injector, too; see pilesUp.
	piled    int
	pileHigh int
	piles    bool
	due      duePile
	one      [1]*task // on its way to the injector; see pushBehind
	fetched  uint32   // the position in the ring after the last batch from the injector
	// dueEnd is the position in the ring after the last task of a timer that was due.
	dueEnd uint32
	tick   tick
	// wokeGoroutine is whether one may wait for a processor since the last tick. See letRun.
	wokeGoroutine bool
	credit        int    // tasks counted in live that do not exist; see sched_live.go
	serial        uint64 // the last one; see newSerial
	random        uint64
	idle          *idle.Worker
	scratch       []*task       // receives batches; nil before the first one
	overflowFn    func([]*task) // overflow as a value
	// takeCreditFn is takeCredit as a value: tasks are counted before they leave the injector.
	// Partner: stopIfDone, which checks both in an Update.
	takeCreditFn func(n int)
	count        counters // published once a tick and by flush

	replaceDriver bool         // w was the driver, and there is no other yet
	ioPolledAt    int64        // the clock at the last look at descriptors
	events        []poll.Event // receives what became ready; nil before the first use
	arrived       int          // how many of events came in the last sleep
	_             [64]byte     // what follows is accessed by others

	// slot is the task that runs next, pushed last. Filled and emptied by the owner; emptied by a
	// rescuer that has seen the same task here for an interval. A push to it is not announced.
	slot atomic.Pointer[task]
	// urged: something is ready among the timers. Set by any goroutine that has added it; loaded
	// and cleared by the owner, before it looks there.
	urged atomic.Bool
	_     [116]byte
	// ring is the queue: the owner pushes and pops, others steal.
	ring *deque.Deque[*task]
	// buffer receives batches from the injector if so configured, else it is nil. Used as ring is.
	buffer *deque.Deque[*task]
	parker *park.Parker // parked on by w; unparked by whoever has claimed w
	// dormant: w sleeps and has no goroutine yet. Whoever has claimed w starts one and gives it the
	// token, and nobody else has access until w sleeps again.
	dormant bool
	// forks are those of the coroutine that the worker has resumed last, if it has any. Stored by
	// the owner; loaded by thieves, and by whoever is about to sleep.
	forks  atomic.Pointer[forks]
	_      [96]byte
	public published // stored by w, loaded by Stats
	shown  shownRun  // stored by w, loaded by any goroutine
}

// newWorker returns worker id of rt, which does not run yet.
func newWorker(rt *Runtime, id int) *worker {
	c := &rt.config
	w := &worker{
		rt: rt, id: id,
		serial: uint64(id) + 1,
		random: mix(c.seed + uint64(id)),
		idle:   rt.idle.Worker(id),
		ring:   deque.New[*task](c.ring),
		parker: park.New(c.parker),
	}
	if c.batchTarget == PrivateBuffer {
		w.buffer = deque.New[*task](bufferFor(max(c.batchCap, c.idleBatch)))
	}
	w.overflowFn, w.takeCreditFn = w.overflow, w.takeCredit
	w.tick = tick{left: c.tickBudget, interval: c.interval(), fixed: c.seeded}
	w.pollsUntilInjector = c.interval()
	return w
}

// batch returns a place for at most so many tasks, and no more than a batch from the injector has.
// It is to be cleared before the next one.
func (w *worker) batch(most int) []*task {
	if w.scratch == nil {
		w.scratch = make([]*task, max(w.rt.config.batchCap, w.rt.config.idleBatch))
	}
	return w.scratch[:min(len(w.scratch), most)]
}

// lieDown makes w, which does not run yet, dormant. Its caller looks at the queues after that, as
// whoever falls asleep does.
func (w *worker) lieDown() {
	w.dormant = true
	w.idle.Publish()
	w.countSleep()
}

// wakeUp runs w, which was dormant and has been claimed.
func (w *worker) wakeUp() {
	w.parker.Park()
	w.idle.Woke(true)
	w.tick.restart(w.rt.now())
	w.run()
}

// endDormant ends w, which Close has claimed, without a goroutine if it is dormant, and otherwise
// returns false.
func (w *worker) endDormant() bool {
	if !w.dormant {
		return false
	}
	w.dormant = false
	w.parker.Unpark()
	w.parker.Park()
	w.idle.Woke(true)
	if w.sleep() {
		w.returned = true
		w.stopped()
	} else { // somebody has claimed it at the same time
		go w.run()
	}
	return true
}

// run is the trampoline: it resumes one coroutine after another until the runtime has ended.
func (w *worker) run() {
	defer w.stopped()
	w.goroutine, _ = header()
	w.rt.label()
	for {
		co := w.toResume
		w.toResume = nil
		if co == nil {
			t := w.next()
			if t == nil {
				break
			}
			var ok bool
			if co, ok = t.body.(*coroutine); !ok {
				co = w.takeSpare()
				co.initial = t
			}
		}
		w.enter(co)
		if co.forks != nil {
			w.showForks(co.forks)
		}
		co.next()
		if w.reason != becameSpare {
			w.settle()
		}
	}
	w.returned = true
}

// stopped is deferred by run. If a task called Goexit, its coroutine has ended and the trampoline
// with it: a new goroutine becomes the trampoline.
func (w *worker) stopped() {
	if !w.returned {
		w.rt.coroutines.remove(w.current)
		go w.run()
		return
	}
	for _, co := range w.spares {
		co.stop()
		w.rt.coroutines.remove(co)
	}
	w.spares = nil
	w.flush()
	w.rt.workerStopped()
}

// takeSpare returns a coroutine that runs nothing, a kept one or a new one.
func (w *worker) takeSpare() *coroutine {
	if n := len(w.spares); n > 0 {
		co := w.spares[n-1]
		w.spares[n-1] = nil
		w.spares = w.spares[:n-1]
		return co
	}
	return newCoroutine(w.rt, w.goroutine)
}

// keepSpare keeps co for takeSpare and returns true; or returns false if there are enough spares:
// then co must end. The loop of co calls it.
func (w *worker) keepSpare(co *coroutine) bool {
	if co.lastSuspended.Load() != nil { // runtime/R10; a store costs as much as the rest
		co.lastSuspended.Store(nil)
	}
	if len(w.spares) >= w.rt.config.spareCoroutines {
		w.rt.coroutines.remove(co)
		return false
	}
	w.spares = append(w.spares, co)
	return true
}
