package runtime

import (
	"sync/atomic"
	"time"
)

// A deadline is when calls of a direction must return. Its fields are written under the lock of the
// Watch.
type deadline struct {
	passed atomic.Bool // loaded by any goroutine
	at     time.Time   // zero if there is none; under the lock
	timer  *time.Timer // calls direction.expire; nil before the first deadline; under the lock
}

// stop forgets the deadline. The caller holds the lock.
func (l *deadline) stop() {
	l.at = time.Time{}
	if l.timer != nil {
		l.timer.Stop()
	}
}

// SetDeadline sets the deadlines for reading and for writing. From t on, calls that wait or would
// have to return os.ErrDeadlineExceeded, which is a net.Error with Timeout; so do further calls,
// until another deadline is set. The zero time means none. It returns [ErrWatchClosed] if w is
// closed. Any goroutine may call it; it applies to calls that wait already, too.
//
// If t has a monotonic clock reading, such as a result of time.Now, that decides. Otherwise the
// wall clock does, as it shows when the deadline is set.
func (w *Watch) SetDeadline(t time.Time) error {
	w.check("SetDeadline")
	if err := w.directions[reading].setDeadline(t); err != nil {
		return err
	}
	return w.directions[writing].setDeadline(t)
}

// SetReadDeadline is [Watch.SetDeadline] for reading.
func (w *Watch) SetReadDeadline(t time.Time) error {
	w.check("SetReadDeadline")
	return w.directions[reading].setDeadline(t)
}

// SetWriteDeadline is [Watch.SetDeadline] for writing.
func (w *Watch) SetWriteDeadline(t time.Time) error {
	w.check("SetWriteDeadline")
	return w.directions[writing].setDeadline(t)
}

// setDeadline sets the deadline of d.
func (d *direction) setDeadline(t time.Time) error {
	d.of.lock.Lock()
	if d.of.closed.Load() {
		d.of.lock.Unlock()
		return ErrWatchClosed
	}
	l := &d.deadline
	l.stop()
	l.passed.Store(false)
	var late line[error]
	if !t.IsZero() {
		late = d.limit(t)
	}
	d.of.lock.Unlock()
	late.wakeAllFirst(nil)
	return nil
}

// limit sets a deadline where there is none, and returns the calls for which it has passed already,
// to be woken after the lock, which the caller holds.
func (d *direction) limit(t time.Time) (late line[error]) {
	l := &d.deadline
	now := time.Now()
	left := t.Sub(now)
	l.at = now.Add(left) // by the monotonic clock
	switch {
	case left <= 0:
		return d.pass()
	case l.timer == nil:
		l.timer = time.AfterFunc(left, d.expire)
	default:
		l.timer.Reset(left)
	}
	return late
}

// expire is called by the timer. That may have fired for an earlier deadline, which has been
// replaced since, and looks at the one that holds now. (runtime/R23)
func (d *direction) expire() {
	var late line[error]
	d.of.lock.Lock()
	if at := d.deadline.at; !at.IsZero() && !time.Now().Before(at) {
		late = d.pass()
	}
	d.of.lock.Unlock()
	late.wakeAllFirst(nil)
}

// pass notes that the deadline has passed, and returns the calls that wait, to be woken after the
// lock, which the caller holds.
func (d *direction) pass() line[error] {
	d.deadline.passed.Store(true)
	return d.answerWaiters(d.over())
}
