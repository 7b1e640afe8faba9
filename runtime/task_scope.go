package runtime

import (
	"sync"

	"github.com/surewake/surewake/taskstate"
)

// Scopes
//
// A scope has a list of its children that have not ended, and the task that opened it waits until the list is empty. Each child has a
// joiner from the start, which its completion wakes: that takes it out of the list. So children that are not in the list have
// ended, in whatever way, and their handles say so.
//
// The body is the first child. So a child that fails can end it, where it waits, and a body that panics or calls Goexit is a child
// that does.
//
// What was not done
//
//   - To join the children, one after another. Their handles may be detached.
//   - To run those that have not begun on top of the task that waits, as a join does. That task would not learn that it is
//     cancelled, and its children neither, before the one on top of it has ended.

// A TaskScope is what [Scope] gives its body: children of the scope may be started while it exists.
type TaskScope struct {
	owner *task
	lock  sync.Mutex
	// The rest is under the lock.

	head    child // of a ring: the children that have not ended
	waiting bool  // the owner wants to be woken when the ring is empty
	ended   bool  // the scope has ended
	err     error // what Scope returns
}

// A child is what a task has in the list of its scope, and the waker of its first joiner.
type child struct {
	previous, next *child // under the scope's lock
	scope          *TaskScope
	task           *task
	joiner         joiner
}

// Scope calls body, in a task of its own, and waits until that and all children of the scope have ended: the tasks that
// [SpawnIn] has started, from the body or from children. If one of them ends with an error, all others are cancelled. It returns
// that error, the first one, or nil.
//
// If the calling task is cancelled, all children are, and Scope returns [ErrCancelled] or [ErrClosed], after they have ended.
//
// It panics if body is nil.
func Scope(cx Cx, body func(cx Cx, s *TaskScope) error) error {
	if body == nil {
		panic("runtime: Scope: nil function")
	}
	cx.check("Scope")
	s := &TaskScope{owner: cx.task}
	s.head.previous, s.head.next = &s.head, &s.head
	SpawnIn(cx, s, func(cx Cx) (struct{}, error) { return struct{}{}, body(cx, s) })
	if !s.drain(cx) {
		s.fail(cx.task.stopErr())
		cx.Shield(func() { s.drain(cx) })
	}
	return s.err
}

// A scoped is a task of a scope.
type scopeTask[T any] struct {
	call[T]
	child
}

// SpawnIn is [Spawn] of a child of s. A child of a cancelled scope ends with [ErrCancelled] and fn is not called.
//
// It panics if fn is nil, s has ended or belongs to another runtime, or cx is not that of the running task.
func SpawnIn[T any](cx Cx, s *TaskScope, fn func(Cx) (T, error)) *Handle[T] {
	if fn == nil {
		panic("runtime: SpawnIn: nil function")
	}
	cx.check("SpawnIn")
	if s == nil || s.owner == nil {
		panic("runtime: SpawnIn: the TaskScope is none; it is what Scope gives its body")
	}
	w := cx.coroutine.worker
	if s.owner.rt != w.rt {
		panic("runtime: SpawnIn: the scope belongs to another runtime")
	}
	c := &scopeTask[T]{}
	c.fn = fn
	t := &c.call.task
	t.state = taskstate.New(references)
	t.body = &c.call
	t.rt = w.rt
	if s.addChild(&c.child, t) {
		w.spawn(t)
		return &c.Handle
	}
	w.count.spawned++
	w.takeCredit(1)
	t.state.ToRunning()
	t.completeWith(w, ErrCancelled)
	return &c.Handle
}

// Cancel cancels all children of the scope, and those that are still to come; [Scope] returns [ErrCancelled] unless it had an error before.
// Anyone may call it.
func (s *TaskScope) Cancel() { s.fail(ErrCancelled) }

// enter makes t a child of s, and reports whether it did: it does not if s is cancelled. The task that spawns t calls it, before
// anybody else can have t.
func (s *TaskScope) addChild(c *child, t *task) bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.ended {
		panic("runtime: SpawnIn: the scope has ended")
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
	if c.task.err != nil {
		s.fail(c.task.err.error)
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	c.previous.next, c.next.previous = c.next, c.previous
	c.previous, c.next = nil, nil
	if s.waiting && s.head.next == &s.head {
		s.waiting = false
		s.owner.wake(w)
	}
}

// fail cancels all children if nothing has before. Anyone may call it.
func (s *TaskScope) fail(err error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.err != nil || s.ended {
		return
	}
	s.err = err
	for c := s.head.next; c != &s.head; c = c.next {
		c.task.cancel(nil)
	}
}

// drain waits until all children have ended; it gives up, and returns false, if the owner is to end. The owner calls it.
func (s *TaskScope) drain(cx Cx) bool {
	for s.wait() {
		if cx.task.stopErr() != nil {
			return false
		}
		cx.coroutine.suspend(taskWaits)
	}
	return true
}

// wait reports whether there are children; then the owner is woken when there are none. If there are none, there will be none.
func (s *TaskScope) wait() bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.waiting = s.head.next != &s.head
	s.ended = !s.waiting
	return s.waiting
}
