package runtime

import (
	"context"
	"math"
	"sync"

	"github.com/surewake/surewake/taskstate"
)

// Places
//
// A runtime with [MaxTasks] has so many places. A task from outside takes one before it is queued,
// and gives it back when its function has returned:
//
//	submit   1 under the lock: take the place, or stand in line for it  2 queue the task
//	end      1 under the lock: give the place to the first in line  2 wake that  3 set COMPLETE
//	close    under the lock: refuse those in line, and whoever comes
//
// So whoever has found a task ended finds its place free, or taken by one who came before. Places
// are handed over under the lock, nobody overtakes, and a stream of single tasks does not keep a
// batch from its places. Whoever gives up in line is out of it, or has the place, and its task is
// queued: no place is lost. (runtime/R40)
//
// A task that waited for a place could wait for its own, or for that of one that waits for it. So
// what tasks start in the runtime needs none; and a task that submits takes one that is not there:
// free is negative until it has been given back. (runtime/R41)
//
// Rejected alternatives
//
//   - A Semaphore of the user around Submit. Its permits are given back by the function, which must
//     not forget it, and is not called if the task is cancelled before.
//   - Giving the place back by a joiner of the task. It costs an allocation, and comes after the
//     end: a TrySubmit after Wait would find the runtime full by chance.
//   - Looking again for a while, 200 loads and more, before the goroutine blocks; and so in
//     [Handle.Wait]. Where workers have all of Go's processors, the look keeps one from the worker
//     that is to end a task: 1,000 tasks of 16 places took as long with 200 loads, and up to twice
//     as long with more. With Gosched between the looks, which wakes a thread if a processor is
//     idle, a Submit and Wait took 28 µs, not 5. What a call without a place costs most besides the
//     wakes is inTask, one to two microseconds, which must be known before it may block.
//   - Counting all tasks. A task that starts others while there is no place would have to wait for
//     itself, or each limit would have to be as large as the deepest recursion.

// withPlace is the parent of a task that holds a place. It is no serial.
const withPlace = math.MaxUint64 - 1

// places is those of a runtime. Any goroutine may call its methods.
type places struct {
	limit int // never changes; 0: there is no limit, and nothing else is used

	lock sync.Mutex
	// The rest is under the lock.

	free   int
	closed bool
	line   line[int] // the first wants more than free; of each, the payload is how many it wants
	length int       // of line
}

// MaxTasks sets how many tasks from outside there may be at a time: 1 to 2,147,483,647; without it,
// any number. [Submit] and its kin ([SubmitContext], [SubmitFuture], [SubmitBatch],
// [SubmitBlocking], [SubmitBlockingContext], [Runtime.Go]) wait for a place then, in the order of
// the calls, until a task from outside has ended, or the runtime is closed: the new task ends with
// [ErrClosed]. [TrySubmit] does not wait. A batch waits for places for all of its tasks; if it is
// larger than the limit, until no other task from outside is left.
//
// What tasks start by Spawn, Go and their kin needs no place, nor does what a [Group] starts, which
// has a limit of its own. A task of the runtime, also a blocking one, that calls Submit or one of
// its kin does not wait either, since it might be for its own end: it exceeds the limit. In an
// iter.Pull of a task, or on a goroutine that it has started, that is not noticed, and the call
// waits.
func MaxTasks(n int) Option {
	return number("MaxTasks", n, 1, math.MaxInt32, func(c *config) { c.maxTasks = n })
}

// TrySubmit is [Submit] that never waits: it returns nil and [ErrWouldWait] if there are as many
// tasks from outside as [MaxTasks] says, or others wait for a place; and nil and [ErrClosed] if the
// runtime is closed. Any goroutine may call it. fn will be called only if the error is nil.
//
// A task that has been found to have ended has left its place. A task of another runtime calls
// TrySubmit where Submit would block its worker. It panics if fn is nil.
func TrySubmit[T any](rt *Runtime, fn func(Cx) (T, error)) (*Handle[T], error) {
	if fn == nil {
		panic("surewake: TrySubmit: nil function")
	}
	rt.check("TrySubmit")
	limited := rt.places.limit > 0
	if limited {
		if ok, err := rt.places.try(1); err != nil {
			return nil, err
		} else if !ok {
			return nil, ErrWouldWait
		}
	}
	c := &call[T]{fn: fn}
	c.state = taskstate.New(references)
	c.body = c
	c.rt = rt
	if limited {
		c.parent = withPlace
	}
	if !rt.enqueue(&c.task) {
		return nil, ErrClosed
	}
	return &c.Handle, nil
}

// takePlace is called before t, a new task from outside, is queued: it waits for a place, if there
// is a limit. It returns ErrClosed if the runtime is closed, also meanwhile, and the error of ctx
// if that ends first.
func (rt *Runtime) takePlace(ctx context.Context, t *task) error {
	if rt.places.limit == 0 {
		return nil
	}
	err := rt.waitForPlaces(ctx, 1)
	if err == nil {
		t.parent = withPlace
	}
	return err
}

// waitForPlaces takes n places when there are so many, as takePlace says.
func (rt *Runtime) waitForPlaces(ctx context.Context, n int) error {
	p := &rt.places
	if taken, err := p.try(n); taken || err != nil {
		return err
	}
	if rt.inTask() || rt.blocking.isThread() {
		return p.exceed(n) // runtime/R41
	}
	done := make(goroutine)
	w, err := p.takeOrQueue(n, done)
	if w == nil {
		return err
	}
	defer guards.enter("Submit")()
	if err = w.block(ctx, p, done); err == ErrChannelClosed {
		err = ErrClosed
	}
	return err
}

// takeOrQueue takes n places, or queues a waiter for who and returns it, or returns ErrClosed.
func (p *places) takeOrQueue(n int, who waker) (*waiter[int], error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if taken, err := p.take(n); taken || err != nil {
		return nil, err
	}
	w := &waiter[int]{waker: who, payload: n}
	p.line.push(w)
	p.length++
	return w, nil
}

// try takes n places if it need not wait, and reports whether it has; or it returns ErrClosed.
func (p *places) try(n int) (bool, error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.take(n)
}

// take is try under the lock.
func (p *places) take(n int) (bool, error) {
	switch {
	case p.closed:
		return false, ErrClosed
	case p.line.first != nil || !p.enough(n):
		return false, nil
	}
	p.free -= n
	return true, nil
}

// enough reports whether there are places for n tasks; all, if there will never be more. It is
// called under the lock.
func (p *places) enough(n int) bool { return p.free >= min(n, p.limit) }

// exceed takes n places, also if there are none.
func (p *places) exceed(n int) error {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.closed {
		return ErrClosed
	}
	p.free -= n
	return nil
}

// leave gives back the place of t, if it has one. Its runner calls it before it sets COMPLETE; w is
// the calling worker, or nil.
func (t *task) leave(w *worker) {
	p := &t.rt.places
	p.lock.Lock()
	p.free++
	served := p.serve()
	p.lock.Unlock()
	served.wakeAll(w)
}

// serve gives places to the first in line while there are enough, and returns these, to be woken
// after the lock. It is called under the lock.
func (p *places) serve() (all line[int]) {
	for w := p.line.first; w != nil && p.enough(w.payload); w = p.line.first {
		p.line.remove(w)
		p.length--
		p.free -= w.payload
		w.setAnswer(served)
		all.push(w)
	}
	return all
}

// stats returns how many places are free, and how many calls wait; 0 without a limit.
func (p *places) stats() (free, waiting int) {
	if p.limit == 0 {
		return 0, 0
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.free, p.length
}

// close refuses all who wait, and whoever comes. The runtime is being closed.
func (p *places) close() {
	if p.limit == 0 {
		return
	}
	p.lock.Lock()
	p.closed = true
	all := p.line.answerAll(refused)
	p.length = 0
	p.lock.Unlock()
	all.wakeAll(nil)
}

// withdraw implements source. Those behind w may want fewer places than w did.
func (p *places) withdraw(w *waiter[int], by *worker) bool {
	p.lock.Lock()
	if w.answered() {
		p.lock.Unlock()
		return false
	}
	p.line.remove(w)
	p.length--
	served := p.serve()
	p.lock.Unlock()
	served.wakeAll(by)
	return true
}
