package runtime

import (
	"sync"

	"github.com/surewake/surewake/taskstate"
)

// Scopes
//
// A scope lists its children that have not ended, and the task that opened it waits until the list
// is empty. Each child has a joiner from the start, which its completion wakes and which removes it
// from the list. So a child that is not in the list has ended, however that happened, and its
// handle says so.
//
// The body is the first child. So a failing child can end the body where it waits, and a body that
// panics or calls Goexit is a child that does.
//
// Rejected alternatives
//
//   - Joining the children one after another. Their handles may be detached.
//   - Running unstarted children on top of the waiting task, as a join does. That task, and so its
//     children, would learn of a cancellation only after the one on top of it has ended.

// A TaskScope is a scope that [Scope] has opened. [SpawnIn] starts children in it until it has
// ended.
type TaskScope struct {
	owner *task
	heritage
	ties *joinTie // of the children, with Debug. It never changes
	lock sync.Mutex
	// The rest is under the lock.

	head    child // of a ring: the children that have not ended
	waiting bool  // the owner is to be woken when the ring is empty
	ended   bool  // the scope has ended
	err     error // what Scope returns
}

// A child is the entry of a task in the list of its scope, and the waker of the task's first
// joiner.
type child struct {
	previous, next *child // under the scope's lock
	scope          *TaskScope
	task           *task
	joiner         joiner
	queued         queued
}

// Scope calls body in a task of its own, and waits until that task and all children of the scope
// have ended: the tasks that body, or a child, has started with [SpawnIn]. If one of them ends with
// an error, Scope cancels the others. It returns the first error, or nil.
//
// If the calling task must end, all children are cancelled, and Scope returns [ErrCancelled] or
// [ErrClosed] after they have ended. It panics if body is nil.
func Scope(cx Cx, body func(cx Cx, s *TaskScope) error) error {
	if body == nil {
		panic("surewake: Scope: nil function")
	}
	cx.check("Scope")
	cx.refuseForeign()
	s := &TaskScope{owner: cx.task, heritage: *cx.task.heritage(), ties: cx.coroutine.tieParts()}
	s.head.previous, s.head.next = &s.head, &s.head
	b := &scopeBody{body: body}
	b.fn = func(cx Cx) (struct{}, error) { return struct{}{}, body(cx, s) }
	s.start(cx, &b.call.task, b, &b.child)
	if !s.drain(cx) {
		s.fail(cx.stopErr(), cx.coroutine.worker)
		cx.Shield(func() { s.drain(cx) })
	}
	return s.err
}

// A scopeTask is a task of a scope.
type scopeTask[T any] struct {
	call[T]
	child
}

func (c *scopeTask[T]) inherited() *heritage { return &c.scope.heritage }
func (c *scopeTask[T]) tiedTo() *joinTie     { return c.scope.ties }

// A scopeBody is the task of the body of a scope.
type scopeBody struct {
	scopeTask[struct{}]
	body func(Cx, *TaskScope) error // what it shows to others; never changes
}

// SpawnIn is [Spawn] for a child of s. A child of a cancelled scope ends with [ErrCancelled] and fn
// is not called.
//
// It panics if fn is nil, if s has ended or belongs to another runtime, or if cx is not that of the
// running task.
func SpawnIn[T any](cx Cx, s *TaskScope, fn func(Cx) (T, error)) *Handle[T] {
	if fn == nil {
		panic("surewake: SpawnIn: nil function")
	}
	cx.check("SpawnIn")
	cx.refuseForeign()
	s.check("SpawnIn")
	w := cx.coroutine.worker
	if s.owner.rt != w.rt {
		panic("surewake: SpawnIn: the scope belongs to another runtime")
	}
	c := &scopeTask[T]{}
	c.fn = fn
	s.start(cx, &c.call.task, c, &c.child)
	return &c.Handle
}

// start starts t, a new task with the body b, as a child of s.
func (s *TaskScope) start(cx Cx, t *task, b body, c *child) {
	w := cx.coroutine.worker
	t.state = taskstate.New(references)
	t.body = b
	t.rt = w.rt
	if s.addChild(c, t) {
		t.parent = cx.coroutine.asParent()
		w.spawn(t)
		c.queued.set(t)
	} else {
		w.refuse(t, ErrCancelled)
	}
}

// Cancel cancels all children of the scope, present and future. [Scope] returns [ErrCancelled],
// unless it has an error already. Any goroutine may call it.
func (s *TaskScope) Cancel() {
	s.check("TaskScope.Cancel")
	s.fail(ErrCancelled, nil)
}

// check panics if Scope has not made s. (runtime/R14)
func (s *TaskScope) check(what string) {
	if s == nil || s.owner == nil {
		panic("surewake: " + what + ": the TaskScope is none; it is what Scope gives its body")
	}
}

// addChild lists t as a child of s and returns true, or returns false if s is cancelled. The task
// that spawns t calls it before t is published.
func (s *TaskScope) addChild(c *child, t *task) bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.ended {
		panic("surewake: SpawnIn: the scope has ended")
	}
	if s.err != nil {
		return false
	}
	c.task, c.scope = t, s
	c.previous, c.next = &s.head, s.head.next
	c.next.previous, s.head.next = c, c
	c.joiner.waker = c
	t.joiners.Store(&c.joiner)
	t.state.Join()
	return true
}

// wake is called when the child has ended, by its last runner.
func (c *child) wake(w *worker) {
	s := c.scope
	if f := c.task.failure(); f != nil {
		s.fail(f.error, w)
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	c.previous.next, c.next.previous = c.next, c.previous
	c.previous, c.next = nil, nil
	if s.waiting && s.head.next == &s.head {
		s.waiting = false
		if s.err != nil {
			s.owner.wakeFirst(w)
		} else {
			s.owner.wake(w)
		}
	}
}

// fail makes err the result of the scope and cancels all children, unless there is an error
// already. Any goroutine may call it; w is the worker that it belongs to, or nil.
func (s *TaskScope) fail(err error, w *worker) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.err != nil || s.ended {
		return
	}
	s.err = err
	for c := s.head.next; c != &s.head; c = c.next {
		if c.task.cancel(w) && c.queued.Load() {
			c.task.hurry()
		}
	}
}

// drain waits until all children have ended and returns true, or returns false if the owner must
// end first. The owner calls it.
func (s *TaskScope) drain(cx Cx) bool {
	for s.wait() {
		if cx.stopErr() != nil {
			return false
		}
		cx.coroutine.suspend(taskWaits)
	}
	return true
}

// wait returns true if there are children; then the owner is woken when there are none. Otherwise
// it ends the scope.
func (s *TaskScope) wait() bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.waiting = s.head.next != &s.head
	s.ended = !s.waiting
	return s.waiting
}
