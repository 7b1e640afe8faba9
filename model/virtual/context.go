// Package virtual has the contexts of checked code. The race detector does not
// see it: what the contexts keep is not the program's memory.
package virtual

import (
	"context"
	"slices"
	"time"
	"unsafe"

	"github.com/surewake/surewake/model/explore"
)

// The standard library's contexts would lock and start goroutines behind the
// checker's back. What a context is, whom it cancels and with which error is as
// there.
//
// All that happens to a context happens at steps on its channel: cancelling it
// closes the channel, Err and Cause look whether it is closed, and a new child
// looks at it before it is added to those that will be cancelled. Between these
// steps no other goroutine runs, so that the fields need no lock.
//
// Children are cancelled by the goroutine and in the order in which they were
// made; the standard library promises no order.

// cancelKey is the key for which a context gives the one that decides when it is
// cancelled.
var cancelKey int

// Context is a context that can be cancelled.
type Context struct {
	context.Context // the parent
	done            chan struct{}
	err, cause      error // set when done is closed
	children        []*Context
	serial          uint64      // orders children
	root            *Context    // that has this one among its children, or nil
	deadline        time.Time   // zero if it has none of its own
	timer           *int        // stands for the timer that cancels it at the deadline, or nil
	f               func()      // of AfterFunc
	release         func() bool // forgets it in a parent that has AfterFunc
}

func channel(c <-chan struct{}) explore.Chan {
	p := *(*unsafe.Pointer)(unsafe.Pointer(&c)) // a channel is a pointer
	if p == nil {
		return explore.Chan{}
	}
	return explore.Chan{Ptr: p, Cap: cap(c), Len: len(c), Closed: explore.ChanClosed(p)}
}

// New makes a context and lets it follow its parent. With f it is that of
// AfterFunc: f runs in a goroutine of its own when it is cancelled.
func New(parent context.Context, f func()) *Context {
	c := &Context{Context: parent, done: make(chan struct{}), serial: explore.Serial(), f: f}
	c.follow()
	return c
}

// NewDeadline makes a context that is cancelled at a deadline. now is asked once
// the context follows its parent.
func NewDeadline(parent context.Context, d time.Time, cause error, now func() time.Time) *Context {
	c := &Context{Context: parent, done: make(chan struct{}), serial: explore.Serial(), deadline: d}
	c.follow()
	left := d.Sub(now())
	switch {
	case left <= 0:
		c.Cancel(context.DeadlineExceeded, cause)
	case c.err == nil:
		c.timer = new(int)
		explore.StartTimer(unsafe.Pointer(c.timer), left, 0, func() { c.Cancel(context.DeadlineExceeded, cause) })
		if c.err != nil { // meanwhile
			explore.StopTimer(unsafe.Pointer(c.timer))
		}
	}
	return c
}

// Done, Err, Deadline and Value are those of context.Context.
func (c *Context) Done() <-chan struct{} { return c.done }

// Err looks whether c is cancelled.
func (c *Context) Err() error {
	if c.cancelled() {
		return c.err
	}
	return nil
}

// Deadline gives the deadline of c or of its parent.
func (c *Context) Deadline() (time.Time, bool) {
	if !c.deadline.IsZero() {
		return c.deadline, true
	}
	return c.Context.Deadline()
}

// Value gives the values of the parent.
func (c *Context) Value(key any) any {
	if key == &cancelKey {
		return c
	}
	return c.Context.Value(key)
}

// String keeps fmt from looking into c.
func (c *Context) String() string { return "context" }

// cancelled looks whether c is cancelled.
func (c *Context) cancelled() bool {
	r, in := explore.Communicate([]explore.Case{{Chan: channel(c.done)}}, true)
	if !in {
		return c.err != nil // the execution is over
	}
	return r.Case == 0
}

// Cancel cancels c and what hangs on it.
func (c *Context) Cancel(err, cause error) {
	if c.close() {
		c.cancel(err, cause)
	}
}

// Stop cancels c without running its function, and reports whether it was the
// first to cancel it.
func (c *Context) Stop() bool {
	if !c.close() {
		return false
	}
	c.f = nil
	c.cancel(context.Canceled, nil)
	return true
}

// close is the step at which c is cancelled. It reports whether it was not before.
func (c *Context) close() bool {
	explore.Close(channel(c.done))
	return c.err == nil
}

func (c *Context) cancel(err, cause error) {
	if cause == nil {
		cause = err
	}
	c.err, c.cause = err, cause
	explore.Hidden(func() bool { close(c.done); return true })
	children := c.children
	c.children = nil
	slices.SortFunc(children, func(a, b *Context) int {
		if a.serial < b.serial {
			return -1
		}
		return 1
	})
	if c.root != nil {
		c.root.children = slices.DeleteFunc(c.root.children, func(o *Context) bool { return o == c })
	}
	for _, child := range children {
		child.root = nil
		child.Cancel(err, cause)
	}
	if c.timer != nil {
		explore.StopTimer(unsafe.Pointer(c.timer))
	}
	if c.release != nil {
		c.release()
	}
	if c.f != nil && !explore.Go("AfterFunc", c.f, false) {
		go c.f()
	}
}

// follow cancels c when its parent is cancelled: as one of its children, by its
// AfterFunc, or by a goroutine that waits for it.
func (c *Context) follow() {
	parent := c.Context
	done := parent.Done()
	if done == nil {
		return
	}
	if p, ok := parent.Value(&cancelKey).(*Context); ok && (<-chan struct{})(p.done) == done {
		if p.cancelled() {
			c.Cancel(p.err, p.cause)
			return
		}
		p.children = append(p.children, c)
		c.root = p
		return
	}
	if a, ok := parent.(interface{ AfterFunc(func()) func() bool }); ok {
		c.release = a.AfterFunc(func() { c.Cancel(parent.Err(), Cause(parent)) })
		return
	}
	if r, in := explore.Communicate([]explore.Case{{Chan: channel(done)}}, true); in && r.Case == 0 {
		c.Cancel(parent.Err(), Cause(parent))
		return
	}
	explore.Go("context", func() {
		r, _ := explore.Communicate([]explore.Case{{Chan: channel(done)}, {Chan: channel(c.done)}}, false)
		if r.Case == 0 {
			c.Cancel(parent.Err(), Cause(parent))
		}
	}, false)
}

// Cause gives why ctx was cancelled.
func Cause(ctx context.Context) error {
	c, ok := ctx.Value(&cancelKey).(*Context)
	if !ok {
		return context.Cause(ctx)
	}
	if c.cancelled() {
		return c.cause
	}
	return ctx.Err()
}

// Without is a context that is never cancelled.
type Without struct{ Parent context.Context }

// Deadline gives none.
func (Without) Deadline() (deadline time.Time, ok bool) { return }

// Done gives nil.
func (Without) Done() <-chan struct{} { return nil }

// Err gives nil.
func (Without) Err() error { return nil }

// String keeps fmt from looking into the parent.
func (Without) String() string { return "context" }

// Value gives the values of the parent.
func (c Without) Value(key any) any {
	if key == &cancelKey {
		return nil
	}
	return c.Parent.Value(key)
}
