package pool

import (
	"errors"
	"runtime"
	"slices"
	"sync"

	"github.com/surewake/surewake/deque"
	"github.com/surewake/surewake/idle"
	"github.com/surewake/surewake/injector"
	"github.com/surewake/surewake/park"
)

// ErrClosed is returned by a Submit after Close.
var ErrClosed = errors.New("pool: Submit after Close")

// A Task is called with the worker that runs it.
type Task func(w *Worker)

// A Pool is a number of workers that run tasks. New makes one.
type Pool struct {
	idle    *idle.Coordinator
	workers []*Worker             // never changes
	queues  []deque.Stealer[Task] // of the workers, in their order; never changes
	shared  injector.Queue[Task]
	onPanic func(value any)
	running sync.WaitGroup // counts workers that have not ended
}

// A Worker runs one task at a time.
type Worker struct {
	pool  *Pool
	role  *idle.Worker
	token park.Parker // parked on by this worker, unparked by whoever has claimed it
	local *deque.Deque[Task]

	batch    []Task             // receives tasks from the injector
	overflow func(batch []Task) // moves what local has no room for to the injector
	looks    uint               // how often the worker has looked for a task
}

// New starts a pool of n workers, each with a queue of a capacity that [deque.New] accepts. onPanic
// is called with the value of each panic of a task, while its stack is still there; if it is nil,
// the panic of a task ends the program. onPanic must return.
func New(n, capacity int, onPanic func(value any)) *Pool {
	return newPool(n, capacity, onPanic).start()
}

func newPool(n, capacity int, onPanic func(value any)) *Pool {
	p := &Pool{idle: idle.New(n), onPanic: onPanic}
	for i := range n {
		p.workers = append(p.workers, &Worker{
			pool: p, role: p.idle.Worker(i),
			local: deque.New[Task](capacity), batch: make([]Task, capacity/2),
			overflow: p.shared.Push,
		})
		p.queues = append(p.queues, p.workers[i].local.Stealer())
	}
	return p
}

func (p *Pool) start() *Pool {
	p.running.Add(len(p.workers))
	for _, w := range p.workers {
		go w.work()
	}
	return p
}

// Submit queues tasks from outside the pool, all or, with ErrClosed, none. Any goroutine may call
// it; a task calls [Worker.Spawn], which is cheaper.
func (p *Pool) Submit(tasks ...Task) error {
	if !p.shared.Submit(tasks) {
		return ErrClosed
	}
	p.notify()
	return nil
}

// Close refuses further Submits, and returns when all tasks, and those that they spawned, have
// ended. Tasks must not call it, and must not wait for one another from then on.
func (p *Pool) Close() {
	p.shared.Close() // before the workers end: no Submit puts a task that nobody takes
	p.idle.Close(func(worker int) { p.unpark(worker, true) })
	p.running.Wait()
}

// Spawn queues tasks from inside. Only a task that w runs may call it, before it returns.
func (w *Worker) Spawn(tasks ...Task) {
	for _, t := range tasks[w.local.PushBatch(tasks):] {
		w.local.Push(t, w.overflow)
	}
	w.pool.notify() // after all of them: one for a put of any size
}

// notify wakes a worker if needed. It follows each put of tasks where another worker may take them.
func (p *Pool) notify() { p.unpark(p.idle.Notify()) }

// unpark gives a worker that has been claimed its token.
func (p *Pool) unpark(worker int, claimed bool) {
	if claimed {
		p.workers[worker].token.Unpark()
	}
}

// work runs tasks until the pool is closed. If a task ends the goroutine, by a panic or by Goexit,
// another one goes on as w, which is no searcher while it runs a task. Any other panic ends the
// program.
func (w *Worker) work() {
	inTask := false
	defer func() {
		if !inTask { // the pool is closed, or a panic goes on
			w.pool.running.Done()
			return
		}
		if handle := w.pool.onPanic; handle != nil {
			if v := recover(); v != nil { // nil: Goexit
				handle(v)
			}
		}
		go w.work()
	}()
	for t, ok := w.next(); ok; t, ok = w.next() {
		inTask = true
		t(w)
		inTask = false
	}
}

// next returns the next task to run, and sleeps until there is one. It returns false when the pool
// is closed and nothing is queued.
func (w *Worker) next() (Task, bool) {
	for {
		t, ok := w.own()
		if !ok && w.role.Search() {
			t, ok = w.steal() // only as a searcher: Found answers for the rest of the steal
		}
		if ok {
			w.pool.unpark(w.role.Found()) // before the task, which may wait, or panic
			return t, true
		}
		if !w.sleep() {
			return nil, false
		}
	}
}

// sleep waits until there may be something to do. It returns false when the pool is closed and
// nothing is queued.
func (w *Worker) sleep() bool {
	outcome := w.role.Publish()
	if outcome == idle.Closed {
		return w.pool.queued()
	}
	if outcome == idle.Recheck && w.pool.queued() {
		w.pool.notify()
	}
	w.token.Park()
	w.role.Woke(true) // always Searching: Park ends with a token only
	return true
}

// own takes a task where that disturbs nobody: from the worker's queue, else from the injector. At
// every 61st look it is the other way round: tasks that spawn tasks must not starve the injector.
func (w *Worker) own() (Task, bool) {
	if w.looks++; w.looks%61 == 0 {
		if t, ok := w.fetch(1); ok { // local may have no room for more
			return t, true
		}
	}
	if t, ok := w.local.Pop(); ok {
		return t, true
	}
	return w.fetch(len(w.batch))
}

// fetch takes up to most tasks from the injector and returns the first; the rest goes to local.
func (w *Worker) fetch(most int) (Task, bool) {
	n := w.pool.shared.Take(w.batch[:most], len(w.pool.workers))
	if n == 0 {
		return nil, false
	}
	t := w.batch[0]
	if n > 1 {
		w.Spawn(w.batch[1:n]...) // with its Notify: in between, nobody could see the rest
	}
	clear(w.batch[:n])
	return t, true
}

// steal takes half of the queue of another worker: it returns one task, the rest goes to local.
func (w *Worker) steal() (Task, bool) {
	all := w.pool.queues
	for ; ; runtime.Gosched() {
		contended := false
		for i := 1; i < len(all); i++ {
			t, result := all[(w.role.ID()+i)%len(all)].StealInto(w.local)
			if result == deque.Stolen {
				return t, true
			}
			contended = contended || result == deque.Contended // it was not empty: look again
		}
		if !contended {
			return nil, false
		}
	}
}

// queued reports whether there is a task that any worker could take.
func (p *Pool) queued() bool {
	return p.shared.Len() > 0 ||
		slices.ContainsFunc(p.queues, func(q deque.Stealer[Task]) bool { return q.Len() > 0 })
}
