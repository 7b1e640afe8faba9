package runtime

import (
	"context"
	"sync"
	"sync/atomic"
)

// Context returns a context for functions that take one. It ends when the task must end, outside of
// shields, and when it has ended. Its cause is the error of [Cx.Err], or context.Canceled if the
// task has ended. Each call by the same task returns the same context. [Cx.Err] may return an error
// slightly earlier; if Context is called after that, outside of shields, the context that it
// returns has ended.
//
// The context has the values and the deadline of the one that the task was given ([SubmitContext]
// and others), and none otherwise. In a function that [Timeout] or [Deadline] calls, or a child of
// a [Scope] there, its deadline is the timeout's if that is earlier, or that of one around it. Also
// then it is the end of the task that ends the context, so not in a shield; Err returns
// context.DeadlineExceeded if it was the deadline of the given context that ended the task, and
// context.Canceled otherwise. The result of a task that must end and returns such an error is, by
// errors.Is, that error and the one of [Cx.Err].
//
// A function that waits on the context blocks the worker. To wait for a context, use
// [Cx.AwaitContext].
func (cx Cx) Context() context.Context {
	cx.check("Context")
	cx.coroutine.link()
	return cx.task.rt.contexts.get(cx.task)
}

// A taskContext is the context of a task. It is one of the task's joiners, and so learns of its
// end.
type taskContext struct {
	context.Context
	end   context.CancelCauseFunc
	owner *task
	// Those of the owner; they never change.
	span     *shieldSpan
	heritage *heritage
}

// why returns nil, or why the owner must end; see task.stopErr. Any goroutine may call it.
func (c *taskContext) why() error {
	s := c.owner.state.Load()
	switch {
	case s.CancelEffective():
		return c.heritage.cancelErr()
	case c.owner.rt.cancelling() && s.Shield() == 0 && !c.span.lasts():
		return ErrClosed
	}
	return nil
}

// wake ends the context when the task has ended.
func (c *taskContext) wake(*worker) {
	c.owner.rt.contexts.remove(c.owner)
	why := c.why()
	if why == nil {
		why = context.Canceled
	}
	c.end(why)
}

// requestJoinerWake makes the completion of t look at the joiners. The runner calls it. The
// completion of a detached task looks anyway, and Join would panic.
func (t *task) requestJoinerWake() {
	defer func() {
		if t.detached() { // since the check below
			_ = recover()
		}
	}()
	if !t.detached() {
		t.state.Join()
	}
}

// contexts is the set of all contexts of a runtime's tasks. Any goroutine may call its methods.
type contexts struct {
	// count is len(all): stored under the lock, loaded by any goroutine.
	count atomic.Int64
	lock  sync.Mutex
	all   map[*task]*taskContext
}

// get returns the context of t, whose runner calls it.
func (cs *contexts) get(t *task) context.Context {
	cs.lock.Lock()
	c := cs.all[t]
	if c == nil {
		c = &taskContext{owner: t, span: t.span(), heritage: t.heritage()}
		values, mark := t.rt.marked(c.heritage.values())
		if c.heritage == &noHeritage {
			c.Context, c.end = context.WithCancelCause(values)
		} else {
			inherited := c.heritage.inherit(t.rt, values)
			c.Context, c.end = inherited, inherited.end
		}
		if mark != nil {
			mark.done = c.Done()
		}
		if cs.all == nil {
			cs.all = map[*task]*taskContext{}
		}
		cs.all[t] = c
		cs.count.Store(int64(len(cs.all)))
		t.pushJoiner(&joiner{waker: c})
		t.requestJoinerWake()
	}
	cs.lock.Unlock()
	cs.cancel(t) // partner: task.cancel and raiseMode, which look here after storing theirs
	return c.Context
}

// cancel ends the context of t if t has one and must end.
func (cs *contexts) cancel(t *task) {
	if cs.count.Load() == 0 {
		return
	}
	cs.lock.Lock()
	c := cs.all[t]
	cs.lock.Unlock()
	if c == nil {
		return
	}
	if err := c.why(); err != nil {
		c.end(err)
	}
}

// cancelAll ends the contexts of all tasks that must end. A task in a shield ends its own when it
// leaves the shield.
func (cs *contexts) cancelAll() {
	cs.lock.Lock()
	var all []*taskContext
	for _, c := range cs.all {
		all = append(all, c)
	}
	cs.lock.Unlock()
	for _, c := range all {
		cs.cancel(c.owner)
	}
}

func (cs *contexts) remove(t *task) {
	cs.lock.Lock()
	defer cs.lock.Unlock()
	delete(cs.all, t)
	cs.count.Store(int64(len(cs.all)))
}

// AwaitContext waits until ctx has ended and returns nil; context.Cause says why it ended. It
// returns [Cx.Err] if the task must end. It panics if ctx is nil.
func (cx Cx) AwaitContext(ctx context.Context) error {
	cx.checkHere("AwaitContext")
	notNil(ctx, "AwaitContext")
	if err := cx.stopErr(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		cx.charge()
		return nil
	}
	if ctx.Done() == nil {
		return cx.awaitEnd()
	}
	stop := cx.wakeAfter(ctx)
	defer stop()
	for {
		cx.coroutine.suspend(taskWaits)
		if ctx.Err() != nil {
			return nil
		}
		if err := cx.stopErr(); err != nil {
			return err
		}
	}
}

// wakeAfter wakes the task when ctx ends, unless stop is called first. That takes a goroutine when
// ctx ends; before, only if ctx is of a type that package context does not know.
func (cx Cx) wakeAfter(ctx context.Context) (stop func() bool) {
	return cx.task.rt.afterContext(ctx, func() { cx.task.wakeFirst(nil) })
}
