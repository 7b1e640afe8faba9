// Package virtual has the contexts of checked code. The race detector does not
// see it: what the contexts keep is not the program's memory.
package virtual

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"
	"unsafe"

	"github.com/surewake/surewake/model/explore"
)

// The standard library's contexts would lock and start goroutines behind the
// checker's back. What a context is, whom it cancels and with which error is as
// there.
//
// All that happens to a context happens at steps on its channel: cancelling it closes the channel,
// Err and Cause look whether it is closed, a new child looks at its parent before it is added to
// those that will be cancelled, and a deadline looks before its timer belongs to the context.
// Between two steps no other goroutine runs, so the fields need no lock. But what a field holds
// must follow from the order of the steps on that channel, or the search would take steps for
// independent that are not: each access to a field of c stands right after a step on c.done.
//
// So a child that is cancelled stays in its parent's list, and the parent takes its step on it all
// the same: whether it comes too late is the outcome of that step. Only what the canceller of the
// parent has itself cancelled before is left out.
//
// The standard library cancels children in any order (that of a map). Each order of up to three is
// explored; more are cancelled in the order in which they were made, which the verdict names.

// cancelKey is the key for which a context gives the one that decides when it is
// cancelled.
var cancelKey int

// Context is a context that can be cancelled.
type Context struct {
	context.Context // the parent
	done            chan struct{}
	asked           bool             // somebody has asked for done, which belongs to his bubble
	err, cause      error            // set when done is closed
	children        []*Context       // made before it was cancelled
	maker           int              // the thread that made it
	canceller       int              // 1 + the thread that cancelled it; 0 while nobody has
	deadline        time.Time        // zero if it has none of its own
	now             func() time.Time // of a context with a deadline
	timer           *int             // stands for the timer that cancels it at the deadline, or nil
	f               func()           // of AfterFunc
	release         func() bool      // forgets it in a parent that has AfterFunc

	// Tokens for the race detector. The lock of the original orders all that happens to a context;
	// here an event orders only what tells of it.
	registered uint64 // released by who made it a child, acquired by who cancels it as one
	ended      uint64 // released by who cancelled it, acquired by a Stop that came too late
}

func channel(c <-chan struct{}) explore.Chan {
	p := *(*unsafe.Pointer)(unsafe.Pointer(&c)) // a channel is a pointer
	if p == nil {
		return explore.Chan{}
	}
	return explore.Chan{
		Ptr: p, Cap: cap(c), Len: len(c), Closed: explore.ChanClosed(p), Signals: true,
	}
}

// New makes a context and lets it follow its parent. With f it is that of
// AfterFunc: f runs in a goroutine of its own when it is cancelled.
func New(parent context.Context, f func()) *Context {
	c := &Context{Context: parent, done: make(chan struct{}), f: f}
	c.follow()
	return c
}

// NewDeadline makes a context that is cancelled at a deadline. now is asked once
// the context follows its parent, and for String.
func NewDeadline(parent context.Context, d time.Time, cause error, now func() time.Time) *Context {
	c := &Context{Context: parent, done: make(chan struct{}), deadline: d, now: now}
	c.follow()
	left := d.Sub(now())
	if left <= 0 {
		c.Cancel(context.DeadlineExceeded, cause)
		return c
	}
	if c.cancelled() {
		return c
	}
	timer := new(int)
	explore.StartTimer(unsafe.Pointer(timer), left, 0, func() {
		c.Cancel(context.DeadlineExceeded, cause)
	})
	if c.cancelled() { // since the timer was started
		explore.StopTimer(unsafe.Pointer(timer))
	} else {
		c.timer = timer
	}
	return c
}

// Done gives the channel that is closed when c is cancelled. The standard library makes it when it
// is asked for the first time.
func (c *Context) Done() <-chan struct{} {
	if !c.asked {
		c.asked = true
		explore.Bubbled(*(*unsafe.Pointer)(unsafe.Pointer(&c.done)))
	}
	return c.done
}

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

// String gives what the standard library's contexts give.
func (c *Context) String() string {
	if c.now == nil {
		return nameOf(c.Context) + ".WithCancel"
	}
	return fmt.Sprintf("%s.WithDeadline(%s [%s])", nameOf(c.Context), c.deadline,
		c.deadline.Sub(c.now()))
}

func nameOf(ctx context.Context) string {
	if s, ok := ctx.(fmt.Stringer); ok {
		return s.String()
	}
	return reflect.TypeOf(ctx).String()
}

// cancelled looks whether c is cancelled.
func (c *Context) cancelled() bool {
	look := explore.Case{Chan: channel(c.done)}
	look.Anywhere = true
	r, in := explore.Communicate([]explore.Case{look}, true)
	if !in {
		return c.err != nil // the execution is over
	}
	return r.Case == 0
}

// Cancel cancels c and what hangs on it.
func (c *Context) Cancel(err, cause error) {
	if err == nil { // of a parent whose Done is closed and whose Err is nil
		panic("context: internal error: missing cancel error")
	}
	if c.close() {
		c.cancel(err, cause)
	}
}

// Stop cancels c without running its function, and reports whether it was the
// first to cancel it.
func (c *Context) Stop() bool {
	if !c.close() {
		acquire(&c.ended)
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

// cancel does what follows the step at which c was cancelled.
func (c *Context) cancel(err, cause error) {
	if cause == nil {
		cause = err
	}
	c.err, c.cause, c.canceller = err, cause, 1+explore.ThreadID()
	release(&c.ended)
	explore.Hidden(func() bool { close(c.done); return true })
	timer := c.timer
	for _, child := range inAnyOrder(c.openChildren()) {
		acquire(&child.registered)
		child.Cancel(err, cause)
	}
	if timer != nil {
		explore.StopTimer(unsafe.Pointer(timer))
	}
	if c.release != nil {
		c.release()
	}
	if c.f != nil && !explore.Go("AfterFunc", c.f, false) {
		go c.f()
	}
}

func release(token *uint64) {
	if explore.InExecution() {
		explore.Release(token)
	}
}

func acquire(token *uint64) {
	if explore.InExecution() {
		explore.Acquire(token)
	}
}

// openChildren gives the children on which cancelling c takes a step: all except those that the
// canceller of c has cancelled before. Who else cancelled one may have been later as well. Threads
// make children independently of one another, so the order must not tell who was first.
func (c *Context) openChildren() (open []*Context) {
	for _, child := range c.children {
		if child.canceller != c.canceller {
			open = append(open, child)
		}
	}
	c.children = nil
	slices.SortStableFunc(open, func(a, b *Context) int { return a.maker - b.maker })
	return open
}

// maxOrdered is the number of children of which every order is explored.
const maxOrdered = 3

var nextChild = explore.Choice{Of: "next child of a context"}

// inAnyOrder puts children into an order that the search chooses.
func inAnyOrder(children []*Context) []*Context {
	if !explore.InExecution() {
		return children
	}
	if len(children) > maxOrdered {
		explore.Assume("more than three children of a context are cancelled in the order in which " +
			"they were made")
		return children
	}
	for i := 0; i+1 < len(children); i++ {
		j := i + explore.ChooseFor(len(children)-i, &nextChild)
		children[i], children[j] = children[j], children[i]
	}
	return children
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
		c.maker = explore.ThreadID()
		release(&c.registered)
		p.children = append(p.children, c)
		return
	}
	if a, ok := parent.(interface{ AfterFunc(func()) func() bool }); ok {
		c.release = a.AfterFunc(func() { c.Cancel(parent.Err(), Cause(parent)) })
		return
	}
	looks := []explore.Case{{Chan: channel(done)}}
	if r, in := explore.Communicate(looks, true); in && r.Case == 0 {
		c.Cancel(parent.Err(), Cause(parent))
		return
	}
	waits := func(own <-chan struct{}, anywhere bool) {
		ends := []explore.Case{{Chan: channel(done)}, {Chan: channel(own)}}
		ends[0].Anywhere, ends[1].Anywhere = anywhere, anywhere
		if r, _ := explore.Communicate(ends, false); r.Case == 0 {
			c.Cancel(parent.Err(), Cause(parent))
		}
	}
	if isOfLibrary(parent, done) {
		explore.GoUnseen("context", func() { waits(c.done, true) })
		return
	}
	explore.Go("context", func() { waits(c.Done(), false) }, false)
}

// isOfLibrary reports whether done, which is ctx's, is that of a context of package context, made
// by code that is not rewritten or outside of the check. It tells its children without a goroutine.
func isOfLibrary(ctx context.Context, done <-chan struct{}) bool {
	p, ok := ctx.Value(libraryKey).(context.Context)
	return ok && p.Done() == done
}

// libraryKey is the key for which a context gives that of package context which decides when it is
// cancelled: Cause asks for it.
var libraryKey = func() any {
	var asked askedKey
	_ = context.Cause(&asked)
	return asked.key
}()

// An askedKey notes for which key it was asked.
type askedKey struct {
	Without
	key any
}

func (*askedKey) Err() error { return context.Canceled }

func (c *askedKey) Value(key any) any {
	c.key = key
	return nil
}

// Cause gives why ctx was cancelled.
func Cause(ctx context.Context) error {
	err := ctx.Err() // first: a cancellation after this one comes too late
	if err == nil {
		return nil
	}
	c, ok := ctx.Value(&cancelKey).(*Context)
	if !ok {
		return context.Cause(ctx)
	}
	if c.cancelled() {
		return c.cause
	}
	return err
}

// Without is a context that is never cancelled.
type Without struct{ Parent context.Context }

// Deadline gives none.
func (Without) Deadline() (deadline time.Time, ok bool) { return }

// Done gives nil.
func (Without) Done() <-chan struct{} { return nil }

// Err gives nil.
func (Without) Err() error { return nil }

// String gives what the standard library's contexts give.
func (c Without) String() string { return nameOf(c.Parent) + ".WithoutCancel" }

// Value gives the values of the parent.
func (c Without) Value(key any) any {
	if key == &cancelKey {
		return nil
	}
	return c.Parent.Value(key)
}
