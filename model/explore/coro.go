package explore

import "unsafe"

// Coroutines of checked code, which iter.Pull makes. A coroutine runs as part of the thread that
// called next, including its scheduling points: a thread that is preempted inside a coroutine gives
// control away on the coroutine's stack and gets it back there. Different threads may resume a
// coroutine one after the other.
//
// next, yield and stop are not scheduling points, so coroutines add no traces. That is sound for
// the same reason as for plain memory:
//
//   1. These calls change nothing but the coroutine, and each change, including that at its end, is
//      reported to the race detector as a write (touch).
//   2. So if two threads use a coroutine in an order that no operation of the program enforces, the
//      race detector reports it.
//   3. Otherwise operations of the program, which are scheduling points, order all of these calls,
//      and their results are the same in every execution of a trace.
//
// The rules, and the texts of the panics, are those of package iter:
//
//	done     next and yield return false, stop does nothing
//	running  next was called, and neither yield nor the end has come: next panics
//	else     yield panics
//
// A coroutine that is suspended when an execution ends is no leak: Go collects it when nothing
// refers to it. To free its stack its deferred functions run, up to their first operation.

// A Coro is one coroutine. Only the running thread uses it.
type Coro struct {
	name      string // of the function that made it, for panics
	body      func()
	carrier   *carrier // what it runs on, nil before the first next
	outer     *Coro    // while running: in which coroutine next was called, nil for none
	inner     *Coro    // while suspended: where its yield was called: in itself, or in one above it
	at        int      // its place in engine.coros
	running   bool
	done      bool
	goexit    bool // checked code called runtime.Goexit in it
	recovered any  // the panic that ended it
	edges     coroEdges
}

// NewCoro makes a coroutine that runs body. It must be called in an execution. name is the function
// of package iter that panics refer to.
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

// Next runs the coroutine to its next yield or its end. It reports false if the coroutine had ended
// before. A panic or Goexit that ends the coroutine continues in the caller.
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

// Stop makes a pending yield report false and runs the coroutine to its end.
func (c *Coro) Stop() {
	c.edges.touch()
	e := eng
	if c.done || e.stranger() || e.aborting {
		return
	}
	if c.running {
		Fail(KindRefused, c.name+": stop was called while the iterator runs; "+
			"what follows from that is not modelled")
	}
	if e.started(c) {
		c.done = true
		e.resume(c)
	} else {
		e.drop(c)
	}
}

// Yield suspends the coroutine, in which it must be called, until Next or Stop is called. It
// reports false if Stop was called.
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
			Fail(KindRefused, c.name+": yield was called by a goroutine that does not run the iterator; "+
				"what follows from that is not modelled")
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

// saved is where the stack that t runs on is stored while t runs on another one.
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

// catch runs c's body until it returns or panics. It does not return if the body called Goexit,
// even if deferred functions panicked meanwhile.
func (e *engine) catch(c *Coro) {
	defer func() {
		if p := recover(); p != nil {
			c.recovered = p
			e.notePanic(p)
		}
	}()
	c.body()
}

// ends marks c as ended and returns its thread to the caller of next.
func (e *engine) ends(c *Coro) {
	c.edges.touch()
	c.done, c.running = true, false
	e.forget(c)
	e.cur.enter(c.outer)
	c.carrier.coro = nil
}

// forget takes c out of e.coros.
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

// noteGoexit records that checked code ends the goroutine that runs c, or the thread's own if c is
// nil.
func (e *engine) noteGoexit(c *Coro) {
	if c != nil {
		c.goexit = true
	} else {
		e.cur.goexit = true
	}
}
