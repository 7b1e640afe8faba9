package runtime

import (
	"fmt"
	goruntime "runtime"

	"github.com/surewake/surewake/runtime/internal/poll"
)

// Readiness
//
// A task that waits for a descriptor, a file's or a connection's, is woken by whoever learns that it is ready:
//
//	a worker that runs      looks at the end of a tick, without waiting, unless somebody else looks or waits there
//	the driver              sleeps in the kernel instead of its parker while descriptors are watched; see sched_idle.go and package poll
//	a goroutine (Netpoll)   waits in Go's own poller, one for each direction of a Watch while somebody waits for that
//
// Readiness is not a state here, but an event: an edge. A call tries first, and if that fails, waits for an edge that comes after the try:
//
//	call    note the number of edges; try; under the lock: is the number still the same? then stand in line
//	edge    under the lock: count it, take all who are in line; behind the lock: wake them
//
// The descriptor becomes ready after a try that failed: so its edge comes after the try, and is either counted before the call looks
// again, or finds it in line. Everybody in line is woken, and tries again: who comes late may find nothing.
//
// What was not done
//
//   - A flag "ready", cleared by whoever has tried in vain. Of two that wait for the same direction, one clears it between the edge and
//     the look of the other.
//   - Descriptors that are added to the kernel again for each wait (one-shot). It costs a system call for each wait.
//   - A registration of the task in place of one of the descriptor: several tasks may wait for one.

// A PollerKind is how a runtime learns that descriptors are ready.
type PollerKind uint8

const (
	// Epoll is that of Linux: a sleeping worker waits in the kernel for all descriptors that are watched.
	Epoll PollerKind = iota
	// Netpoll is Go's own poller, which every platform has: a goroutine waits there for each task that waits.
	Netpoll
)

// Available reports whether this platform has the kind.
func (k PollerKind) Available() bool {
	return k == Epoll && goruntime.GOOS == "linux" || k == Netpoll
}

// String returns the name of the kind.
func (k PollerKind) String() string {
	switch k {
	case Epoll:
		return "Epoll"
	case Netpoll:
		return "Netpoll"
	}
	return fmt.Sprintf("PollerKind(%d)", uint8(k))
}

func defaultPoller() PollerKind {
	if Epoll.Available() {
		return Epoll
	}
	return Netpoll
}

// Poller sets how the runtime learns that descriptors are ready, see [Runtime.Watch]; the default is [Epoll] on Linux, [Netpoll] elsewhere.
func Poller(k PollerKind) Option {
	return func(c *config) error {
		if !k.Available() {
			return fmt.Errorf("runtime: Poller(%v): not available on %s", k, goruntime.GOOS)
		}
		c.poller = k
		return nil
	}
}

const eventsAtOnce = 64

// room returns w's memory for events.
func (w *worker) eventBuffer() []poll.Event {
	if w.events == nil {
		w.events = make([]poll.Event, eventsAtOnce)
	}
	return w.events
}

const ioPollGap = 50_000 // ns at least between two looks of a worker: some hundreds of ns each, while ticks may take a few thousand

// look wakes whose descriptors are ready, if nobody else does and the last look was long enough ago.
func (w *worker) pollIO(now int64) {
	if ws := &w.rt.watches; ws.count.Load() > 0 && now-w.ioPolledAt >= ioPollGap {
		w.ioPolledAt = now
		w.deliverEvents(ws.poller.Poll(w.eventBuffer()))
	}
}

// deliver wakes who waits for the first n events.
func (w *worker) deliverEvents(n int) {
	for i := range w.events[:n] {
		e := &w.events[i]
		watch := w.rt.watches.find(e.ID)
		if watch == nil { // removed in the meantime
			continue
		}
		if e.Read {
			watch.directions[reading].edge(nil, w)
		}
		if e.Write {
			watch.directions[writing].edge(nil, w)
		}
	}
}
