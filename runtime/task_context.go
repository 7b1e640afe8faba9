package runtime

import (
	"context"
	"sync"
	"sync/atomic"
)

// Context returns a context that ends when the task is to end or has ended: for functions that know contexts. It has no deadline and no
// values; each call of one task returns the same. Its cause is [ErrCancelled] if the task was cancelled, [ErrClosed] if its
// runtime was closed, as for [Cx.Err], which may say so a moment earlier, and context.Canceled if the task has ended. In a shield, it does
// not end, but one that has ended stays so.
//
// A task that calls a function with it which waits blocks its worker; what only waits for the end of a context is
// [Cx.AwaitContext].
func (cx Cx) Context() context.Context {
	cx.check("Context")
	return cx.task.rt.contexts.get(cx.task)
}

// A taskContext is the context of a task. It is one of the joiners of the task, which tells it of the end.
type taskContext struct {
	context.Context
	end   context.CancelCauseFunc
	owner *task
}

// wake is called when the task has ended.
func (c *taskContext) wake(*worker) {
	c.owner.rt.contexts.remove(c.owner)
	why := c.owner.stopErr()
	if why == nil {
		why = context.Canceled
	}
	c.end(why)
}

// attend makes the completion of t, whose runner calls it, look at the joiners. If t is detached, it does so anyway; and then Join panics.
func (t *task) requestJoinerWake() {
	defer func() {
		if t.detached() { // perhaps in between
			recover()
		}
	}()
	if !t.detached() {
		t.state.Join()
	}
}

// contexts are those of a runtime. Anyone may call its methods.
type contexts struct {
	// count is len(all): stored under the lock, loaded by anybody.
	count atomic.Int64
	lock  sync.Mutex
	all   map[*task]*taskContext
}

// of returns the context of t, whose runner calls it.
func (cs *contexts) get(t *task) context.Context {
	cs.lock.Lock()
	c := cs.all[t]
	if c == nil {
		c = &taskContext{owner: t}
		c.Context, c.end = context.WithCancelCause(context.Background())
		if cs.all == nil {
			cs.all = map[*task]*taskContext{}
		}
		cs.all[t] = c
		cs.count.Store(int64(len(cs.all)))
		t.pushJoiner(&joiner{waker: c})
		t.requestJoinerWake()
	}
	cs.lock.Unlock()
	cs.cancel(t) // partner: task.cancel and Runtime.raiseMode, which look here after they have said so
	return c.Context
}

// cancel ends the context of t, if it has one and is to end.
func (cs *contexts) cancel(t *task) {
	if cs.count.Load() == 0 {
		return
	}
	err := t.stopErr()
	if err == nil {
		return
	}
	cs.lock.Lock()
	c := cs.all[t]
	cs.lock.Unlock()
	if c != nil {
		c.end(err)
	}
}

// cancelAll ends the contexts of all tasks that are to end: all but those in a shield, which see to it when they leave it.
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

// AwaitContext waits until ctx has ended, and returns nil; or [Cx.Err] if the task is to end before that, or when it is called. Why ctx has
// ended, context.Cause tells. It panics if ctx is nil.
func (cx Cx) AwaitContext(ctx context.Context) error {
	cx.check("AwaitContext")
	notNil(ctx, "AwaitContext")
	if err := cx.task.stopErr(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		cx.charge()
		return nil
	}
	stop := cx.wakeAfter(ctx)
	defer stop()
	for {
		cx.coroutine.suspend(taskWaits)
		if ctx.Err() != nil {
			return nil
		}
		if err := cx.task.stopErr(); err != nil {
			return err
		}
	}
}

// wakeAfter wakes the task when ctx ends, unless stop is called before. It costs a goroutine then, and until then only if ctx is of a
// kind that package context does not know.
func (cx Cx) wakeAfter(ctx context.Context) (stop func() bool) {
	t := cx.task
	return context.AfterFunc(ctx, func() { t.wake(nil) })
}
