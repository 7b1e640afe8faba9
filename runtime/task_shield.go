package runtime

import "sync/atomic"

// Shields against Close
//
// What a task starts in a shield has to go on when the runtime is closed, or the shielded function
// could not use tasks. So a task that was started in a shield does not notice Close, and neither do
// the tasks that it starts, until that shield has been left. Its own cancellation it does notice: a
// timeout in a shield ends its function.
//
//	spawn            1 if its task is in a shield or was started in one: give the new task the
//	                 span
//	a task that      1 publish that it waits  2 load the mode and whether its span lasts: if it
//	waits            must end, wake it
//	Close            1 raise the mode  2 wake all tasks that wait
//	end of a shield  1 end the span  2 load the mode: if the runtime is being cancelled, wake all
//	                 Whichever comes last, the mode, the end of the span or the wait, the task is
//	                 woken and ends. (runtime/R15)
//
// Rejected alternatives
//
//   - Starting these tasks in a shield. They could not be cancelled, by a timeout either.
//   - A flag in each task. No spawn outside of shields pays for this, and a task has no room.

// A shieldSpan is the time from the first spawn in a shield until the task has left its outermost
// one. Tasks that were started in it do not notice Close while it lasts.
type shieldSpan struct {
	over atomic.Bool // stored by the runner of the task in the shield; loaded by any goroutine
	// outer is that in which the task itself was started, or nil. It never changes.
	outer *shieldSpan
}

// lasts reports whether s, or one around it, is not over. Any goroutine may call it; s may be nil.
func (s *shieldSpan) lasts() bool {
	for ; s != nil; s = s.outer {
		if !s.over.Load() { // partner: endSpan, which stores it and then wakes
			return true
		}
	}
	return false
}

// A shieldedBody is the body of a task that was started in a shield.
type shieldedBody struct {
	body
	span *shieldSpan
}

// mustRun is that of a future or a fork; see endUnstarted.
func (b *shieldedBody) mustRun() bool {
	d, ok := b.body.(interface{ mustRun() bool })
	return ok && d.mustRun()
}

// An openSpan is the span of a task on a coroutine.
type openSpan struct {
	task *task
	span *shieldSpan
}

// ownBody returns what t does if it is not suspended. The runner calls it.
func (t *task) ownBody() body {
	if b, ok := t.body.(*shieldedBody); ok {
		return b.body
	}
	return t.body
}

// span returns the span in which t was started, or nil. The runner calls it.
func (t *task) span() *shieldSpan {
	b := t.body
	if co, suspended := b.(*coroutine); suspended {
		b = co.savedBody
	}
	if b, ok := b.(*shieldedBody); ok {
		return b.span
	}
	return nil
}

// closing reports whether t must end because of Close, unless it is in a shield of its own. The
// runner calls it.
func (t *task) closing() bool { return t.rt.cancelling() && t.hasNoSpan() }

// hasNoSpan reports whether t was not started in a shield, or that has been left. It is a function
// of its own so that the first half of closing can be inlined.
func (t *task) hasNoSpan() bool { return !t.span().lasts() }

// inheritSpan gives t, a new task, the span of the running task, if that has one.
func (w *worker) inheritSpan(t *task) {
	if span := w.current.spanToInherit(); span.lasts() {
		t.body = &shieldedBody{t.body, span}
	}
}

// spanToInherit returns the span for what the running task starts, or nil.
func (co *coroutine) spanToInherit() *shieldSpan {
	t := co.task
	if t.state.Load().Shield() == 0 {
		return t.span()
	}
	if n := len(co.spans); n > 0 && co.spans[n-1].task == t {
		return co.spans[n-1].span
	}
	span := &shieldSpan{}
	if outer := t.span(); outer.lasts() {
		span.outer = outer
	}
	co.spans = append(co.spans, openSpan{t, span})
	return span
}

// endSpan ends the span of t, the running task, if it has one: t has left its outermost shield.
func (co *coroutine) endSpan(t *task) {
	n := len(co.spans) - 1
	if n < 0 || co.spans[n].task != t {
		return
	}
	co.spans[n].span.over.Store(true) // partner: toIdle, which loads it after the task is published
	co.spans[n] = openSpan{}
	co.spans = co.spans[:n]
	if t.rt.cancelling() {
		t.rt.wakeCancelled()
	}
}
