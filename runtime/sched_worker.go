package runtime

import (
	"sync/atomic"

	"github.com/surewake/surewake/deque"
	"github.com/surewake/surewake/idle"
	"github.com/surewake/surewake/park"
	"github.com/surewake/surewake/runtime/internal/poll"
)

// A worker runs tasks. What it consists of belongs to its goroutine, the trampoline, and to the stack that the trampoline has resumed,
// which are never at work at the same time; save for what others may steal, and for the token.
type worker struct {
	rt *Runtime
	id int

	// resume is the stack that the trampoline is to go on with; set by a stack before it leaves.
	toResume  *coroutine
	reason    suspendReason // why the stack has left; set by it
	suspended *task         // the task that has suspended the stack; set by it
	current   *coroutine    // the stack that was resumed last
	spares    []*coroutine

	lifoPolls          int  // how many of the last polls in a row were of the slot
	unannounced        bool // ring may hold a task that nobody was told about; see pushBack
	pollsUntilInjector int  // polls until the next look at the injector
	tick               tick
	credit             int // see sched_live.go
	random             uint64
	idle               *idle.Worker
	scratch            []*task       // for what comes from the injector; its length is the cap of a batch
	overflowFn         func([]*task) // overflow as a value
	count              counters      // published by flush
	slotSnapshot       []*task       // the slots of the others at the last watch
	scannedAt          int64         // the clock at the last watch
	ioPolledAt         int64         // the clock at the last look at descriptors
	events             []poll.Event  // room for what becomes ready; nil before the first use
	arrived            int           // how many of events came in the last sleep
	replaceDriver      bool          // the worker has been the driver, and nobody else is yet
	returned           bool          // the trampoline has come to its end
	_                  [64]byte      // what follows is written by others

	// slot is the task that is run next, and that has just been pushed: filled and emptied by the owner, emptied by a watcher that has
	// seen the same task here for a while. A push does not wake anybody for it.
	slot atomic.Pointer[task]
	_    [120]byte
	// ring is the queue: the owner pushes and pops, others steal.
	ring *deque.Deque[*task]
	// buffer takes what comes from the injector if the configuration says so, else it is nil. As ring.
	buffer *deque.Deque[*task]
	parker *park.Parker
	_      [104]byte
	public published
}

func newWorker(rt *Runtime, id int) *worker {
	c := &rt.config
	w := &worker{
		rt: rt, id: id,
		random:       mix(c.seed + uint64(id)),
		idle:         rt.idle.Worker(id),
		scratch:      make([]*task, c.batchCap),
		ring:         deque.New[*task](c.ring),
		parker:       park.New(c.parker),
		slotSnapshot: make([]*task, c.workers),
	}
	if c.batchTarget == PrivateBuffer {
		w.buffer = deque.New[*task](bufferFor(c.batchCap))
	}
	w.overflowFn = w.overflow
	w.tick = tick{left: c.tickBudget, interval: c.interval, fixed: c.seeded}
	w.pollsUntilInjector = c.interval
	return w
}

// run is the trampoline.
func (w *worker) run() {
	defer w.stopped()
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
		w.resume(co)
	}
	w.returned = true
}

// stopped is deferred by run. A task that called Goexit has ended its stack, and the trampoline with it: another one takes over.
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

// lend returns a stack that runs nothing.
func (w *worker) takeSpare() *coroutine {
	if n := len(w.spares); n > 0 {
		co := w.spares[n-1]
		w.spares[n-1] = nil
		w.spares = w.spares[:n-1]
		return co
	}
	return newCoroutine(w.rt)
}

// keep takes s, whose loop calls it, as a spare, and reports whether it did.
func (w *worker) keepSpare(co *coroutine) bool {
	if len(w.spares) >= w.rt.config.spareCoroutines {
		w.rt.coroutines.remove(co)
		return false
	}
	w.spares = append(w.spares, co)
	return true
}
