package explore

import "iter"

// A carrier is a goroutine that runs coroutines, one after another, by a real iter.Pull: so next
// and yield synchronize as those of package iter do. Under the race detector it runs only one
// coroutine per execution, because what one coroutine did must not be ordered before another.
type carrier struct {
	resume func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool
	coro   *Coro
	stack  span // what is known of its stack while it does not run
	mark   mark
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
	e.uncontrolled.expect(1)
	k.resume, k.stop = iter.Pull(func(yield func(struct{}) bool) {
		k.yield = yield
		e.cur.stack.goid = GoroutineID() // the thread is on this stack already
		for ok := true; ok; ok = yield(struct{}{}) {
			e.runCoro(k)
		}
	})
	return k
}

// runCoro runs the body of k's coroutine on k's stack.
func (e *engine) runCoro(k *carrier) {
	c := k.coro
	c.edges.acquire()
	e.setMark(&k.mark)
	exits := true
	defer func() {
		p := c.recovered
		if exits && p == nil && c.goexit {
			e.noteGoexit(c.outer) // the caller of next exits as well
		}
		e.ends(c)
		switch {
		case exits:
			e.uncontrolled.expect(-1)
		case Race:
			e.spent = append(e.spent, k)
		default:
			e.carriers = append(e.carriers, k)
		}
		if exits && p != nil {
			// it came while a Goexit was under way: the caller of next sees it and no Goexit
			panic(p)
		}
	}()
	e.catch(c)
	exits = false
}

// renewCarriers makes all carriers free for the next execution, which is ordered after all that
// they did.
func (e *engine) renewCarriers() {
	e.carriers = append(e.carriers, e.spent...)
	e.spent = e.spent[:0]
}

// closeCarriers ends the carriers at the end of the check.
func (e *engine) closeCarriers() {
	for _, k := range append(e.carriers, e.spent...) {
		k.stop()
	}
	e.carriers, e.spent = nil, nil
}

// closeCoros ends the coroutines that an execution leaves behind. Their deferred functions need a
// thread; the first thread is used, and a new one if a Goexit ends it.
func (e *engine) closeCoros() {
	for len(e.coros) > 0 {
		t := e.threads[0]
		if t.dead {
			*t = thread{id: t.id, number: t.number, coro: t.coro}
			e.newThreadCoro(t)
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

// unwindCoro resumes c, which then panics with the end of the execution.
func (e *engine) unwindCoro(c *Coro) {
	defer func() { _ = recover() }()
	if e.started(c) {
		e.resume(c)
	} else {
		e.drop(c)
	}
}
