package runtime

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/surewake/surewake/taskstate"
)

// Blocking tasks
//
// A blocking task runs on a goroutine of its own, a thread of the pool. A thread is started when a
// task comes and none is free, up to a maximum; beyond it, tasks wait in a queue. A thread that
// finds the queue empty waits for a while and then ends; the one that became free last is used
// first.
//
//	push     under the lock, the first that is possible: 1 give the task to a free thread
//	         2 start a thread  3 append to the queue
//	thread   under the lock, the first that is possible: 1 take from the queue  2 end, if the
//	         runtime has ended  3 become free
//
// So whenever the lock is free, the queue is empty or all threads that are allowed run tasks.
//
// A blocking task is RUNNING from the start: the pool is its runner, also while it is queued. No
// other goroutine can claim it, so a join waits for it. A cancellation is noticed when a thread
// takes it.
//
// Threads count as running workers, so that the runtime is done only after they have ended.

// blocking is the pool of a runtime. Any goroutine may call its methods.
type blocking struct {
	rt   *Runtime
	lock sync.Mutex
	// The rest, up to the counters, is under the lock.
	queue     []*task
	free      []*thread            // threads that wait; the last is used first
	all       map[*thread]struct{} // all threads
	cancelled bool                 // push ends its task, if that was not started in a shield
	stopped   bool                 // threads end instead of waiting

	// The counters are read by any goroutine, and written under the lock except completed.
	threads, idle, queued       atomic.Int64
	started, spawned, completed atomic.Uint64
}

// A thread is a goroutine that runs blocking tasks.
type thread struct {
	next chan *task // receives the task that ends its wait
	// task is what it runs, or nil, and does what its body says of it. Under the lock of the pool.
	task *task
	does any
	// goroutine is the number of its goroutine. Stored by that when it begins, loaded by any
	// goroutine that asks whether it is one of the pool: only its own number is found for certain.
	goroutine atomic.Pointer[string]
}

// begins notes that th runs t next. It is called under the lock.
func (th *thread) begins(t *task) { th.task, th.does = t, t.body.does() }

// ends notes that th runs nothing. It is called under the lock.
func (th *thread) ends() { th.task, th.does = nil, nil }

// A blockingCall is a task that calls a function on a thread.
type blockingCall[T any] struct {
	Handle[T]
	fn func() (T, error) // as in call
}

func (c *blockingCall[T]) poll(Cx) bool {
	fn := c.fn
	c.fn = nil
	value, err := fn()
	c.value = value
	if err != nil {
		c.failWith(err)
	}
	return true
}

func (c *blockingCall[T]) discardInput() { c.fn = nil }

// A blockingContextCall is a blockingCall whose function is given a context.
type blockingContextCall[T any] struct {
	Handle[T]
	binding
	fn func(context.Context) (T, error) // as in call
}

func (c *blockingContextCall[T]) poll(Cx) bool {
	fn := c.fn
	c.fn = nil
	value, err := fn(c.rt.contexts.get(&c.task))
	c.value = value
	if err != nil {
		c.failWith(err)
	}
	return true
}

func (c *blockingContextCall[T]) discardInput() { c.fn = nil }

// SpawnBlocking starts a task that calls fn on a goroutine of its own, where it may block. There
// are at most as many of these goroutines as [BlockingThreads] says; further tasks wait for one. If
// the runtime is being cancelled, the task ends with [ErrClosed] and fn is not called.
//
// Cancellation and [Runtime.Close] end tasks whose fn has not been called; they wait for the others
// until fn returns. fn may lock its thread. It may call Goexit, and the task ends with [ErrGoexit].
// It must not wait for the end of the runtime: [Runtime.Close] and [Runtime.Shutdown] panic in it.
//
// The call synchronizes before fn. It panics if fn is nil, or if cx is not that of the running
// task.
func SpawnBlocking[T any](cx Cx, fn func() (T, error)) *Handle[T] {
	if fn == nil {
		panic("surewake: SpawnBlocking: nil function")
	}
	cx.check("SpawnBlocking")
	cx.refuseForeign()
	c := &blockingCall[T]{fn: fn}
	c.becomeBlocking(cx.task.rt, c)
	cx.coroutine.worker.spawnBlocking(&c.task)
	return &c.Handle
}

// SpawnBlockingContext is [SpawnBlocking] for a function that is told when it must end. Its context
// ends with ctx, and when the task is cancelled or the runtime closed; also, when it has returned.
// It has the values and the deadline of ctx. If that has ended, fn is not called. Errors are those
// of [SubmitContext], or [ErrClosed], also if fn returns the Err of its context.
//
// It panics if ctx or fn is nil, or if cx is not that of the running task.
func SpawnBlockingContext[T any](
	ctx context.Context, cx Cx, fn func(ctx context.Context) (T, error),
) *Handle[T] {
	notNil(ctx, "SpawnBlockingContext")
	if fn == nil {
		panic("surewake: SpawnBlockingContext: nil function")
	}
	cx.check("SpawnBlockingContext")
	cx.refuseForeign()
	c := &blockingContextCall[T]{fn: fn}
	c.becomeBlocking(cx.task.rt, c)
	c.bind(&c.task, ctx)
	cx.coroutine.worker.spawnBlocking(&c.task)
	return &c.Handle
}

// SubmitBlocking is [SpawnBlocking] for any goroutine. After the runtime was closed, the task ends
// with [ErrClosed] and fn is not called.
func SubmitBlocking[T any](rt *Runtime, fn func() (T, error)) *Handle[T] {
	if fn == nil {
		panic("surewake: SubmitBlocking: nil function")
	}
	rt.check("SubmitBlocking")
	c := &blockingCall[T]{fn: fn}
	c.becomeBlocking(rt, c)
	rt.submitBlocking(&c.task, nil)
	return &c.Handle
}

// SubmitBlockingContext is [SpawnBlockingContext] for any goroutine. After the runtime was closed,
// the task ends with [ErrClosed] and fn is not called, also if ctx has ended.
func SubmitBlockingContext[T any](
	ctx context.Context, rt *Runtime, fn func(ctx context.Context) (T, error),
) *Handle[T] {
	notNil(ctx, "SubmitBlockingContext")
	if fn == nil {
		panic("surewake: SubmitBlockingContext: nil function")
	}
	rt.check("SubmitBlockingContext")
	c := &blockingContextCall[T]{fn: fn}
	c.becomeBlocking(rt, c)
	c.bind(&c.task, ctx)
	rt.submitBlocking(&c.task, &c.binding)
	return &c.Handle
}

// becomeBlocking makes t a new blocking task of rt that does what b does.
func (t *task) becomeBlocking(rt *Runtime, b body) {
	t.state = taskstate.New(references)
	t.state.ToRunning()
	t.body = b
	t.rt = rt
	rt.outside.spawned.Add(1) // its end is counted outside too
}

// spawnBlocking queues t, a new blocking task that the running task of w starts.
func (w *worker) spawnBlocking(t *task) {
	w.takeCredit(1)
	if w.rt.adorns.Load() {
		w.adorn(t)
	}
	w.rt.blocking.push(t)
	w.hasWoken()
}

// submitBlocking queues t, a new blocking task from outside, when there is a place for it, or ends
// it if rt is closed, or b says that its context has ended.
func (rt *Runtime) submitBlocking(t *task, b *binding) {
	ctx := context.Background()
	if b != nil {
		ctx = b.from
	}
	err := rt.takePlace(ctx, t)
	switch {
	case err != nil:
		rt.live.Add(1)
		if err != ErrClosed {
			err = b.cancelErr()
		}
	case rt.admit():
		rt.record(t)
		rt.blocking.push(t)
		return
	default:
		err = ErrClosed
	}
	t.completeWith(nil, err)
}

// isThread reports whether the calling goroutine is a thread of p, so that it runs a blocking task.
func (p *blocking) isThread() bool {
	if p.threads.Load() == 0 {
		return false
	}
	number, _ := header()
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.thread(number) != nil
}

// thread returns the thread whose goroutine has that number, or nil. It is called under the lock.
func (p *blocking) thread(number string) *thread {
	for th := range p.all {
		if its := th.goroutine.Load(); its != nil && *its == number {
			return th
		}
	}
	return nil
}

// running returns the run of the blocking task that runs on the calling goroutine, or nil. Debug is
// on.
func (p *blocking) running() *run {
	if p.threads.Load() == 0 {
		return nil
	}
	number, _ := header()
	p.lock.Lock()
	defer p.lock.Unlock()
	th := p.thread(number)
	if th == nil || th.task == nil {
		return nil
	}
	return &run{
		task: th.task, record: p.rt.records.get(th.task), does: th.does,
		deadline: th.task.heritage().hasDeadline(),
	}
}

// quiet reports whether each thread is free, or waits for the end of tasks of the runtime. Then all
// that is queued does, too: it is queued while no thread is free.
func (p *blocking) quiet() bool {
	if p.threads.Load() == 0 {
		return true
	}
	guards.lock.Lock()
	defer guards.lock.Unlock()
	p.lock.Lock() // a thread that ends changes two of the counters
	defer p.lock.Unlock()
	for th := range p.all {
		if th.task == nil {
			continue // free, or about to be: then it sets the timer of Debug
		}
		number := th.goroutine.Load()
		if number == nil || !guards.waitsForTasks(*number, p.rt) {
			return false
		}
	}
	return true
}

// demand returns the names of the tasks for which there is no thread, and those that have one.
func (p *blocking) demand() (queued map[*task]string, busy []any) {
	p.lock.Lock()
	defer p.lock.Unlock()
	queued = make(map[*task]string, len(p.queue))
	for _, t := range p.queue {
		queued[t] = textOf(t.body.does())
	}
	for th := range p.all {
		if len(queued) > 0 && th.task != nil {
			busy = append(busy, th.task)
		}
	}
	return queued, busy
}

// push gives t, which is counted in live, to a thread or the queue.
func (p *blocking) push(t *task) {
	p.lock.Lock()
	if p.cancelled && t.closing() {
		p.lock.Unlock()
		t.completeWith(nil, ErrClosed)
		return
	}
	p.spawned.Add(1)
	switch n := len(p.free); {
	case n > 0:
		free := p.free[n-1]
		p.free[n-1] = nil
		p.free = p.free[:n-1]
		p.idle.Add(-1)
		free.begins(t)
		free.next <- t // there is room
	case p.threads.Load() < int64(p.rt.config.blockingThreads):
		p.threads.Add(1)
		p.started.Add(1)
		p.rt.running.Add(1)
		me := &thread{next: make(chan *task, 1)}
		if p.all == nil {
			p.all = map[*thread]struct{}{}
		}
		p.all[me] = struct{}{}
		me.begins(t)
		go p.run(me, t)
	default:
		p.queue = append(p.queue, t)
		p.queued.Add(1)
	}
	p.lock.Unlock()
}

// run is the thread me. It runs t, unless that is nil, and then further tasks.
func (p *blocking) run(me *thread, t *task) {
	normal := false
	defer func() {
		if !normal {
			go p.run(me, nil) // the task has called Goexit; a new goroutine continues the thread
		}
	}()
	p.rt.label()
	number, _ := header()
	me.goroutine.Store(&number) // before the first task; nobody else has this number
	timer := time.NewTimer(p.rt.config.blockingKeepAlive)
	for {
		if t != nil {
			p.call(t)
		}
		var stays bool
		if t, stays = p.take(me); t != nil {
			continue
		}
		if stays {
			t = p.wait(me, timer)
		}
		if t == nil {
			break
		}
	}
	timer.Stop()
	normal = true
	p.rt.workerStopped()
}

// call runs t, or ends it if it must end.
func (p *blocking) call(t *task) {
	switch {
	case t.closing():
		p.completed.Add(1)
		t.completeWith(nil, ErrClosed)
		return
	case t.state.Load().CancelEffective() || t.heritage().over():
		p.completed.Add(1)
		t.completeWith(nil, t.heritage().cancelErr())
		return
	}
	normal := false
	defer func() {
		defer t.complete(nil)
		p.completed.Add(1)
		if !normal {
			t.recordPanic(recover(), nil)
		}
	}()
	t.body.poll(Cx{})
	normal = true
}

// take returns the next task of the queue. If there is none, it makes me free, or returns false for
// stays: then the thread must end.
func (p *blocking) take(me *thread) (t *task, stays bool) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if len(p.queue) > 0 {
		t = p.queue[0]
		p.queue[0] = nil
		p.queue = p.queue[1:]
		p.queued.Add(-1)
		me.begins(t)
		return t, true
	}
	p.queue = nil
	me.ends()
	if p.stopped {
		p.threads.Add(-1)
		delete(p.all, me)
		return nil, false
	}
	p.free = append(p.free, me)
	p.idle.Add(1)
	p.rt.asleep.set(p.rt)
	return nil, true
}

// wait returns the task that me is given, or nil when the thread must end.
func (p *blocking) wait(me *thread, timer *time.Timer) *task {
	timer.Reset(p.rt.config.blockingKeepAlive)
	select {
	case t := <-me.next:
		return t
	case <-timer.C:
	}
	p.lock.Lock()
	for i, free := range p.free {
		if free == me {
			p.free = append(p.free[:i], p.free[i+1:]...)
			p.idle.Add(-1)
			p.threads.Add(-1)
			delete(p.all, me)
			p.lock.Unlock()
			return nil
		}
	}
	p.lock.Unlock()
	return <-me.next // push took me from free first
}

// cancel ends all queued tasks, and makes push end all further ones, except tasks that were started
// in a shield.
func (p *blocking) cancel() {
	p.lock.Lock()
	var queue, kept []*task
	for _, t := range p.queue {
		if t.closing() {
			queue = append(queue, t)
		} else {
			kept = append(kept, t)
		}
	}
	p.queue, p.cancelled = kept, true
	p.queued.Store(int64(len(kept)))
	p.lock.Unlock()
	for _, t := range queue {
		p.completed.Add(1)
		t.completeWith(nil, ErrClosed)
	}
}

// stop ends the free threads, and those that become free: no task is left.
func (p *blocking) stop() {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.stopped = true
	p.threads.Add(-int64(len(p.free)))
	p.idle.Store(0)
	for _, free := range p.free {
		delete(p.all, free)
		close(free.next)
	}
	p.free = nil
}
