package runtime

import (
	"sync/atomic"

	"github.com/surewake/surewake/deque"
	"github.com/surewake/surewake/idle"
	"github.com/surewake/surewake/park"
	"github.com/surewake/surewake/runtime/internal/poll"
	"github.com/surewake/surewake/taskstate"
)

// A worker runs tasks. What it consists of belongs to its goroutine, the trampoline, and to the stack that the trampoline has resumed,
// which are never at work at the same time; save for what others may steal, and for the token.
type worker struct {
	rt *Runtime
	id int

	// resume is the stack that the trampoline is to go on with; set by a stack before it leaves.
	resume  *stack
	reason  reason // why the stack has left; set by it
	leaving *task  // the task that has suspended the stack; set by it
	current *stack // the stack that was resumed last
	spares  []*stack

	lifoPolls int  // how many of the last polls in a row were of the slot
	quiet     bool // ring may hold a task that nobody was told about; see pushBack
	ahead     int  // polls until the next look at the injector
	tick      tick
	credit    int // see live.go
	random    uint64
	idle      *idle.Worker
	scratch   []*task       // for what comes from the injector; its length is the cap of a batch
	spill     func([]*task) // overflow as a value
	count     counters      // published by flush
	seen      []*task       // the slots of the others at the last watch
	looked    int64         // the clock at the last watch
	polledAt  int64         // the clock at the last look at descriptors
	events    []poll.Event  // room for what becomes ready; nil before the first use
	arrived   int           // how many of events came in the last sleep
	handOver  bool          // the worker has been the driver, and nobody else is yet
	normal    bool          // the trampoline has come to its end
	_         [64]byte      // what follows is written by others

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
		random:  mix(c.seed + uint64(id)),
		idle:    rt.idle.Worker(id),
		scratch: make([]*task, c.batchCap),
		ring:    deque.New[*task](c.ring),
		parker:  park.New(c.parker),
		seen:    make([]*task, c.workers),
	}
	if c.landing == PrivateBuffer {
		w.buffer = deque.New[*task](bufferFor(c.batchCap))
	}
	w.spill = w.overflow
	w.tick = tick{left: c.tickBudget, interval: c.interval, fixed: c.seeded}
	w.ahead = c.interval
	return w
}

// run is the trampoline.
func (w *worker) run() {
	defer w.stopped()
	w.rt.label()
	for {
		s := w.resume
		w.resume = nil
		if s == nil {
			t := w.next()
			if t == nil {
				break
			}
			var ok bool
			if s, ok = t.body.(*stack); !ok {
				s = w.lend()
				s.first = t
			}
		}
		w.enter(s)
	}
	w.normal = true
}

// stopped is deferred by run. A task that called Goexit has ended its stack, and the trampoline with it: another one takes over.
func (w *worker) stopped() {
	if !w.normal {
		w.rt.stacks.remove(w.current)
		go w.run()
		return
	}
	for _, s := range w.spares {
		s.stop()
		w.rt.stacks.remove(s)
	}
	w.spares = nil
	w.flush()
	w.rt.workerStopped()
}

// lend returns a stack that runs nothing.
func (w *worker) lend() *stack {
	if n := len(w.spares); n > 0 {
		s := w.spares[n-1]
		w.spares[n-1] = nil
		w.spares = w.spares[:n-1]
		return s
	}
	return newStack(w.rt)
}

// keep takes s, whose loop calls it, as a spare, and reports whether it did.
func (w *worker) keep(s *stack) bool {
	if len(w.spares) >= w.rt.config.spareStacks {
		w.rt.stacks.remove(s)
		return false
	}
	w.spares = append(w.spares, s)
	return true
}

// spawn queues a new task.
func (w *worker) spawn(t *task) {
	w.count.spawned++
	w.began(1)
	if w.rt.cancelling() {
		t.state.ToRunning()
		t.end(w, ErrClosed)
		return
	}
	w.pushLocal(t)
}

// pushLocal makes t, which is SCHEDULED, the next task of w; what was to be the next goes to the ring, where others can take it.
// (runtime/D7)
func (w *worker) pushLocal(t *task) {
	if evicted := w.slot.Swap(t); evicted != nil {
		w.ring.Push(evicted, w.spill)
		w.rt.notify()
	}
}

// pushBack queues t, which has yielded, behind everything else. If the ring was empty, w takes t itself next, and nobody is woken for
// it: quiet says that somebody must be told if w takes something else first. If it was not, somebody has been told of what is before
// t, and looks until the ring is empty. So it must have been there when t was: a look at the ring before the push will not do, since
// a thief may empty it in between, and somebody look at it and fall asleep.
func (w *worker) pushBack(t *task) {
	w.ring.Push(t, w.spill)
	if w.ring.Len() <= 1 {
		w.quiet = true
	} else if w.quiet {
		w.quiet = false
		w.rt.notify()
	}
}

// skips drops an entry that a join was faster than, and reports whether it was one. An entry of a task that is not SCHEDULED is of no use to
// anybody: who makes it SCHEDULED again queues it again.
func (w *worker) skips(t *task) bool {
	if t.state.Load().Lifecycle() == taskstate.Scheduled {
		return false
	}
	w.count.stale++
	t.stale()
	return true
}

// overflow moves what a full ring has no room for to the injector, in one go, except what a join was faster than, and tells somebody: on its
// way, nobody could see it.
func (w *worker) overflow(batch []*task) {
	live := batch[:0]
	for _, t := range batch {
		if !w.skips(t) {
			live = append(live, t)
		}
	}
	w.rt.injector.push(false, live...)
	w.left(len(live))
	w.rt.notify()
	w.count.overflows++
}

// mix spreads the bits of a seed (splitmix64, Vigna 2015), and is never 0.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return max(x^x>>31, 1)
}

// below returns a number from 0 to n-1 (xorshift64, Marsaglia 2003; without its bias by Lemire's product).
func (w *worker) below(n int) int {
	w.random ^= w.random << 13
	w.random ^= w.random >> 7
	w.random ^= w.random << 17
	return int((w.random >> 32) * uint64(n) >> 32)
}
