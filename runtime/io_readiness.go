package runtime

import (
	"fmt"
	goruntime "runtime"

	"github.com/surewake/surewake/runtime/internal/poll"
)

// Readiness
//
// A task that waits for a descriptor is woken by whichever of these finds that it is ready:
//
//	a running worker        polls the kernel at the end of a tick, unless another polls or waits
//	the driver              waits in the kernel instead of its parker while descriptors are
//	                        watched; see sched_idle.go and package poll
//	a goroutine (Netpoll)   waits in Go's poller, one for each direction of a Watch while it is
//	                        waited for
//
// Readiness is not a state here but an event, an edge. A call tries first; if that fails, it waits
// for an edge after the try:
//
//	call   1 load the number of edges  2 try  3 under the lock: if the number is the same, queue
//	edge   1 under the lock: count it, answer all that wait  2 after the lock: wake them
//
// The descriptor becomes ready after the failed try, so its edge is counted before step 3, which
// sees it, or finds the call in line. All that wait are woken and try again; some may find nothing.
//
// Close and a deadline that passes end a wait likewise: they are stored, and all that wait are
// answered, under the lock, and step 3 looks for them too. (runtime/R23)
//
// Rejected alternatives
//
//   - A flag "ready", cleared by a call whose try fails. Of two calls that wait for the same
//     direction, one clears it between the edge and the check of the other.
//   - Adding descriptors to the kernel for each wait (one-shot): a system call for each wait.
//   - Registering the task instead of the descriptor: several tasks may wait for one descriptor.

// A PollerKind is a way to learn that descriptors are ready.
type PollerKind uint8

const (
	// Epoll is Linux's epoll: a sleeping worker waits in the kernel for all watched descriptors.
	Epoll PollerKind = iota
	// Netpoll is Go's own poller, on every platform: a goroutine waits there for each waiting task.
	Netpoll
)

// Available reports whether this platform has k.
func (k PollerKind) Available() bool {
	return k == Epoll && goruntime.GOOS == "linux" || k == Netpoll
}

// String returns the name of k.
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

// Poller sets how the runtime learns that descriptors are ready; see [Runtime.Watch]. The default
// is [Epoll] on Linux and [Netpoll] elsewhere, and in a bubble of testing/synctest, whose clock a
// worker that waits in the kernel stops. [New] fails if the platform does not have k.
func Poller(k PollerKind) Option {
	return func(c *config) error {
		if !k.Available() {
			return fmt.Errorf("surewake: Poller(%v): not available on %s", k, goruntime.GOOS)
		}
		c.poller, c.pollerSet = k, true
		return nil
	}
}

// eventsAtOnce is how many events one look at the kernel returns at most.
const eventsAtOnce = 64

// eventBuffer returns w's buffer for events.
func (w *worker) eventBuffer() []poll.Event {
	if w.events == nil {
		w.events = make([]poll.Event, eventsAtOnce)
	}
	return w.events
}

// ioPollGap is the least time in ns between two looks of a worker at the kernel: a look takes some
// hundreds of ns, and a tick may take only a few thousand.
const ioPollGap = 50_000

// pollIO wakes calls whose descriptors are ready, unless w did so less than ioPollGap ago.
func (w *worker) pollIO(now int64) {
	ws := &w.rt.watches
	if ws.count.Load() == 0 || now-w.ioPolledAt < ioPollGap {
		return
	}
	w.ioPolledAt = now
	if n := ws.poller.Poll(w.eventBuffer()); n > 0 {
		w.deliverEvents(n)
	}
}

// deliverEvents wakes the calls that wait for the first n events. If there is a backlog, these
// count as due. (runtime/R73, R79)
func (w *worker) deliverEvents(n int) {
	by := w
	if w.backlog() || w.due.behind > 0 {
		by, w.dueLeft = nil, true
	}
	for i := range w.events[:n] {
		e := &w.events[i]
		watch := w.rt.watches.find(e.ID)
		if watch == nil { // removed in the meantime
			continue
		}
		if e.Read {
			watch.directions[reading].edge(nil, by)
		}
		if e.Write {
			watch.directions[writing].edge(nil, by)
		}
	}
}
