package runtime

import "sync/atomic"

// counters are a worker's own; it publishes them once a tick and before it sleeps.
type counters struct {
	polled, spawned, completed, lifo, inlined, batches, overflows uint64
	steals, stolen, stale, rescued, parked                        uint64
	searching                                                     int64 // ns
}

// published is what others see of counters: stored by the worker, loaded by anybody.
type published struct {
	polled, spawned, completed, lifo, inlined, batches, overflows atomic.Uint64
	steals, stolen, stale, rescued, parked                        atomic.Uint64
	searching                                                     atomic.Int64
}

func (w *worker) publish() {
	p, c := &w.public, &w.count
	for _, x := range [...]struct {
		to   *atomic.Uint64
		from uint64
	}{
		{&p.polled, c.polled}, {&p.spawned, c.spawned}, {&p.completed, c.completed}, {&p.lifo, c.lifo}, {&p.inlined, c.inlined},
		{&p.batches, c.batches}, {&p.overflows, c.overflows}, {&p.steals, c.steals}, {&p.stolen, c.stolen}, {&p.stale, c.stale},
		{&p.rescued, c.rescued}, {&p.parked, c.parked},
	} {
		if x.to.Load() != x.from { // a store costs twenty loads
			x.to.Store(x.from)
		}
	}
	if p.searching.Load() != c.searching {
		p.searching.Store(c.searching)
	}
}
