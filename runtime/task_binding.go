package runtime

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/surewake/surewake/taskstate"
)

// Tasks with a context
//
// A task that is given a context is cancelled when that ends. What it asks its own context for, it
// finds there: values and the deadline. [Timeout], [Deadline] and [Scope] run parts of a task in
// tasks of their own; these find the same.
//
//	spawn        1 end the task if the context has ended  2 make the binding a joiner of the task,
//	             and register the cancellation with the context  3 publish the task
//	context      cancel the task, as Handle.Cancel does
//	completion   wake the joiners: the binding takes the registration back, so that a context that
//	             lives on keeps no task that has ended (runtime/R20)
//
// The context of such a task is no child of the one that it was given: it must not end in a shield.
// So it has that one's values and deadline only, and it is the task that ends it. Package context
// lets nobody choose what Err returns, and a deadline that has passed is one: so inheritedContext
// has a channel of its own.
//
// Rejected alternatives
//
//   - Looking at the context in each function that waits. A task that waits already must be woken.
//   - A goroutine for each task, which waits for its context.
//   - Tasks that inherit from whatever spawns them. It would cost each task a field, and few use
//     it; SpawnContext is given cx.Context().

// A heritage is what a task hands on to the tasks that run its parts. It is set before the first of
// them is published and never changes.
type heritage struct {
	from     context.Context // has the values and a deadline; nil if there is none
	deadline int64           // of timeouts around the task, on the runtime's clock; or endless
	group    *Group          // that has called the function; nil if none has
}

const endless = int64(never)

var noHeritage = heritage{deadline: endless} // never changes

func (h *heritage) inherited() *heritage { return h }

// heritage returns what t hands on. The runner calls it.
func (t *task) heritage() *heritage {
	if heir, ok := t.ownBody().(interface{ inherited() *heritage }); ok {
		return heir.inherited()
	}
	return &noHeritage
}

// over reports whether the context has ended.
func (h *heritage) over() bool { return h.from != nil && h.from.Err() != nil }

// cancelErr returns the error of a task that was cancelled: why its context ended, if that has, in
// terms of this package. Any goroutine may call it.
func (h *heritage) cancelErr() error {
	if !h.over() {
		return ErrCancelled
	}
	err, ended := ErrCancelled, h.from.Err()
	if isTimeout(ended) {
		err = ErrTimeout
	}
	for _, detail := range []error{ended, context.Cause(h.from)} {
		switch {
		case errors.Is(err, detail):
		case errors.Is(detail, err):
			err = detail
		default:
			err = fmt.Errorf("%w: %w", err, detail)
		}
	}
	return err
}

// A binding cancels a task when a context ends, and is a joiner of that task.
type binding struct {
	heritage
	joiner joiner
	// stop takes the registration back. It is set before the task is published, and called when
	// the task has ended.
	stop   func() bool
	queued queued
}

// queued says that a task was queued since it was made: its maker accesses it no more, so that it
// may be hurried. The maker sets it; whoever cancels the task loads it after that. (runtime/R80)
type queued struct{ atomic.Bool }

// set is called when t is queued, or RUNNING. It hurries t if that was cancelled meanwhile.
func (q *queued) set(t *task) {
	q.Store(true) // partner: whoever loads it after Cancel
	if t.state.Load().Cancelled() {
		t.hurry()
	}
}

// bind binds t, a new task, to ctx, and returns true, or returns false if ctx has ended. Whoever
// spawns t calls it before t is published.
func (b *binding) bind(t *task, ctx context.Context) bool {
	b.heritage = heritage{from: ctx, deadline: endless}
	if ctx.Err() != nil {
		return false
	}
	if ctx.Done() != nil {
		b.stop = t.rt.afterContext(ctx, func() { b.end(t) })
		b.joiner.waker = b
		t.joiners.Store(&b.joiner)
		t.state.Join()
	}
	return true
}

// end is called when the context has ended.
func (b *binding) end(t *task) {
	if t.cancel(nil) && b.queued.Load() {
		t.hurry()
	}
}

// wake is called when the task has ended, by its last runner.
func (b *binding) wake(*worker) { b.stop() }

// A contextCall is a call with a context.
type contextCall[T any] struct {
	call[T]
	binding
}

func newContextCall[T any](rt *Runtime, fn func(Cx) (T, error)) *contextCall[T] {
	c := &contextCall[T]{}
	c.fn = fn
	t := &c.call.task
	t.state = taskstate.New(references)
	t.body = c
	t.rt = rt
	return c
}

// SubmitContext is [Submit] for a task that ends with ctx. When ctx ends, the task is cancelled, as
// by [Handle.Cancel] from outside. If that comes before it has started, fn is not called, and the
// error says why, as follows. After the runtime was closed, the task ends with [ErrClosed] and fn
// is not called, also if ctx has ended.
//
// Functions that wait return an error of a cancelled task: one that errors.Is takes for
// [ErrCancelled], or for [ErrTimeout] if the deadline of ctx has passed; and for ctx.Err() and the
// cause of ctx. [Cx.Context] has the values and the deadline of ctx; so it has in functions that
// the task gives [Timeout], [Deadline] and [Scope], and in children of the scope. Other tasks that
// it spawns are not bound to ctx; see [SpawnContext].
//
// A context that outlives the task does not keep it. It panics if ctx or fn is nil.
func SubmitContext[T any](
	ctx context.Context, rt *Runtime, fn func(Cx) (T, error),
) *Handle[T] {
	notNil(ctx, "SubmitContext")
	if fn == nil {
		panic("surewake: SubmitContext: nil function")
	}
	rt.check("SubmitContext")
	c := newContextCall(rt, fn)
	if t := &c.call.task; c.bind(t, ctx) {
		rt.submitBound(t, &c.binding)
	} else if rt.isOpen() {
		rt.refuse(t, c.cancelErr())
	} else {
		rt.refuse(t, ErrClosed)
	}
	return &c.Handle
}

// submitBound is submit for t, which b has bound. It ends t also if the context of b ends first.
func (rt *Runtime) submitBound(t *task, b *binding) {
	switch err := rt.takePlace(b.from, t); err {
	case nil:
		rt.enqueue(t)
		b.queued.set(t)
	case ErrClosed:
		rt.refuse(t, err)
	default:
		rt.refuse(t, b.cancelErr())
	}
}

// SpawnContext is [Spawn] for a task that ends with ctx, as [SubmitContext] says. With ctx from
// [Cx.Context], the new task is cancelled at the latest when the calling one ends, and finds the
// same values.
func SpawnContext[T any](ctx context.Context, cx Cx, fn func(Cx) (T, error)) *Handle[T] {
	notNil(ctx, "SpawnContext")
	if fn == nil {
		panic("surewake: SpawnContext: nil function")
	}
	cx.check("SpawnContext")
	cx.refuseForeign()
	w := cx.coroutine.worker
	c := newContextCall(w.rt, fn)
	if t := &c.call.task; c.bind(t, ctx) {
		t.parent = cx.coroutine.asParent()
		w.spawn(t)
		c.queued.set(t)
	} else {
		w.refuse(t, c.cancelErr())
	}
	return &c.Handle
}

// An inheritedContext is the context of a task that has a heritage.
type inheritedContext struct {
	// Context has the values and, when it has ended, the cause.
	context.Context
	from     *heritage
	over     context.CancelCauseFunc // ends Context
	deadline time.Time               // zero if there is none
	once     sync.Once
	done     chan struct{}
	err      atomic.Pointer[error] // stored by end, loaded by any goroutine
}

// values returns a context that has the values of the heritage and never ends.
func (h *heritage) values() context.Context {
	if h.from == nil {
		return context.Background()
	}
	return context.WithoutCancel(h.from)
}

// inherit returns the context of a task of rt that has the heritage h, and values.
func (h *heritage) inherit(rt *Runtime, values context.Context) *inheritedContext {
	c := &inheritedContext{from: h, done: make(chan struct{})}
	if h.from != nil {
		c.deadline, _ = h.from.Deadline()
	}
	if h.deadline != endless {
		d := rt.timeAt(h.deadline)
		if c.deadline.IsZero() || d.Before(c.deadline) {
			c.deadline = d
		}
	}
	c.Context, c.over = context.WithCancelCause(values)
	return c
}

// end ends the context, once, with the cause why. What is derived asks for Err when Context has
// ended, and whoever has seen done asks for the cause.
func (c *inheritedContext) end(why error) {
	c.once.Do(func() {
		err := context.Canceled
		// The cause of a cancellation may speak of a deadline, too.
		if errors.Is(why, context.DeadlineExceeded) &&
			c.from.over() && isTimeout(c.from.from.Err()) {
			err = context.DeadlineExceeded
		}
		c.err.Store(&err)
		c.over(why)
		close(c.done)
	})
}

// Deadline implements context.Context.
func (c *inheritedContext) Deadline() (time.Time, bool) {
	return c.deadline, !c.deadline.IsZero()
}

// Done implements context.Context.
func (c *inheritedContext) Done() <-chan struct{} { return c.done }

// Err implements context.Context.
func (c *inheritedContext) Err() error {
	if ended := c.err.Load(); ended != nil {
		return *ended
	}
	return nil
}

// AfterFunc lets package context end the contexts that are derived from c, without a goroutine.
func (c *inheritedContext) AfterFunc(f func()) (stop func() bool) {
	return context.AfterFunc(c.Context, f)
}
