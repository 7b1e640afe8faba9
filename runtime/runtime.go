package runtime

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/surewake/surewake/idle"
)

// A Runtime runs tasks on a fixed number of workers. Use [New]; a Runtime must not be copied.
type Runtime struct {
	config     config
	base       time.Time // the clock counts from here
	workers    []*worker // never changes
	idle       *idle.Coordinator
	coroutines coroutineList
	futures    futureList
	timers     timers
	watches    watches
	// blocking runs the blocking tasks.
	blocking blocking

	injector injector
	_        [64]byte
	// live is how many tasks there are, and the credit of the workers; see sched_live.go. Anyone adds and loads.
	live atomic.Int64
	_    [120]byte
	// outside counts tasks that are no worker's: they were refused, or run on goroutines of their own. Anyone adds and loads.
	outside struct{ spawned, completed atomic.Uint64 }

	// mode only goes up: open, draining, cancelled. Loaded by everybody, raised by whoever closes.
	mode atomic.Int32
	// driver is the number of the worker that sleeps until the next timer, plus 1, or 0; and notScanning. A worker sets and clears its own
	// number.
	driver   atomic.Int32
	finished atomic.Bool  // finish has been called; whoever sets it does it
	running  atomic.Int32 // workers that have not stopped, and threads of blocking
	done     chan struct{}
	contexts contexts
}

const (
	open int32 = iota
	draining
	cancelled
)

// New starts a runtime. It returns an error if an option is out of range, which names the option, its value and the range.
func New(options ...Option) (*Runtime, error) {
	c, err := configure(options)
	if err != nil {
		return nil, err
	}
	rt := assemble(c)
	for _, w := range rt.workers {
		go w.run()
	}
	return rt, nil
}

// assemble returns a runtime whose workers do not run yet.
func assemble(c config) *Runtime {
	rt := &Runtime{config: c, base: time.Now(), idle: idle.New(c.workers), done: make(chan struct{})}
	rt.timers.init()
	rt.futures.init()
	rt.blocking.rt = rt
	rt.workers = make([]*worker, c.workers)
	for i := range rt.workers {
		rt.workers[i] = newWorker(rt, i)
	}
	rt.running.Store(int32(c.workers))
	return rt
}

// now is the runtime's clock: nanoseconds since its start, monotonic.
func (rt *Runtime) now() int64 {
	if rt.config.clock != nil {
		return rt.config.clock()
	}
	return int64(time.Since(rt.base))
}

// submit queues a new task from outside.
func (rt *Runtime) submit(t *task) {
	if !rt.injector.push(true, t) {
		rt.refuse(t)
		return
	}
	rt.notify()
}

// refuse ends a new task that came from outside and too late.
func (rt *Runtime) refuse(t *task) {
	t.state.ToRunning()
	rt.live.Add(1)
	rt.outside.spawned.Add(1)
	t.completeWith(nil, ErrClosed)
}

// cancelling reports whether every task is to end.
func (rt *Runtime) cancelling() bool { return rt.mode.Load() == cancelled }

// Shutdown closes the runtime to new tasks from outside, waits until all tasks have ended, those that they spawn too, and its workers
// have stopped. It returns nil then, or the error of ctx if that ends first: then the runtime stays closed, the tasks run on, and
// [Runtime.Close] can end them. It returns [ErrClosed] at once if the runtime has been closed before.
//
// It is for goroutines that are not tasks; a task calls [Cx.Shutdown].
func (rt *Runtime) Shutdown(ctx context.Context) error {
	if !rt.raiseMode(draining) {
		return ErrClosed
	}
	return rt.await(ctx)
}

// Close closes the runtime to new tasks, cancels all that there are, and waits until they have ended and the workers have stopped. Tasks that
// have not begun end with [ErrClosed]; those that wait are told so, outside of their shields. It waits for tasks that do not wait
// and do not look at [Cx.Err]. It returns [ErrClosed] if Close has been called before, and nil otherwise, also after
// Shutdown.
//
// It is for goroutines that are not tasks; a task calls [Cx.Close].
func (rt *Runtime) Close() error {
	if !rt.raiseMode(cancelled) {
		return ErrClosed
	}
	return rt.await(context.Background())
}

// Done returns a channel that is closed when the runtime has been closed, all tasks have ended and all workers have stopped.
func (rt *Runtime) Done() <-chan struct{} { return rt.done }

// Shutdown begins what [Runtime.Shutdown] does and does not wait for it: the calling task is one of those that have to end first.
// It returns [ErrClosed] if the runtime has been closed before.
func (cx Cx) Shutdown() error {
	cx.check("Shutdown")
	if !cx.task.rt.raiseMode(draining) {
		return ErrClosed
	}
	return nil
}

// Close begins what [Runtime.Close] does and does not wait for it: the calling task is one of those that have to end first. It
// returns [ErrClosed] if Close has been called before.
func (cx Cx) Close() error {
	cx.check("Close")
	if !cx.task.rt.raiseMode(cancelled) {
		return ErrClosed
	}
	return nil
}

func (rt *Runtime) await(ctx context.Context) error {
	select {
	case <-rt.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// end raises the mode, and reports whether it did. (runtime/R7)
func (rt *Runtime) raiseMode(mode int32) bool {
	for {
		now := rt.mode.Load()
		if now >= mode {
			return false
		}
		if rt.mode.CompareAndSwap(now, mode) {
			break
		}
	}
	if mode == cancelled {
		rt.coroutines.wakeAll() // partner: worker.toIdle, which looks at mode after it has said who waits
		rt.futures.wakeAll()
		rt.contexts.cancelAll()
		rt.blocking.cancel()
	}
	rt.stopIfDone(true) // partner: Runtime.subtractLive, which looks at mode after it has taken from live
	return true
}

func (rt *Runtime) workerStopped() {
	if rt.running.Add(-1) == 0 {
		rt.watches.close()
		close(rt.done)
	}
}
