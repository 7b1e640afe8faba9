package runtime

import (
	"context"
	"fmt"
	"iter"

	"github.com/surewake/surewake/taskstate"
)

// A TaskBatch is tasks that were started together: one allocation for all of them, one lock to queue them. Its methods may be called by
// anybody, save for Join. A handle of one of its tasks keeps all of them from the collector.
type TaskBatch[T any] struct {
	tasks []batchTask[T]
	fn    func(Cx, int) (T, error)
}

// A batched is a task of a batch.
type batchTask[T any] struct {
	Handle[T]
	index int
	batch *TaskBatch[T] // nil once the function has been called; the runner's
}

func (b *batchTask[T]) poll(cx Cx) bool {
	batch := b.batch
	b.batch = nil
	value, err := batch.fn(cx, b.index)
	b.value = value
	if err != nil {
		b.err = &failure{err}
	}
	return true
}

func (b *batchTask[T]) discardInput() { b.batch = nil }

// SpawnBatch starts n tasks, which call fn with 0 to n-1. They go to the queue that all workers share, in order. If the runtime is being
// cancelled, they end with [ErrClosed] and fn is not called.
//
// The call synchronizes before fn. It panics if fn is nil, n < 0, or cx not that of the running task.
func SpawnBatch[T any](cx Cx, n int, fn func(cx Cx, i int) (T, error)) *TaskBatch[T] {
	checkBatch("SpawnBatch", n, fn == nil)
	cx.check("SpawnBatch")
	w := cx.coroutine.worker
	b := newBatch(w.rt, n, fn)
	w.count.spawned += uint64(n)
	b.queue(w.rt, false)
	return b
}

// SubmitBatch is [SpawnBatch] from outside. After the runtime was closed, all tasks end with [ErrClosed] and fn is not called.
func SubmitBatch[T any](rt *Runtime, n int, fn func(cx Cx, i int) (T, error)) *TaskBatch[T] {
	checkBatch("SubmitBatch", n, fn == nil)
	b := newBatch(rt, n, fn)
	if !b.queue(rt, true) {
		for i := range b.tasks {
			rt.refuse(&b.tasks[i].task)
		}
	}
	return b
}

func checkBatch(what string, n int, isNil bool) {
	if isNil {
		panic("runtime: " + what + ": nil function")
	}
	if n < 0 {
		panic(fmt.Sprintf("runtime: %s: %d tasks; there must be 0 or more", what, n))
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

// queue queues all tasks, or none: then it returns false.
func (b *TaskBatch[T]) queue(rt *Runtime, fresh bool) bool {
	ok := rt.injector.fill(fresh, len(b.tasks), func(dst []*task, from int) {
		for i := range dst {
			dst[i] = &b.tasks[from+i].task
		}
	})
	if ok && len(b.tasks) > 0 {
		rt.notify() // who takes some of them notifies the next
	}
	return ok
}

// Len returns the number of tasks.
func (b *TaskBatch[T]) Len() int { return len(b.tasks) }

// Handle returns the handle of task i. It panics unless 0 <= i < Len().
func (b *TaskBatch[T]) Handle(i int) *Handle[T] {
	if i < 0 || i >= len(b.tasks) {
		panic(fmt.Sprintf("runtime: Handle(%d) of a batch of %d tasks", i, len(b.tasks)))
	}
	return &b.tasks[i].Handle
}

// All returns all handles, in order.
func (b *TaskBatch[T]) All() iter.Seq2[int, *Handle[T]] {
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
	for i := range b.tasks {
		b.tasks[i].Cancel()
	}
}

// Join waits for the end of all tasks, as [Handle.Join] does, and returns their values, in order. The error is nil, or that of the first
// task in this order that has one, or why the calling task did not wait to the end: then the values are nil. It panics if
// a handle is detached or the batch belongs to another runtime.
//
// The calling task waits; it does not run the tasks itself, since they are run in order anyway.
func (b *TaskBatch[T]) Join(cx Cx) ([]T, error) {
	cx.check("Join")
	if len(b.tasks) > 0 && b.tasks[0].rt != cx.task.rt {
		panic("runtime: Join: the batch belongs to another runtime")
	}
	cx.charge()
	return b.collect("Join", func(h *Handle[T]) error { return cx.await(&h.task) })
}

// Wait waits for the end of all tasks and returns what [TaskBatch.Join] does, or the error of ctx if that ends first. It is for goroutines
// that are not tasks.
func (b *TaskBatch[T]) Wait(ctx context.Context) ([]T, error) {
	return b.collect("Wait", func(h *Handle[T]) error {
		if _, err := h.Wait(ctx); err != nil && !h.ended() {
			return err
		}
		return nil
	})
}

// collect returns all results; wait waits for the end of a task, or says why it does not. It begins at the end: when the last task has ended,
// nearly all have.
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
		if t.err != nil {
			first = t.err
		}
	}
	if first != nil {
		return values, first.error
	}
	return values, nil
}
