//go:build !race

package explore

import (
	"iter"
	"math"
	"unsafe"
)

// A threadCoro runs a thread as a coroutine. When it yields, control returns to whoever resumed it:
// the dispatcher, or the base thread, which is the one that the dispatcher resumed and which
// resumes the other threads itself. So a switch between the base thread and another one is one
// switch of coroutines, about 30 ns; between two other threads it is two.
type threadCoro struct {
	resume func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool
	mark   mark
}

type dispatcher struct {
	base *thread // the thread that the dispatcher resumed
}

// newThreadCoro gives t a coroutine that waits for functions to run.
func (e *engine) newThreadCoro(t *thread) {
	if t.coro.stop != nil {
		t.reap()
	} else {
		e.uncontrolled.expect(1)
	}
	t.coro.resume, t.coro.stop = iter.Pull(func(yield func(struct{}) bool) {
		t.coro.yield = yield
		t.stack.goid = GoroutineID()
		for yield(struct{}{}) {
			e.runBody(t)
		}
	})
	t.coro.resume()
}

// reap ends a coroutine in which checked code called Goexit. Goexit would also end the goroutine
// that resumes the coroutine, so that is one made for the purpose.
func (t *thread) reap() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		t.coro.stop()
	}()
	<-done
}

// run hands control to threads, beginning with e.next, until the execution ends.
func (e *engine) run() {
	for {
		switch n := e.next; {
		case n >= 0:
			e.cur = e.threads[n]
			e.dispatcher.base = e.cur
			e.cur.coro.resume()
			e.dispatcher.base = nil
		case n == endStart:
			e.startAll()
		default:
			return
		}
	}
}

// startOne runs a new thread to its first operation.
func (e *engine) startOne(t *thread) {
	e.cur = t
	t.coro.resume()
}

// unwind lets t's deferred functions run.
func (e *engine) unwind(t *thread) { e.startOne(t) }

// handOff gives control to the thread e.next and returns when it is t's turn again.
func (e *engine) handOff(t *thread) {
	if t != e.dispatcher.base {
		t.coro.yield(struct{}{})
		return
	}
	for e.next != t.id {
		if e.next < 0 {
			// to the dispatcher, which makes t the base again or unwinds it
			t.coro.yield(struct{}{})
			return
		}
		e.cur = e.threads[e.next]
		e.cur.coro.resume()
	}
	e.cur = t
}

// ended gives control away at the end of t's function. A coroutine that Goexit unwinds stays in it
// until it is reaped.
func (e *engine) ended(t *thread) {
	if t.dead {
		t.coro.yield(struct{}{})
	}
}

func raceStart() {}

func raceEnd() {}

func (e *engine) open() {}

// mostThreads bounds the threads of an execution however many the check allows.
const mostThreads = math.MaxInt32

// Race tells whether the race detector watches the executions.
const Race = false

func raceErrors() int { return 0 }

func (t *thread) acquire() {}

func (t *thread) release() {}

func (t *thread) spawnEdge() {}

func quietly(f func()) { f() }

func (e *engine) closeThreadCoros() {
	for _, t := range e.threads {
		if t.coro.stop != nil {
			t.reap()
		}
	}
	e.closeCarriers()
}

func (t *thread) joinEdge() {}

type coroEdges struct{}

func (c *coroEdges) touch() {}

func (c *coroEdges) look() {}

func (c *coroEdges) release() {}

func (c *coroEdges) acquire() {}

func condAcquire(unsafe.Pointer) {}

func condRelease(unsafe.Pointer) {}

func (t *thread) raceAcquire(*uint64) {}

func (t *thread) raceRelease(*uint64) {}

func waitGroupFirstWaiter(unsafe.Pointer) {}

// RaceRead does nothing without the race detector.
func RaceRead(unsafe.Pointer) {}
