package runtime

import (
	"fmt"
	"unsafe"
)

// WithClock sets the clock: nanoseconds that do not go back.
func WithClock(now func() int64) Option {
	return func(c *config) error {
		c.clock = now
		return nil
	}
}

// LookInterval returns how many polls the worker of cx lets go by between two looks at the
// injector.
func (cx Cx) LookInterval() int { return cx.coroutine.worker.tick.interval }

// SizeOfFutureTask is the size of the task of a poll-style body that is a pointer.
func SizeOfFutureTask[T any, F Future[T]]() uintptr { return unsafe.Sizeof(futureTask[T, F]{}) }

// Sizes are what everything else is built on.
func Sizes() (task_, handle, call_ uintptr) {
	return unsafe.Sizeof(task{}), unsafe.Sizeof(Handle[int]{}), unsafe.Sizeof(call[int]{})
}

// ListedFutures returns how many poll-style tasks have been IDLE and have not ended.
func (rt *Runtime) ListedFutures() int {
	l := &rt.futures
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.count
}

// Joiners returns how many wait for the end of h.
func (h *Handle[T]) Joiners() (n int) {
	for j := h.joiners.Load(); j != nil; j = j.next.Load() {
		switch j.waker.(type) {
		case *link, *record:
		default:
			n++
		}
	}
	return n
}

// Sleeping returns how many workers sleep.
func (rt *Runtime) Sleeping() int { return rt.idle.Parked() }

// Running returns how many workers and threads have not stopped.
func (rt *Runtime) Running() int { return int(rt.running.Load()) }

// Outsiders returns how many tasks wait for a Go channel or a context.
func (rt *Runtime) Outsiders() int { return int(rt.outsiders.Load()) }

// Live describes what is counted of tasks.
func (rt *Runtime) Live() string {
	return fmt.Sprint(rt.live.Load(), "+", rt.injector.Len())
}

// empty and fib are what tests run that need any task at all.
func empty(Cx) (int, error) { return 0, nil }

func fib(cx Cx, n int) (int, error) {
	if n < 2 {
		return n, nil
	}
	h := Spawn(cx, func(cx Cx) (int, error) { return fib(cx, n-1) })
	y, _ := fib(cx, n-2)
	x, err := h.Join(cx)
	return x + y, err
}

// Outer returns the runtime of the worker that cx runs on.
func Outer(cx Cx) *Runtime { return cx.coroutine.worker.rt }

// Idle reports whether all workers sleep.
func (rt *Runtime) Idle() bool { return rt.idle.Parked() == len(rt.workers) }

// WakerOf returns the waker of the task of h.
func WakerOf[T any](h *Handle[T]) Waker { return Waker{&h.task} }

// JoinNotes returns how many tasks Debug notes that wait, and on how many that have parts.
func JoinNotes(rt *Runtime) (waits, parts int) {
	rt.waits.lock.Lock()
	defer rt.waits.lock.Unlock()
	return len(rt.waits.waits), len(rt.waits.parts)
}

// TakeOneByOne lets the worker of a task take so many tasks from the injector one at a time, as
// after an overflow that has taken back some of a batch.
func TakeOneByOne(cx Cx, n int) { cx.coroutine.worker.oneByOne = n }
