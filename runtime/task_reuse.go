package runtime

import "github.com/surewake/surewake/taskstate"

// Tasks that are used again
//
// The memory of a task is used again when nobody but its owner has it. What there is besides:
//
//	stale entries   each has a reference (taskstate), and so has the runner until it has woken the
//	                joiners: with either there are more than the owner's, and Renew refuses. Else
//	                the runner would take joiners of the next life, or an entry drop a reference
//	                of that
//	cancellers      the owner, which is not in Join then; and links, through which a cancellation
//	                of the owner arrives when the next life has begun. A life that was linked is
//	                shared, and its memory not used again
//	forks           a thief removes a link from the joiners when the fork has ended, and so maybe
//	                its task. A task that has forked is shared
//	wakers          anybody, late: a channel, a timer, a walk along joiners. These have only the
//	                word and the runtime, which stays the same. A wake of the former life is one
//	                in the next life without a cause, and each wait looks whether it has one: a
//	                wake of a former wait of the same life is late in the same way (runtime/R12)
//	rescuers        compare what is in a slot with what was there. They take an entry that is
//	                there, if of a later life, then too soon
//
// A task that the owner joins before anybody has taken it from the slot has none of these. When one
// of them is in the way, the next life is in new memory, so the rule for users is only that a life
// is joined before the next one begins.
//
// Rejected alternatives
//
//   - Wakers with references. Each wait would take two more locked instructions.
//   - Plain stores for a new life, where Renew has one locked instruction. A late wake loads the
//     word meanwhile, and could put back what it found.
//   - A handle that knows its life, for any goroutine. A cancel would have to compare the life and
//     change the word at once, so the word would have to count lives, and wrap.
//   - Waiting for the stale entry. It may be behind hundreds of tasks.

// A Task is memory for tasks that are started one after the other: [Task.Spawn] starts one,
// [Task.Join] waits for its end, and then Spawn may start the next. That saves the allocation of
// [Spawn], unless the memory cannot be used again yet. So it is for loops that spawn the same few
// tasks in each round, and for fork-join in which a [Fork] does not do.
//
// The zero Task is ready for use. A Task belongs to one task of a runtime from Spawn to Join, which
// must make all calls, and then to whoever has it. If that task ends without Join, by a panic say,
// the Task cannot be used any more; *t = Task[T]{} makes it a new one. It must not be copied.
type Task[T any] struct {
	_    [0]func()    // not to be compared
	last *reusable[T] // of the last start; nil before the first
	self *Task[T]     // itself; nil before the first start
	open bool         // from Spawn to Join
}

// A reusable is a task that a Task starts.
type reusable[T any] struct {
	call[T]
	// shared is whether its memory must not be used again; see above. Stored by the runner, and
	// read by the owner when it has found the task COMPLETE.
	shared bool
}

func (r *reusable[T]) leaveMemory() { r.shared = true }

// share keeps the memory of t from being used for another task. The runner calls it, before others
// get to know t that may cancel it or change the list of its joiners.
func (t *task) share() {
	if r, ok := t.ownBody().(interface{ leaveMemory() }); ok {
		r.leaveMemory()
	}
}

// Spawn starts a task that calls fn, as the function [Spawn] does. It panics if the end of the task
// before has not been seen: if there was no [Task.Join]. It panics if fn is nil, or if cx is not
// that of the running task.
func (t *Task[T]) Spawn(cx Cx, fn func(Cx) (T, error)) {
	if fn == nil {
		panic("surewake: Task.Spawn: nil function")
	}
	cx.check("Task.Spawn")
	if t.self != t || t.open {
		t.first()
	}
	co := cx.coroutine
	w := co.worker
	r := t.last
	if r == nil || r.shared || r.rt != w.rt || co.tracing || !r.state.Renew(references) {
		r = &reusable[T]{}
		r.state = taskstate.New(references)
		r.rt = w.rt
		t.last = r
	}
	r.body = r
	r.fn = fn
	r.parent = co.asParent()
	w.spawn(&r.task)
	t.open = true
}

// first is the part of Spawn for what is rare: the first call, and calls that are refused.
func (t *Task[T]) first() {
	switch {
	case t.open:
		panic("surewake: Task.Spawn: the end of the task before has not been seen; Join it first")
	case t.self != nil:
		panic("surewake: Task.Spawn: a copy of a Task")
	}
	t.self = t
}

// started returns the task, which cx must have started and not joined; what is the name of the
// calling method.
func (t *Task[T]) started(cx Cx, what string) *reusable[T] {
	cx.checkHere(what)
	switch {
	case t.self != t:
		if t.self == nil {
			panic("surewake: " + what + ": the zero Task; Spawn starts it")
		}
		panic("surewake: " + what + ": a copy of a Task")
	case !t.open:
		panic("surewake: " + what + ": the task has been joined already")
	case t.last.rt != cx.task.rt || !cx.coroutine.isChild(&t.last.task): // runtime/R1
		panic("surewake: " + what + ": only the task that has spawned it may do this")
	}
	return t.last
}

// Join waits for the end of the task and returns its result, as [Handle.Join] of a child does. The
// Task keeps nothing of the result. Join panics unless the calling task has called Spawn, and not
// Join since.
func (t *Task[T]) Join(cx Cx) (T, error) {
	r := t.started(cx, "Task.Join")
	if !r.ended() {
		_ = cx.join(&r.task) // no error: it is a child
	}
	var none T
	t.open = false
	value := r.value
	r.value = none
	if f := r.failure(); f != nil {
		r.body = r
		return value, cx.joined(&r.task, f)
	}
	return value, nil
}

// Cancel asks the task to end, as [Handle.Cancel] does. It panics unless the calling task has
// called Spawn, and not Join since.
func (t *Task[T]) Cancel(cx Cx) {
	if r := t.started(cx, "Task.Cancel"); r.cancel(cx.coroutine.worker) {
		r.hurry()
	}
}
