package explore

import (
	"fmt"
	"iter"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"unsafe"
)

// Coroutines of checked code: what iter.Pull makes. A coroutine runs as part of
// the thread that called next, also its scheduling points: a thread that is
// switched away from inside a coroutine gives control away on that stack, and
// gets it back there. It may be resumed by one thread after the other.
//
// Neither next nor yield nor stop is a scheduling point, and so a coroutine adds
// no traces. That is sound for the reason for which plain memory has none. These
// calls change nothing but the coroutine, and each change, also that at its end,
// is a write for the race detector (touch): a thread that is neither before the
// other's next nor behind its return meets one of the two without an order. If
// there is no such race, operations of the program, which are scheduling points,
// have put all calls in order, and their results are the same in every execution
// of one trace.
//
// The rules, and the words of the panics, are those of package iter:
//
//	done     next and yield give false, stop does nothing
//	running  next was called and neither yield nor the end came yet: next panics
//	else     yield panics
//
// A coroutine that is left suspended when an execution ends is no leak: Go
// collects it once nothing refers to it. Its deferred functions run, as far as
// the first operation in them, to free its stack.

// A Coro is one coroutine. The running thread touches it, whichever that is.
type Coro struct {
	name      string // of the function that made it, for panics
	body      func()
	carrier   *carrier // what it runs on, nil before the first next
	outer     *Coro    // while running: in which coroutine next was called, nil for none
	inner     *Coro    // while suspended: in which coroutine its yield was called: itself, or one that runs above it
	at        int      // its place in engine.coros
	running   bool
	done      bool
	goexit    bool // checked code called runtime.Goexit in it
	recovered any  // the panic that ended it
	edges     coroEdges
}

// A carrier is a goroutine that runs one coroutine after the other, by a real
// iter.Pull: so next and yield make the edges that those of package iter make.
// Under the race detector it runs one in an execution: what that did must not
// order what another does.
type carrier struct {
	resume func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool
	coro   *Coro
	stack  span // what is known of its stack while it does not run
}

// NewCoro makes a coroutine that runs body. It must be called in an execution.
// Name is that of the function in package iter whose panics it has.
func NewCoro(name string, body func()) *Coro {
	e := eng
	if e.aborting {
		panic(abort{})
	}
	c := &Coro{name: name, body: body, at: len(e.coros)}
	e.coros = append(e.coros, c)
	c.edges.release() // starting a goroutine synchronizes before what it does
	return c
}

// Next runs the coroutine to its next yield or its end. It reports false if the
// coroutine had ended before. A panic or Goexit that ends the coroutine goes on
// in the caller.
func (c *Coro) Next() bool {
	c.edges.touch()
	e := eng
	if c.done || e.stranger() {
		return false
	}
	if e.aborting {
		panic(abort{})
	}
	if c.running {
		panic(c.name + ": next called again before yield")
	}
	e.resume(c)
	return true
}

// Stop makes the pending yield report false, if there is one, and runs the
// coroutine to its end.
func (c *Coro) Stop() {
	c.edges.touch()
	e := eng
	if c.done || e.stranger() || e.aborting {
		return
	}
	if c.running {
		Fail(KindRefused, c.name+": stop was called while the iterator runs; what follows from that is not modelled")
	}
	if e.started(c) {
		c.done = true
		e.resume(c)
	} else {
		e.drop(c)
	}
}

// Yield suspends the coroutine, in which it must be called, until Next or Stop
// is called. It reports false if that was Stop.
func (c *Coro) Yield() bool {
	c.edges.look()
	e := eng
	if c.done || e.stranger() {
		return false
	}
	if e.aborting {
		panic(abort{})
	}
	if !c.running {
		panic(c.name + ": yield called again before next")
	}
	t := e.cur
	for in := t.co; in != c; in = in.outer {
		if in == nil {
			Fail(KindRefused, c.name+": yield was called by a goroutine that does not run the iterator; what follows from that is not modelled")
		}
	}
	c.edges.touch()
	c.inner, c.running = t.co, false
	t.enter(c.outer)
	c.carrier.yield(struct{}{})
	if e.aborting {
		panic(abort{})
	}
	return !c.done
}

// stranger reports whether the caller is not the running thread.
func (e *engine) stranger() bool {
	if e == nil {
		return true
	}
	var mark byte
	t, sp := e.cur, uintptr(unsafe.Pointer(&mark))
	return !t.stack.holds(sp) && e.isForeign(t, sp)
}

// enter makes c the coroutine that t runs, nil for none.
func (t *thread) enter(c *Coro) {
	*t.saved() = t.stack
	t.co = c
	t.stack = *t.saved()
}

// saved is where the stack that t runs on is kept while t runs on another.
func (t *thread) saved() *span {
	if t.co != nil {
		return &t.co.carrier.stack
	}
	return &t.own
}

// started reports whether c's body has begun.
func (e *engine) started(c *Coro) bool { return c.inner != nil }

// resume switches to c, and returns when c is suspended or has ended.
func (e *engine) resume(c *Coro) {
	t := e.cur
	if c.carrier == nil {
		e.mount(c)
	}
	if c.inner == nil {
		c.inner = c
	}
	c.running, c.outer = true, t.co
	t.enter(c.inner)
	c.carrier.resume()
	if p := c.recovered; p != nil {
		panic(p)
	}
}

// mount gives c a carrier.
func (e *engine) mount(c *Coro) {
	if n := len(e.carriers); n > 0 {
		c.carrier = e.carriers[n-1]
		e.carriers = e.carriers[:n-1]
	} else {
		c.carrier = e.newCarrier()
	}
	c.carrier.coro = c
}

func (e *engine) newCarrier() *carrier {
	k := &carrier{}
	e.foreign.expect(1)
	k.resume, k.stop = iter.Pull(func(yield func(struct{}) bool) {
		k.yield = yield
		k.stack.goid = GoroutineID()
		for ok := true; ok; ok = yield(struct{}{}) {
			e.runCoro(k)
		}
	})
	return k
}

// runCoro runs the body of k's coroutine on its own stack.
func (e *engine) runCoro(k *carrier) {
	c := k.coro
	c.edges.acquire()
	exits := true
	defer func() {
		p := c.recovered
		if exits && p == nil && c.goexit {
			e.noteGoexit(c.outer) // the caller of next exits as well
		}
		e.ends(c)
		switch {
		case exits:
			e.foreign.expect(-1)
		case Race:
			e.spent = append(e.spent, k)
		default:
			e.carriers = append(e.carriers, k)
		}
		if exits && p != nil {
			panic(p) // it came while a Goexit was under way: the caller of next sees it and no Goexit
		}
	}()
	e.catch(c)
	exits = false
}

// catch runs c's body to its end or its panic. It does not return if the body
// called Goexit, even if deferred functions panicked on the way.
func (e *engine) catch(c *Coro) {
	defer func() {
		if p := recover(); p != nil {
			c.recovered = p
			e.notePanic(p)
		}
	}()
	c.body()
}

// ends notes that c is over, and that its thread goes back to the caller of next.
func (e *engine) ends(c *Coro) {
	c.edges.touch()
	c.done, c.running = true, false
	e.forget(c)
	e.cur.enter(c.outer)
	c.carrier.coro = nil
}

// forget takes c out of the list of those that are not over.
func (e *engine) forget(c *Coro) {
	n := len(e.coros) - 1
	last := e.coros[n]
	e.coros[c.at], last.at = last, c.at
	e.coros[n] = nil
	e.coros = e.coros[:n]
}

// drop ends a coroutine whose body never began.
func (e *engine) drop(c *Coro) {
	c.done = true
	e.forget(c)
	c.edges.acquire()
}

// noteGoexit notes that checked code ends the goroutine that runs c, or for nil
// the thread's own.
func (e *engine) noteGoexit(c *Coro) {
	if c != nil {
		c.goexit = true
	} else {
		e.cur.goexit = true
	}
}

// notePanic keeps the stack of a panic that leaves a coroutine: where it is
// raised again, that is gone.
func (e *engine) notePanic(p any) {
	if _, ok := p.(abort); !ok && e.trail == 0 && !e.aborting {
		e.trail = runtime.Callers(3, e.trailPCs[:])
	}
}

// renewCarriers makes all carriers free for the next execution, which comes
// after all they did.
func (e *engine) renewCarriers() {
	e.carriers = append(e.carriers, e.spent...)
	e.spent = e.spent[:0]
}

// closeCoros ends the coroutines that an execution leaves behind, at its end.
// Their deferred functions need a thread: the first one is used. If a Goexit
// ends that, another takes over.
func (e *engine) closeCoros() {
	for len(e.coros) > 0 {
		t := e.threads[0]
		if t.dead {
			*t = thread{id: t.id, number: t.number, fiber: t.fiber}
			e.newFiber(t)
		}
		t.fn, t.fin = e.unwindCoros, false
		t.spawnEdge()
		e.startOne(t)
		raceEnd()
	}
}

func (e *engine) unwindCoros() {
	for n := len(e.coros); n > 0; n = len(e.coros) {
		for i := n - 1; i >= 0; i-- {
			if c := e.coros[i]; !c.running { // one that runs lies beneath one that is suspended
				e.unwindCoro(c)
				break
			}
		}
	}
}

// unwindCoro resumes c, which panics with the end of the execution.
func (e *engine) unwindCoro(c *Coro) {
	defer func() { _ = recover() }()
	if e.started(c) {
		e.resume(c)
	} else {
		e.drop(c)
	}
}

// closeCarriers ends the kept goroutines when a check is over.
func (e *engine) closeCarriers() {
	for _, k := range append(e.carriers, e.spent...) {
		k.stop()
	}
	e.carriers, e.spent = nil, nil
}

// panicStack is the stack of a panic that has reached the end of its thread:
// first where it left a coroutine, if it did.
func (e *engine) panicStack() string {
	own := string(debug.Stack())
	if e.trail == 0 {
		return own
	}
	head, rest, _ := strings.Cut(own, "\n")
	for _, f := range slices.Backward(frames(e.trailPCs[:e.trail])) {
		rest = fmt.Sprintf("%s(...)\n\t%s:%d\n%s", f.Func, f.File, f.Line, rest)
	}
	return head + "\n" + rest
}
