package runtime

import (
	"time"

	"github.com/surewake/surewake/runtime/internal/poll"
)

// Waiting in Go's poller
//
// A goroutine waits there for each direction of a Watch that is waited for. It stays when its tasks
// have gone, by a deadline or a cancellation, and serves the next that wait. What ends it before
// the descriptor is ready is a deadline of the connection itself:
//
//	recall      1 under the lock, after closed was stored: set that deadline to the past
//	goroutine   1 return from Go's poller  2 under the lock: take that deadline back
//
// No goroutine is started after closed was stored. So the runtime counts them among its workers,
// and has not ended while one is left.

// A netpoll is what a direction has in Go's poller. It is zero with Epoll.
type netpoll struct {
	enabled bool // never changes
	// setDeadline sets the connection's deadline, or is nil if that has none: then the goroutine
	// can not be recalled, and is not counted. Never changes.
	setDeadline func(time.Time) error
	// returned is closed at the end of the goroutine; nil before the first. Under the lock; Close
	// loads it after closed was stored.
	returned chan struct{}
	inside   bool // a goroutine is in awaitNetpoll and will count an edge; under the lock
	recalled bool // the connection's deadline is in the past; under the lock
}

// enable makes n wait for c with Go's poller.
func (n *netpoll) enable(c any, write bool) {
	n.enabled = true
	if c, ok := c.(interface {
		SetReadDeadline(t time.Time) error
		SetWriteDeadline(t time.Time) error
	}); ok {
		n.setDeadline = c.SetReadDeadline
		if write {
			n.setDeadline = c.SetWriteDeadline
		}
	}
}

// enterNetpoll starts a goroutine that waits, if Go's poller is used and none is there. The caller
// holds the lock.
func (d *direction) enterNetpoll() {
	n := &d.netpoll
	if !n.enabled || n.inside {
		return
	}
	n.inside = true
	n.returned = make(chan struct{})
	if n.setDeadline != nil {
		d.of.rt.running.Add(1)
	}
	go d.awaitNetpoll(n.returned)
}

// awaitNetpoll is the goroutine.
//
// Go's poller forgets readiness that came before the call of conn.Read, so the descriptor is
// checked by the function that conn.Read calls. Where it cannot be checked (Windows), Go's poller
// decides.
func (d *direction) awaitNetpoll(returned chan struct{}) {
	await := d.of.conn.Read
	if d.write {
		await = d.of.conn.Write
	}
	looked := false
	err := await(func(fd uintptr) bool {
		was := looked
		looked = true
		return was || poll.Ready(fd, d.write)
	})
	n := &d.netpoll
	d.of.lock.Lock()
	n.inside = false
	if n.recalled {
		_ = n.setDeadline(time.Time{}) // an error says that the connection is closed
	}
	waiters := d.countEdge(err)
	d.of.lock.Unlock()
	waiters.wakeAllFirst(nil)
	close(returned)
	if n.setDeadline != nil {
		d.of.rt.workerStopped()
	}
}

// recall makes the goroutine return soon. It is called once, under the lock, after closed was
// stored. (runtime/R23)
func (n *netpoll) recall() {
	if n.inside && n.setDeadline != nil {
		n.recalled = true
		// An error says that the connection is closed, and then the goroutine returns anyway.
		_ = n.setDeadline(time.Unix(1, 0))
	}
}

// awaitReturn waits until the goroutine, if it can be recalled, has returned. It is called without
// the lock, after recall.
func (n *netpoll) awaitReturn() {
	if n.returned != nil && n.setDeadline != nil {
		<-n.returned
	}
}
