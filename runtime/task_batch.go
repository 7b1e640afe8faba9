package runtime

import (
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/surewake/surewake/taskstate"
)

// A TaskBatch is a set of tasks that were started together: with one allocation, and queued under
// one lock. Any goroutine may call its methods except Join, which is for tasks. A reachable handle
// of one task keeps all of them from being collected.
type TaskBatch[T any] struct {
	tasks []batchTask[T]
	fn    func(Cx, int) (T, error)
}

// A batchTask is a task of a batch.
type batchTask[T any] struct {
	Handle[T]
	index int
	batch *TaskBatch[T] // nil once the function has been called; accessed by the runner
}

func (b *batchTask[T]) poll(cx Cx) bool {
	batch := b.batch
	b.batch = nil
	value, err := batch.fn(cx, b.index)
	b.value = value
	if err != nil {
		b.failWith(err)
	}
	return true
}

func (b *batchTask[T]) discardInput() { b.batch = nil }

// SpawnBatch starts n tasks; task i calls fn with i. They are queued in order in the queue that all
// workers share. If the runtime is being cancelled, they end with [ErrClosed] and fn is not called.
//
// The call synchronizes before fn. It panics if fn is nil, if n < 0, or if cx is not that of the
// running task.
func SpawnBatch[T any](cx Cx, n int, fn func(cx Cx, i int) (T, error)) *TaskBatch[T] {
	checkBatch("SpawnBatch", n, fn == nil)
	cx.check("SpawnBatch")
	w := cx.coroutine.worker
	b := newBatch(w.rt, n, fn)
	if w.rt.adorns.Load() {
		for i := range b.tasks {
			w.adorn(&b.tasks[i].task)
		}
	}
	w.count.spawned += uint64(n)
	b.queue(w.rt, false)
	return b
}

// SubmitBatch is [SpawnBatch] for any goroutine. After the runtime was closed, all tasks end with
// [ErrClosed] and fn is not called.
func SubmitBatch[T any](rt *Runtime, n int, fn func(cx Cx, i int) (T, error)) *TaskBatch[T] {
	checkBatch("SubmitBatch", n, fn == nil)
	rt.check("SubmitBatch")
	b := newBatch(rt, n, fn)
	if rt.config.debug {
		for i := range b.tasks {
			rt.record(&b.tasks[i].task)
		}
	}
	if !b.takePlaces(rt) || !b.queue(rt, true) {
		for i := range b.tasks {
			rt.refuse(&b.tasks[i].task, ErrClosed)
		}
	}
	return b
}

// checkBatch panics if the arguments of the function called what are out of range.
func checkBatch(what string, n int, isNil bool) {
	if isNil {
		panic("surewake: " + what + ": nil function")
	}
	if n < 0 {
		panic(fmt.Sprintf("surewake: %s: %d tasks; there must be 0 or more", what, n))
	}
	if n > math.MaxInt32 {
		panic(fmt.Sprintf("surewake: %s: %d tasks; there must be at most %d", what, n,
			math.MaxInt32))
	}
}

func newBatch[T any](rt *Runtime, n int, fn func(Cx, int) (T, error)) *TaskBatch[T] {
	b := &TaskBatch[T]{tasks: make([]batchTask[T], n), fn: fn}
	for i := range b.tasks {
		t := &b.tasks[i]
		t.state = taskstate.New(references)
		t.body = t
		t.rt = rt
		t.index = i
		t.batch = b
	}
	return b
}

// takePlaces takes places for all tasks, if there is a limit, when there are so many, and returns
// true; or returns false if the runtime is closed.
func (b *TaskBatch[T]) takePlaces(rt *Runtime) bool {
	if rt.places.limit == 0 || len(b.tasks) == 0 {
		return true
	}
	if rt.waitForPlaces(context.Background(), len(b.tasks)) != nil {
		return false
	}
	for i := range b.tasks {
		b.tasks[i].parent = withPlace
	}
	return true
}

// queue queues all tasks and returns true, or none if fresh is set and the runtime is closed.
func (b *TaskBatch[T]) queue(rt *Runtime, fresh bool) bool {
	put := func(dst []*task, from int) {
		for i := range dst {
			dst[i] = &b.tasks[from+i].task
		}
	}
	ok := true
	if fresh {
		ok = rt.injector.SubmitFunc(len(b.tasks), put)
	} else {
		rt.injector.PushFunc(len(b.tasks), put)
	}
	if ok && len(b.tasks) > 0 {
		rt.notify() // a worker that takes some notifies the next
	}
	return ok
}

// Len returns the number of tasks.
func (b *TaskBatch[T]) Len() int {
	b.check("Len")
	return len(b.tasks)
}

// check panics if b is nil or the zero TaskBatch. (runtime/R14)
func (b *TaskBatch[T]) check(what string) {
	if b == nil || b.fn == nil {
		panic("surewake: TaskBatch." + what +
			": a nil or zero TaskBatch; SpawnBatch and SubmitBatch return one")
	}
}

// Handle returns the handle of task i. It panics unless 0 <= i < Len().
func (b *TaskBatch[T]) Handle(i int) *Handle[T] {
	b.check("Handle")
	if i < 0 || i >= len(b.tasks) {
		panic(fmt.Sprintf("surewake: Handle(%d) of a batch of %d tasks", i, len(b.tasks)))
	}
	return &b.tasks[i].Handle
}

// All returns an iterator over the indices and handles of all tasks, in order.
func (b *TaskBatch[T]) All() iter.Seq2[int, *Handle[T]] {
	b.check("All")
	return func(yield func(int, *Handle[T]) bool) {
		for i := range b.tasks {
			if !yield(i, &b.tasks[i].Handle) {
				return
			}
		}
	}
}

// Cancel cancels all tasks; see [Handle.Cancel].
func (b *TaskBatch[T]) Cancel() {
	b.check("Cancel")
	for i := range b.tasks {
		b.tasks[i].Cancel()
	}
}

// Join waits for the end of all tasks and returns their values, in order, and the error of the
// first task in this order that has one, or nil. If the calling task must end first, Join returns
// no values and [Cx.Err]. It panics if a handle is detached or the batch belongs to another
// runtime.
//
// The calling task does not run the tasks itself, as [Handle.Join] would: they are run in order.
func (b *TaskBatch[T]) Join(cx Cx) ([]T, error) {
	cx.checkHere("Join")
	b.check("Join")
	if len(b.tasks) > 0 && b.tasks[0].rt != cx.task.rt {
		panic("surewake: Join: the batch belongs to another runtime")
	}
	cx.charge()
	return b.collect("Join", func(h *Handle[T]) error { return cx.await(&h.task) })
}

// Wait is [TaskBatch.Join] for goroutines that are not tasks. If ctx ends first, it returns no
// values and the error of ctx, as [Handle.Wait] does.
func (b *TaskBatch[T]) Wait(ctx context.Context) ([]T, error) {
	b.check("Wait")
	notNil(ctx, "TaskBatch.Wait")
	return b.collect("Wait", func(h *Handle[T]) error {
		if _, err := h.Wait(ctx); err != nil && !h.ended() {
			return err
		}
		return nil
	})
}

// collect returns all results. wait waits for the end of one task, or returns why it does not.
// collect starts with the last task: when that has ended, nearly all have.
func (b *TaskBatch[T]) collect(what string, wait func(*Handle[T]) error) ([]T, error) {
	values := make([]T, len(b.tasks))
	var first *failure
	for i := len(values) - 1; i >= 0; i-- {
		t := &b.tasks[i]
		switch s := t.state.Load(); {
		case s.Detached():
			t.check(what)
		case s.Lifecycle() != taskstate.Complete:
			if err := wait(&t.Handle); err != nil {
				return nil, err
			}
		}
		values[i] = t.value
		if f := t.failure(); f != nil {
			first = f
		}
	}
	if first != nil {
		return values, first.error
	}
	return values, nil
}
