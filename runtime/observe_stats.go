package runtime

import (
	"encoding/json"
	"sync/atomic"
	"time"
)

// Statistics
//
// Each worker counts for itself, in plain memory, and shows what it has counted once a tick and before it sleeps or stops. So
// counting costs an addition, and whoever looks costs the workers nothing. What a worker has not shown yet is missing in Stats.

// Stats is what a runtime has done so far and what it has before it, see [Runtime.Stats].
type Stats struct {
	Workers []WorkerStats

	Spawned   uint64 // tasks there have been: from inside, from outside as soon as a worker has taken some of them, and refused ones
	Completed uint64 // tasks that have ended, in whatever way; equals Spawned when the runtime has ended
	Injected  int    // entries in the queue that all workers share
	Blocking  int    // blocking tasks that wait for a goroutine, see BlockingStats
	Queued    int    // entries in the queues of the workers, the sum of theirs
	Sleeping  int    // workers that are asleep and not about to be woken
	Searching int    // workers that look for work, or are being woken to do so
}

// WorkerStats is the part of one worker in [Stats].
type WorkerStats struct {
	Polled    uint64 // how often it began or went on with a task; a task that has waited once is polled twice
	Inlined   uint64 // those of Polled that were the target of a join and ran on the joiner's stack
	Spawned   uint64 // tasks that were spawned by tasks it ran
	Completed uint64 // tasks that ended on it
	LIFO      uint64 // entries that it took from its slot, as the next task
	Batches   uint64 // how often it took tasks from the queue that all share
	Overflows uint64 // how often its own queue was full, so that half of it went to the one that all share
	Steals    uint64 // how often it took tasks from another worker's queue
	Stolen    uint64 // entries that it took in these
	Rescued   uint64 // entries that it took from the slot of a worker that had been in one task for long
	Stale     uint64 // entries that it found to be of tasks that had begun already, in a join that was faster
	Parked    uint64 // how often it went to sleep

	Searching time.Duration // time spent looking into the queues of others
	Queued    int           // entries in its queue, at the time of the call
}

// Stats returns what there is to see now. Anyone may call it at any time; it takes no lock, and nobody waits for it.
//
// A worker shows what it counts once a tick (see [TickBudget]) and before it sleeps; the numbers of a busy one are those of its last
// tick. Numbers of several workers need not be of one instant: a task may be counted as completed and not yet as spawned.
// When the runtime has ended (see [Runtime.Done]), all numbers are exact.
func (rt *Runtime) Stats() Stats {
	s := Stats{
		Workers:   make([]WorkerStats, len(rt.workers)),
		Completed: rt.outside.completed.Load(),
		Injected:  int(rt.injector.length.Load()),
		Blocking:  int(rt.blocking.queued.Load()),
		Sleeping:  rt.idle.Parked(),
		Searching: rt.idle.Searching(),
	}
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
	}
	s.Spawned += rt.injector.public.Load() + rt.outside.spawned.Load()
	return s
}

// A Vars is the [Stats] of a runtime as an expvar.Var, see [Runtime.Vars].
type Vars struct{ rt *Runtime }

// Vars returns what package expvar publishes as the current [Stats] of the runtime:
//
//	expvar.Publish("tasks", rt.Vars())
func (rt *Runtime) Vars() Vars { return Vars{rt} }

// String returns the current statistics as JSON, under the names of their fields; durations are in nanoseconds.
func (v Vars) String() string {
	text, err := json.Marshal(v.rt.Stats())
	if err != nil {
		panic("runtime: Vars: " + err.Error()) // there are only numbers in it
	}
	return string(text)
}

// counters are a worker's own.
type counters struct {
	polled, spawned, completed, lifo, inlined, batches, overflows uint64
	steals, stolen, stale, rescued, parked                        uint64
	searching                                                     int64 // ns
}

// A shown is a counter that others see. Its worker shows, anybody loads.
type shown struct {
	public atomic.Uint64
	last   uint64 // what public is; the worker's
}

func (s *shown) show(n uint64) {
	if n != s.last { // a store costs twenty comparisons
		s.last = n
		s.public.Store(n)
	}
}

// published is what others see of counters.
type published struct {
	polled, spawned, completed, lifo, inlined, batches, overflows shown
	steals, stolen, stale, rescued, parked, searching             shown
}

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
}

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
		Searching: time.Duration(p.searching.public.Load()),
	}
}

// BlockingStats are statistics of blocking tasks, each read by itself.
type BlockingStats struct {
	Threads   int    // goroutines now
	Idle      int    // those of them that wait for a task
	Queued    int    // tasks that wait for a goroutine
	Started   uint64 // goroutines that were started
	Spawned   uint64 // tasks that were accepted
	Completed uint64 // tasks that have ended
}

// BlockingStats returns the statistics of blocking tasks. Anyone may call it.
func (rt *Runtime) BlockingStats() BlockingStats {
	p := &rt.blocking
	return BlockingStats{
		Threads: int(p.threads.Load()), Idle: int(p.idle.Load()), Queued: int(p.queued.Load()),
		Started: p.started.Load(), Spawned: p.spawned.Load(), Completed: p.completed.Load(),
	}
}
