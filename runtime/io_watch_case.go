package runtime

import "github.com/surewake/surewake/runtime/internal/poll"

// A readyCase waits for an edge of its direction, unless the descriptor is ready.
type readyCase struct{ direction *direction }

// ReadReadyCase returns the [Case] of a [Watch.ReadReady]. It may be taken spuriously, as that may
// return.
func (w *Watch) ReadReadyCase() Case {
	w.check("Watch.ReadReadyCase")
	return readyCase{&w.directions[reading]}
}

// WriteReadyCase returns the [Case] of a [Watch.WriteReady].
func (w *Watch) WriteReadyCase() Case {
	w.check("Watch.WriteReadyCase")
	return readyCase{&w.directions[writing]}
}

func (c readyCase) checkCase(string, *task) {}
func (c readyCase) lock() *rankedLock       { return &c.direction.of.lock }

func (c readyCase) try() (bool, waker, error) {
	d := c.direction
	if err := d.over(); err != nil {
		return true, nil, err
	}
	ready := false
	err := d.of.conn.Control(func(fd uintptr) { ready = poll.Ready(fd, d.write) })
	return ready || err != nil, nil, err
}

// queue need not look at the number of edges: one that has come since try finds the waiter.
func (c readyCase) queue(t *ticket) queuedCase {
	q := &queuedReady{}
	q.waker, q.from = t, c.direction
	c.direction.waiting.push(&q.waiter)
	c.direction.enterNetpoll()
	if rt := t.choice.rt; rt != nil && rt != c.direction.of.rt {
		q.outsideOf = rt
		rt.outsiders.Add(1)
	}
	return q
}

// A queuedReady is a readyCase that is waited for. Its payload is its error.
type queuedReady struct {
	lineCase[error]
	outsideOf *Runtime // of the task, if the Watch is not of that too; nil again when withdrawn
}

func (q *queuedReady) withdraw(by *worker) {
	q.lineCase.withdraw(by)
	if rt := q.outsideOf; rt != nil {
		q.outsideOf = nil
		rt.outsiders.Add(-1) // what withdraws it is awake
	}
}

func (q *queuedReady) result() error { return q.payload }
