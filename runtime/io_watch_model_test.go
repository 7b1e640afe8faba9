package runtime

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/runtime/internal/poll"
)

// A device is one descriptor, and a kernel that knows no other: it has bytes to read, and tells of
// the edge once. It waits as those of package poll do, which are checked there.
type device struct {
	bytes atomic.Int32
	// state has bit 0 while there is an interruption, and bit 1 while there is an edge to be told.
	state atomic.Uint32
	id    uint64 // under which it was added
}

const (
	interruption = 1
	edge         = 2
)

// put makes a byte ready to be read, and then tells the kernel, as drivers do.
func (d *device) put() {
	d.bytes.Add(1)
	d.state.Or(edge)
}

func (d *device) get() bool {
	n := d.bytes.Load()
	return n > 0 && d.bytes.CompareAndSwap(n, n-1)
}

func (d *device) Wait(events []poll.Event, timeout time.Duration) (n int, interrupted bool) {
	for timeout != 0 && d.state.Load() == 0 {
		runtime.Gosched()
	}
	state := d.state.And(interruption)
	if state&edge != 0 {
		events[0] = poll.Event{ID: d.id, Read: true}
		n++
	}
	return n, state&interruption != 0
}

func (d *device) Interrupt()        { d.state.Or(interruption) }
func (d *device) TakeBack()         { d.state.And(edge) }
func (d *device) Remove(fd uintptr) {}
func (d *device) Close()            {}

func (d *device) Add(_ uintptr, id uint64) (bool, error) {
	d.id = id
	return true, nil
}

// SyscallConn and what follows implement syscall.Conn and syscall.RawConn.
func (d *device) SyscallConn() (syscall.RawConn, error) { return d, nil }

func (d *device) Control(f func(uintptr)) error {
	f(0)
	return nil
}

func (d *device) Read(func(uintptr) bool) error  { return errors.ErrUnsupported }
func (d *device) Write(func(uintptr) bool) error { return errors.ErrUnsupported }

// world is one in which workers wait for d. They do not run yet.
func (d *device) world(x *model.Exec, workers int) world {
	w := stillWorld(x, workers)
	w.config.poller = Epoll
	w.config.kernel = func() (poll.Descriptors, error) { return d, nil }
	return w
}

func (w world) watch(d *device) *Watch {
	watch, err := w.Watch(d)
	w.x.Assert(err == nil, "Watch: %v", err)
	return watch
}

// A byte that comes at any time, before the try, between that and the wait, or when the worker
// sleeps in the kernel, ends the wait.
func TestReadinessIsNotLost(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		d := &device{}
		w := d.world(x, 1)
		watch := w.watch(d)
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			err := watch.Read(cx, func(uintptr) bool { return d.get() })
			w.last(cx)
			return 1, err
		})
		w.start()
		x.Go("device", d.put)
		v, err := w.await(h)
		x.Assert(v == 1 && err == nil, "the task ends with %v, %v", v, err)
	})
}

// As before, where another goroutine learns of the byte: it may be between the try and the line
// that the edge comes.
func TestEdgeFromElsewhereIsNotLost(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		d := &device{}
		w := d.world(x, 1)
		watch := w.watch(d)
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			err := watch.Read(cx, func(uintptr) bool { return d.get() })
			w.last(cx)
			return 1, err
		})
		w.start()
		x.Go("device", func() {
			d.bytes.Add(1)
			watch.directions[reading].edge(nil, nil)
		})
		v, err := w.await(h)
		x.Assert(v == 1 && err == nil, "the task ends with %v, %v", v, err)
	})
}

// A byte and a task from outside come to the worker that sleeps in the kernel, perhaps both in the
// same sleep.
func TestTokenAndEventComeTogether(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		d := &device{}
		w := d.world(x, 1)
		watch := w.watch(d)
		reader := Submit(w.Runtime, func(cx Cx) (int, error) {
			return 1, watch.Read(cx, func(uintptr) bool { return d.get() })
		})
		w.start()
		x.Go("device", d.put)
		var a count
		wait(x, Submit(w.Runtime, a.run), 1)
		wait(x, reader, 1)
		x.Join()
		w.shutdown()
	}, model.Preemptions(1))
}

// A task that is cancelled while a byte comes ends, with the byte or without; the line is empty
// then, and the byte is somewhere.
func TestCancelMeetsReadiness(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		d := &device{}
		w := d.world(x, 1)
		watch := w.watch(d)
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			err := watch.Read(cx, func(uintptr) bool { return d.get() })
			x.Assert(watch.directions[reading].waiting.first == nil,
				"the task has left and is still in line")
			return 1, err
		})
		w.start()
		x.Go("device", d.put)
		h.Cancel()
		_, err := h.Wait(context.Background())
		x.Join()
		w.shutdown()
		left := d.bytes.Load()
		x.Assert(err == nil && left == 0 || errors.Is(err, ErrCancelled) && left == 1,
			"%v, with %d bytes left", err, left)
	}, model.Preemptions(1))
}

// Close of the Watch ends the wait, whenever it comes.
func TestCloseOfAWatchIsNotMissed(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		d := &device{}
		w := d.world(x, 1)
		watch := w.watch(d)
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			err := watch.Read(cx, func(uintptr) bool { return d.get() })
			w.last(cx)
			return 1, err
		})
		w.start()
		x.Go("closer", func() { x.Assert(watch.Close() == nil, "Close fails") })
		_, err := w.await(h)
		x.Join()
		x.Assert(errors.Is(err, ErrWatchClosed), "the task ends with %v", err)
	})
}

// A worker that sleeps in the kernel wakes for tasks from outside, and for the end.
func TestKernelSleeperWakesForTasks(t *testing.T) {
	checkWholly(t, func(x *model.Exec) {
		d := &device{}
		w := d.world(x, 1)
		w.watch(d)
		w.start()
		var a count
		h := Submit(w.Runtime, a.run)
		wait(x, h, 1)
		w.shutdown()
		w.once(&a)
	})
}

// One of two workers waits in the kernel, at most; the first Watch comes when one of them sleeps in
// its parker.
func TestTwoWorkersAndADescriptor(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		d := &device{}
		w := d.world(x, 2)
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			watch := w.watch(d)
			err := watch.Read(cx, func(uintptr) bool { return d.get() })
			w.last(cx)
			return 1, err
		})
		w.start()
		x.Go("device", d.put)
		v, err := w.await(h)
		x.Assert(v == 1 && err == nil, "the task ends with %v, %v", v, err)
	}, model.Preemptions(1))
}

func TestCloseOfTheRuntimeInTheKernel(t *testing.T) {
	checkWholly(t, func(x *model.Exec) {
		d := &device{}
		w := d.world(x, 1)
		watch := w.watch(d)
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			return 1, watch.Read(cx, func(uintptr) bool { return d.get() })
		})
		w.start()
		x.Assert(w.Close() == nil, "Close fails")
		w.over()
		_, err := h.Wait(context.Background())
		x.Assert(errors.Is(err, ErrClosed), "the task ends with %v", err)
	})
}
