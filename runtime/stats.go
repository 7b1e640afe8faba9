package runtime

import "sync/atomic"

// counters are a worker's own; it publishes them once a tick and before it sleeps.
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
