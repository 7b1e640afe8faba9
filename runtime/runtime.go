package runtime

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/surewake/surewake/idle"
	"github.com/surewake/surewake/injector"
)

// A Runtime runs tasks on a fixed number of workers. [New] makes one; it must not be copied.
type Runtime struct {
	config     config
	base       time.Time // the clock counts from here
	workers    []*worker // never changes
	idle       *idle.Coordinator
	coroutines coroutineList
	futures    futureList
	timers     timers
	watches    watches
	slots      slotSnapshot
	// places is those of tasks from outside.
	places places
	// blocking runs the blocking tasks.
	blocking blocking

	injector injector.Queue[*task]
	_        [64]byte
	// live counts tasks and the credit of the workers; see sched_live.go. Any goroutine adds and
	// loads.
	live atomic.Int64
	_    [120]byte
	// outside counts what no worker counts: tasks that were refused or run on goroutines of their
	// own, what others than workers cancel, panics. Any goroutine adds and loads.
	outside struct{ spawned, completed, cancelled, panicked atomic.Uint64 }

	// mode only rises: open, draining, cancelled. Loaded by all, raised by raiseMode.
	mode atomic.Int32
	// adorns is set once a task has entered a shield, and from the start with Debug: spawns have
	// more to do then. Set by tasks, loaded by spawns.
	adorns atomic.Bool
	// noted counts the tasks that were told to end while they could not go on at once. Loaded by
	// each join.
	noted atomic.Uint64
	// driver is the number of the driver plus 1, or 0, and the flag notScanning; see sched_idle.go.
	// A worker stores its own number and 0; any goroutine loads.
	driver atomic.Int32
	// finished: the workers are told to stop. Set once, by stopIfDone; loaded by those that search.
	finished atomic.Bool
	// running counts workers, blocking threads and goroutines in Go's poller that have not stopped.
	running  atomic.Int32
	done     chan struct{}
	contexts contexts
	ends     ends
	waits    waitNotes   // with Debug
	asleep   asleepTimer // with Debug
	records  records
	// outsiders counts what may end waits of tasks from outside; see observe_outside.go. Any
	// goroutine adds, quiet loads.
	outsiders atomic.Int64
	// joinersLock orders removals from the lists of joiners of all tasks.
	joinersLock sync.Mutex
}

const (
	open int32 = iota
	draining
	cancelled
)

// New starts a runtime. An option that is out of range makes it return an error that names the
// option, its value and the range. The runtime keeps its workers until [Runtime.Shutdown] or
// [Runtime.Close] ends it, also if nothing refers to it any more.
func New(options ...Option) (*Runtime, error) {
	c, err := configure(options)
	if err == nil {
		err = c.chooseParker()
	}
	if err != nil {
		return nil, err
	}
	rt := assemble(c)
	guards.add(rt)
	rt.asleep.begin(rt)
	rt.start()
	if c.watchdog > 0 {
		go newWatchdog(rt).run()
	}
	return rt, nil
}

// assemble returns a runtime whose workers do not run yet.
func assemble(c config) *Runtime {
	rt := &Runtime{
		config: c,
		base:   time.Now(),
		idle:   idle.New(c.workers),
		slots:  slotSnapshot{tasks: make([]*task, c.workers)},
		done:   make(chan struct{}),
	}
	rt.places.limit, rt.places.free = c.maxTasks, c.maxTasks
	rt.timers.init()
	rt.blocking.rt = rt
	rt.workers = make([]*worker, c.workers)
	for i := range rt.workers {
		rt.workers[i] = newWorker(rt, i)
	}
	rt.running.Store(int32(c.workers))
	rt.adorns.Store(c.debug)
	return rt
}

// start starts the workers. Of many, only one begins to run: each that looks through the queues of
// all, to fall asleep, would take time by the square of their number. The others are dormant.
// (runtime/R53)
func (rt *Runtime) start() {
	if len(rt.workers) > rt.config.awake {
		for _, w := range rt.workers[1:] {
			w.lieDown()
		}
		if rt.takeable(rt.workers[0]) { // one look for all that have lain down
			rt.notify()
		}
		go rt.workers[0].run()
		return
	}
	for _, w := range rt.workers {
		go w.run()
	}
}

// Run makes a runtime with options, calls fn in a task of it as [SubmitContext] does, waits until
// that task and all others have ended, and returns the result of fn; or the error of [New]. When
// ctx ends, all tasks are cancelled: that of fn because of ctx, the others as by [Runtime.Close].
//
// The threads of the workers begin and end with it, which takes as long as hundreds of tasks do
// (BenchmarkRun): for calls that come often, keep a runtime that [New] has made, or use [Default].
//
// It is for goroutines that are not tasks, since it would block a worker. It panics if ctx or fn is
// nil, and with [Debug] if a task calls it.
func Run[T any](
	ctx context.Context, fn func(Cx) (T, error), options ...Option,
) (T, error) {
	notNil(ctx, "Run")
	if fn == nil {
		panic("surewake: Run: nil function")
	}
	refuseBlocking("Run")
	defer guards.enter("Run")()
	rt, err := New(options...)
	if err != nil {
		var zero T
		return zero, err
	}
	h := SubmitContext(ctx, rt, fn)
	if rt.watched() { // ctx ends the other tasks, too
		defer rt.afterContext(ctx, func() {})()
	}
	select {
	case <-h.Done():
	case <-ctx.Done():
	}
	rt.raiseMode(draining)
	select {
	case <-rt.done:
	case <-ctx.Done():
		h.Cancel() // before the other end of the task, which would be the reason for its end
		rt.raiseMode(cancelled)
		<-rt.done
	}
	return h.result()
}

// check panics if New has not made rt; what is the name of the calling function.
func (rt *Runtime) check(what string) {
	if rt == nil {
		panic("surewake: " + what + ": nil Runtime; New makes one")
	}
	if rt.done == nil {
		panic("surewake: " + what + ": the zero Runtime; New makes one")
	}
}

// now returns the runtime's clock: nanoseconds since its start, monotonic.
func (rt *Runtime) now() int64 {
	if rt.config.clock != nil {
		return rt.config.clock()
	}
	return int64(time.Since(rt.base))
}

// clockAt returns what the runtime's clock shows at a time, which has just been read.
func (rt *Runtime) clockAt(now time.Time) int64 {
	if rt.config.clock != nil {
		return rt.config.clock()
	}
	return int64(now.Sub(rt.base))
}

// timeAt returns the time at which now will return clock, or did.
func (rt *Runtime) timeAt(clock int64) time.Time {
	if rt.config.clock != nil {
		return time.Now().Add(time.Duration(clock - rt.config.clock()))
	}
	return rt.base.Add(time.Duration(clock))
}

// submit queues t, a new task from outside, when there is a place for it, or ends it if the runtime
// is closed.
func (rt *Runtime) submit(t *task) {
	if rt.takePlace(context.Background(), t) != nil {
		rt.refuse(t, ErrClosed)
		return
	}
	rt.enqueue(t)
}

// enqueue queues t, a new task from outside, and returns true, or ends it if the runtime is closed.
func (rt *Runtime) enqueue(t *task) bool {
	if rt.config.debug {
		rt.record(t)
	}
	if !rt.injector.Submit([]*task{t}) {
		rt.refuse(t, ErrClosed)
		return false
	}
	rt.notify()
	return true
}

// refuse ends t, a new task from outside, with err: the runtime is closed, or the context of t has
// ended.
func (rt *Runtime) refuse(t *task, err error) {
	t.state.ToRunning()
	rt.live.Add(1)
	rt.outside.spawned.Add(1)
	t.completeWith(nil, err)
}

// cancelling reports whether Close was called, so that every task outside of shields must end.
func (rt *Runtime) cancelling() bool { return rt.mode.Load() == cancelled }

// Shutdown closes the runtime to new tasks from outside, waits until all tasks have ended,
// including those that they spawn, and stops the workers. It returns nil then. If ctx ends first,
// it returns the error of ctx, as [Handle.Wait] does; the runtime stays closed and its tasks run
// on, until [Runtime.Close] ends them. It returns [ErrClosed] at once if the runtime is closed
// already. It panics if ctx is nil.
//
// It is for goroutines that are not tasks; a task calls [Cx.Shutdown]. It panics if a task of the
// runtime, a blocking one included, or a function of [OnPanic] calls it on the goroutine of a task.
// In an iter.Pull of a task, it is not noticed, and waits for ever.
func (rt *Runtime) Shutdown(ctx context.Context) error {
	rt.check("Shutdown")
	notNil(ctx, "Shutdown")
	rt.refuseDefault("Shutdown")
	rt.refuseEnd("Shutdown")
	if !rt.raiseMode(draining) {
		return ErrClosed
	}
	return rt.await(ctx, "Shutdown")
}

// Close closes the runtime to new tasks, cancels all tasks, waits until they have ended, and stops
// the workers. Tasks that have not started end with [ErrClosed]. In others, functions that wait
// return ErrClosed, outside of shields. In tasks that were cancelled before, the error is that of
// the cancellation. Close waits for tasks that neither wait nor check [Cx.Err]. It returns nil,
// also after Shutdown; or [ErrClosed], at once, if Close was called before, by a task too:
// [Runtime.Done] tells when that has done its work.
//
// It is for goroutines that are not tasks; a task calls [Cx.Close]. It panics as Shutdown does.
func (rt *Runtime) Close() error {
	rt.check("Close")
	rt.refuseDefault("Close")
	rt.refuseEnd("Close")
	if !rt.raiseMode(cancelled) {
		return ErrClosed
	}
	return rt.await(context.Background(), "Close")
}

// Done returns a channel that is closed when the runtime has been closed, all tasks have ended, and
// all workers have stopped.
func (rt *Runtime) Done() <-chan struct{} {
	rt.check("Done")
	return rt.done
}

// Shutdown is [Runtime.Shutdown] for tasks. It does not wait, since the calling task has to end
// first. It returns [ErrClosed] if the runtime is closed already.
func (cx Cx) Shutdown() error {
	cx.check("Shutdown")
	cx.task.rt.refuseDefault("Cx.Shutdown")
	if !cx.task.rt.raiseMode(draining) {
		return ErrClosed
	}
	return nil
}

// Close is [Runtime.Close] for tasks. It does not wait, since the calling task has to end first. It
// returns [ErrClosed] if Close was called before.
func (cx Cx) Close() error {
	cx.check("Close")
	cx.task.rt.refuseDefault("Cx.Close")
	if !cx.task.rt.raiseMode(cancelled) {
		return ErrClosed
	}
	return nil
}

// await waits until all workers have stopped, or returns the error of ctx; what is the name of the
// calling function.
func (rt *Runtime) await(ctx context.Context, what string) error {
	defer guards.enter(what)()
	select {
	case <-rt.done:
		return nil
	case <-ctx.Done():
		return contextErr(ctx)
	}
}

// raiseMode closes the runtime: it raises the mode and does what that entails. It returns false if
// the mode was as high already. (runtime/R7)
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
	rt.places.close()
	if mode == cancelled {
		rt.wakeCancelled()
		rt.blocking.cancel()
	}
	rt.stopIfDone(true) // partner: subtractLive, which lowers live and then loads mode
	return true
}

// wakeCancelled wakes all tasks that wait and ends the contexts of those that must end. It is
// called when the runtime is being cancelled.
func (rt *Runtime) wakeCancelled() {
	// Partner: worker.toIdle, which loads mode after lastSuspended or futures names the task.
	rt.coroutines.wakeAll()
	rt.futures.wakeAll()
	rt.contexts.cancelAll()
}

// workerStopped is called at the end of whatever running counts. The last one ends the runtime.
func (rt *Runtime) workerStopped() {
	if rt.running.Add(-1) == 0 {
		rt.watches.close()
		guards.remove(rt)
		rt.asleep.end()
		close(rt.done)
	}
}
