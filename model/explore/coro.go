package explore

import "unsafe"

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
	return !t.stack.holds(sp) && e.isUncontrolled(t, sp)
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
