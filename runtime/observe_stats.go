package runtime

import (
	"encoding/json"
	"sync/atomic"
	"time"
)

// Statistics
//
// Each worker counts in plain memory, and publishes its counters once a tick and before it sleeps
// or stops. So counting costs an addition, and reading Stats costs workers nothing; counts that are
// not published yet are missing.

// Stats describes what a runtime has done and has to do; see [Runtime.Stats].
type Stats struct {
	Workers []WorkerStats

	// Spawned counts all tasks, including refused ones. Tasks from outside are counted when a
	// worker next takes a batch.
	Spawned   uint64
	Completed uint64 // tasks that have ended; equals Spawned after the end of the runtime
	Injected  int    // entries in the injector, the queue that all workers share
	Blocking  int    // blocking tasks that wait for a goroutine; see BlockingStats
	Queued    int    // entries in the queues of all workers
	Ready     int    // entries of tasks that go before these: they must end, or were due before
	Sleeping  int    // workers that sleep and have not been claimed to be woken
	Searching int    // workers that search for work, or are being woken to do so

	// Live counts tasks that have not ended: the difference of Spawned and Completed, or 0 while
	// more ends than spawns have been counted.
	Live      int
	Panicked  uint64 // tasks that have panicked, also if their results hold several panics
	Cancelled uint64 // tasks that were cancelled before they ended, not by Close
	Timers    int    // timers that are set
	Watches   int    // watches that are not closed
	Stacks    int    // coroutines: those of tasks that run or wait on a stack, and spare ones
	Spares    int    // coroutines that run nothing, counted once a tick

	// Places are those that are free with MaxTasks; less than 0 if tasks have exceeded the limit.
	Places     int
	Submitting int // calls of Submit and its kin that wait for places
}

// WorkerStats describes one worker in [Stats].
type WorkerStats struct {
	Polled    uint64 // runs of tasks, begun or continued; a task that waits once is polled twice
	Inlined   uint64 // polls of a join's target on the joiner's stack; also in Polled
	Spawned   uint64 // tasks spawned by tasks that it ran
	Completed uint64 // tasks that ended on it
	LIFO      uint64 // entries taken from its slot
	Batches   uint64 // batches taken from the injector
	Overflows uint64 // times that its full ring moved half of its entries to the injector
	Steals    uint64 // successful steals from other workers' queues
	Stolen    uint64 // entries taken in these
	Rescued   uint64 // entries taken from the slots of workers in long tasks
	Stale     uint64 // queue entries dropped because a join had run their tasks meanwhile
	Parked    uint64 // times that it went to sleep

	Exposed     uint64 // times that it let others see forks of a task that it ran
	ForksStolen uint64 // forks taken from other workers; each is a task, and counted in Spawned
	Released    uint64 // forks queued because their task waited; in Spawned, too

	Searching time.Duration // time spent looking through the queues of others
	Queued    int           // entries in its queues at the time of the call
}

// Stats returns the current statistics. Any goroutine may call it at any time. It takes no lock but
// that of the places, with [MaxTasks], and no worker waits for it longer than for a Submit.
//
// A worker publishes its counts once a tick (see [TickBudget]) and before it sleeps, so a busy
// worker's are those of its last tick. Counts of several workers need not be of the same instant: a
// task may be counted as completed and not yet as spawned. After the end of the runtime (see
// [Runtime.Done]) all counts are exact.
func (rt *Runtime) Stats() Stats {
	rt.check("Stats")
	s := Stats{
		Workers:   make([]WorkerStats, len(rt.workers)),
		Completed: rt.outside.completed.Load(),
		Injected:  rt.injector.Len(),
		Blocking:  int(rt.blocking.queued.Load()),
		Sleeping:  rt.idle.Parked(),
		Searching: rt.idle.Searching(),
		Panicked:  rt.outside.panicked.Load(),
		Cancelled: rt.outside.cancelled.Load(),
		Ready:     int(rt.timers.first.Load()),
		Timers:    int(rt.timers.count.Load()),
		Watches:   int(rt.watches.open.Load()),
		Stacks:    int(rt.coroutines.count.Load()),
	}
	s.Places, s.Submitting = rt.places.stats()
	for i, w := range rt.workers {
		of := &s.Workers[i]
		*of = w.public.stats()
		of.Queued = w.ring.Len()
		if w.buffer != nil {
			of.Queued += w.buffer.Len()
		}
		s.Queued += of.Queued
		s.Completed += of.Completed
		s.Spawned += of.Spawned
		s.Cancelled += w.public.cancelled.public.Load()
		s.Spares += int(w.public.spares.public.Load())
	}
	s.Spawned += rt.injector.Accepted() + rt.outside.spawned.Load()
	s.Live = int(max(int64(s.Spawned-s.Completed), 0))
	return s
}

// Vars is the [Stats] of a runtime as an expvar.Var; see [Runtime.Vars].
type Vars struct{ rt *Runtime }

// Vars returns a variable for package expvar that shows the current [Stats] of the runtime:
//
//	expvar.Publish("tasks", rt.Vars())
func (rt *Runtime) Vars() Vars {
	rt.check("Vars")
	return Vars{rt}
}

// String returns the current statistics as JSON, with the names of the fields; durations are in
// nanoseconds.
func (v Vars) String() string {
	v.rt.check("Vars.String")
	text, err := json.Marshal(v.rt.Stats())
	if err != nil {
		panic("surewake: Vars: " + err.Error()) // impossible: Stats holds numbers only
	}
	return string(text)
}

// counters is what a worker counts, for itself.
type counters struct {
	polled, spawned, completed, lifo, inlined, batches, overflows uint64
	steals, stolen, stale, rescued, parked, cancelled             uint64
	exposed, forksStolen, released                                uint64
	searching                                                     int64 // ns
}

// A shown is a published counter: stored by its worker, loaded by any goroutine.
type shown struct {
	public atomic.Uint64
	last   uint64 // the value of public; accessed by the worker
}

// show publishes n.
func (s *shown) show(n uint64) {
	if n != s.last { // a store costs twenty comparisons
		s.last = n
		s.public.Store(n)
	}
}

// published is the counters of a worker as others see them.
type published struct {
	polled, spawned, completed, lifo, inlined, batches, overflows shown
	steals, stolen, stale, rescued, parked, searching             shown
	cancelled, spares, exposed, forksStolen, released             shown
}

// publish publishes the counters of w.
func (w *worker) publish() {
	p, c := &w.public, &w.count
	p.polled.show(c.polled)
	p.spawned.show(c.spawned)
	p.completed.show(c.completed)
	p.lifo.show(c.lifo)
	p.inlined.show(c.inlined)
	p.batches.show(c.batches)
	p.overflows.show(c.overflows)
	p.steals.show(c.steals)
	p.stolen.show(c.stolen)
	p.stale.show(c.stale)
	p.rescued.show(c.rescued)
	p.parked.show(c.parked)
	p.searching.show(uint64(c.searching))
	p.cancelled.show(c.cancelled)
	p.exposed.show(c.exposed)
	p.forksStolen.show(c.forksStolen)
	p.released.show(c.released)
	p.spares.show(uint64(len(w.spares)))
}

// stats returns what is published.
func (p *published) stats() WorkerStats {
	return WorkerStats{
		Polled:    p.polled.public.Load(),
		Inlined:   p.inlined.public.Load(),
		Spawned:   p.spawned.public.Load(),
		Completed: p.completed.public.Load(),
		LIFO:      p.lifo.public.Load(),
		Batches:   p.batches.public.Load(),
		Overflows: p.overflows.public.Load(),
		Steals:    p.steals.public.Load(),
		Stolen:    p.stolen.public.Load(),
		Rescued:   p.rescued.public.Load(),
		Stale:     p.stale.public.Load(),
		Parked:    p.parked.public.Load(),

		Exposed:     p.exposed.public.Load(),
		ForksStolen: p.forksStolen.public.Load(),
		Released:    p.released.public.Load(),

		Searching: time.Duration(p.searching.public.Load()),
	}
}

// BlockingStats describes the blocking tasks of a runtime. Each number is read by itself.
type BlockingStats struct {
	Threads   int    // goroutines
	Idle      int    // goroutines that wait for a task
	Queued    int    // tasks that wait for a goroutine
	Started   uint64 // goroutines that were started
	Spawned   uint64 // tasks that were accepted
	Completed uint64 // tasks that have ended
}

// BlockingStats returns statistics of blocking tasks. Any goroutine may call it.
func (rt *Runtime) BlockingStats() BlockingStats {
	rt.check("BlockingStats")
	p := &rt.blocking
	return BlockingStats{
		Threads: int(p.threads.Load()), Idle: int(p.idle.Load()), Queued: int(p.queued.Load()),
		Started: p.started.Load(), Spawned: p.spawned.Load(), Completed: p.completed.Load(),
	}
}
