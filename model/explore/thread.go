package explore

import (
	"fmt"
	"runtime"
	"time"
	"unsafe"
)

// thread is one goroutine of an execution. Threads are kept between executions.
type thread struct {
	id      int
	name    string
	number  string // its default name
	fn      func()
	random  uint64 // state of its random numbers
	started bool   // it has run to its first operation
	fin     bool   // its function has ended
	dead    bool   // its coroutine was ended by Goexit
	goexit  bool   // checked code called runtime.Goexit

	// The pending operation.

	op       Op
	ptr      unsafe.Pointer // its object; nil: none
	obj      int32          // the number of the object, -1 for none
	shown    int32          // where in engine.shown it is, if Config.Before got it
	key      uint64         // its summand in engine.pending
	old, new uint64         // CAS: the values; old: WaitGroup.Add, Sleep, futex: the argument
	width    uint8          // CAS: 4 or 8 bytes, 0 if peek compares
	word     Op             // of one of sync/atomic: Wide, pointing, both or none
	onValue  bool           // it is one of atomic.Value, where words may overlap
	peek     func() bool    // CAS on other types
	called   string         // Map: the method
	options  func() int32   // Pool.Get: how many things it may do
	choices  int32          // Choose: the number of values
	choosing *Choice        // Choose: what it is about, nil for x.Choose
	chosen   int32          // which value was chosen last
	signal   int32          // Cond, futex, channels: the event that ended the wait, or -1
	woken    uint64         // Cond: its address stands for what came before that event
	counted  bool           // WaitGroup.Wait: the counter was not 0 when it was called
	deadline time.Duration  // futex: on the virtual clock, or noDeadline
	futex    FutexResult    // futex: how the wait ended
	queue    int32          // futex: the object on which it sleeps
	chanOp   chanOp         // channels, timers, the clock
	sleepKey byte           // its address stands for the timer of its sleep
	spin     spinning       // the loop it is in, if that has no effects of its own
	pcs      [24]uintptr    // call stack of the pending operation, if recorded
	npcs     int            // the length of pcs in use

	bubble       *bubble    // it belongs to, or nil
	waitsSince   int32      // it waits on channels since bubble.quiets was that; 0: not known to
	opens        *bubble    // that it begins, or waits for (RunBubble)
	parent       int32      // the thread that started it, -1 for main
	label        int32      // the same in all executions (engine.nameThread)
	begat        int32      // how many threads it has started
	prev         int32      // the event whose clock is this thread's, or -1
	children     threadSet  // threads that Join waits for
	quietOps     int32      // operations before its first event that were no events
	foreign      bool       // may have run code that is not rewritten (search_foreign.go)
	foreignCalls int32      // of it by calls that name it (Pause)
	stack        span       // what it runs on: its own stack, or that of the coroutine it is in
	own          span       // its own stack, while it is in a coroutine
	co           *Coro      // the innermost coroutine it is in, or nil
	coro         threadCoro // how control is handed to it
}

// abort unwinds a thread whose execution is over. Checked code cannot swallow it, because recover()
// is rewritten to Recover, which panics with it again.
type abort struct{}

// spawn adds a thread to the running execution. The thread starts when its parent reaches its next
// operation.
func (e *engine) spawn(name string, fn func()) *thread {
	id := e.n
	if e.follows != nil {
		id = e.follows.number()
	}
	if id >= e.cfg.MaxThreads {
		how := "model.MaxGoroutines raises the bound"
		if e.cfg.MaxThreads == mostThreads {
			how = "the race detector has no room for more"
		}
		e.fail(KindLimit, "more than %d goroutines in one execution, the last of them "+
			"started%s (%s)", id, at(here()), how)
	}
	for len(e.threads) <= id {
		e.threads = append(e.threads, &thread{id: len(e.threads), dead: true})
	}
	t := e.threads[id]
	for e.n <= id {
		if e.n >= e.stride && e.stride < wordThreads {
			e.widen()
		}
		if e.n == wordThreads && e.pages == nil {
			e.pages = [][]*clockPage{}
		}
		e.threads[e.n].fin, e.threads[e.n].prev = true, -1 // until it is spawned
		e.n++
	}
	e.checkArmed()
	if t.dead {
		*t = thread{id: t.id, number: t.number, coro: t.coro}
		e.newThreadCoro(t)
	}
	if name == "" && e.rec != nil {
		name = e.rec.threadName(fn)
	}
	if name == "" {
		if t.number == "" {
			t.number = fmt.Sprintf("go#%d", t.id)
		}
		name = t.number
	}
	t.name, t.fn, t.random = name, fn, 0
	t.started, t.fin, t.goexit = false, false, false
	t.prev, t.signal, t.parent = -1, -1, -1
	t.children, t.quietOps, t.begat = threadSet{}, 0, 0
	t.foreign, t.foreignCalls = false, 0
	t.bubble, t.opens, t.waitsSince = nil, nil, 0
	if t.spin.count > 0 || t.spin.on {
		t.spin.reset()
	}
	e.alive.add(t.id)
	e.unstarted++
	return t
}

// Go starts fn as a goroutine of the execution; with joined, Join waits for it. It reports false
// outside of an execution.
func Go(name string, fn func(), joined bool) bool {
	e := eng
	if e == nil || !InExecution() {
		return false
	}
	if e.aborting {
		panic(abort{})
	}
	p := e.cur
	t := e.startChild(name, fn)
	e.told(p, t, joined)
	return true
}

// told notes that p has started t.
func (e *engine) told(p, t *thread, joined bool) {
	if joined {
		p.children.add(t.id)
	}
	if e.certificate != nil {
		e.certificate.started(p, t, joined)
	}
	if e.follows != nil {
		e.follows.spawned(p)
	}
}

// GoUnseen is Go for what Go does without a goroutine: the thread is in no bubble, does not count,
// and may wait for ever.
func GoUnseen(name string, fn func()) {
	e := eng
	if e == nil || !InExecution() {
		return
	}
	if e.aborting {
		panic(abort{})
	}
	p := e.cur
	t := e.startChild(name, fn)
	e.background.add(t.id)
	e.unseen.add(t.id)
	e.enterBubble(t, nil)
	e.told(p, t, false)
}

// startChild spawns a thread as a child of the running one.
func (e *engine) startChild(name string, fn func()) *thread {
	p := e.cur
	t := e.spawn(name, fn)
	if e.initialising || !e.background.empty() {
		e.noteBackground(p, t)
	}
	e.enterBubble(t, p.starts())
	t.parent, t.prev, t.random = int32(p.id), p.prev, p.draw()
	e.nameThread(t, birth{p.label, p.begat})
	p.begat++
	t.spawnEdge()
	if e.rec != nil {
		e.rec.order.note(entry{kind: entryStarts, thread: p.id, other: t.id})
	}
	e.quiet = false
	return t
}

// startAll runs each new thread to its first operation, then picks the next thread.
func (e *engine) startAll() {
	if e.follows != nil {
		e.next = e.follows.pick()
		return
	}
	e.starting = true
	cur := e.cur
	for ; e.begun < e.n && e.failure == nil; e.begun++ {
		t := e.threads[e.begun]
		t.started = true
		e.unstarted--
		e.startOne(t)
	}
	e.starting = false
	if cur == nil {
		cur = e.threads[0]
	}
	e.cur = cur
	if e.failure != nil {
		e.next = endFailed
		return
	}
	e.next = e.pick()
}

// runBody runs t's function on its own stack, then decides which thread runs next.
func (e *engine) runBody(t *thread) {
	t.acquire()
	e.goesOn()
	e.setMark(&t.coro.mark)
	exits := true
	defer func() {
		if exits {
			t.dead = true // Goexit ends the coroutine with the body
			e.exited(t)
		}
		if e.rec != nil {
			e.rec.lookForRace(t)
		}
		t.parks()
		e.hasCome()
		t.release()
		t.fin = true
		e.alive.remove(t.id)
		e.runnable.remove(t.id)
		e.gated.remove(t.id)
		if e.certificate != nil && !e.aborting {
			e.certificate.exited(t)
		}
		switch {
		case e.aborting || e.starting:
		case e.failure != nil:
			e.next = endFailed
		case e.unstarted > 0 || e.follows != nil:
			e.next = endStart
		default:
			e.next = e.pick()
		}
		e.ended(t)
	}()
	e.runFunc(t)
	exits = false
}

// runFunc runs t's function until it returns or panics. It does not return if the function called
// Goexit, even if deferred functions panicked meanwhile.
func (e *engine) runFunc(t *thread) {
	normal := false
	defer func() {
		if !normal {
			if r := recover(); r != nil {
				e.recovered(t, r)
			}
		}
	}()
	if e.cfg.Before == nil {
		t.fn()
	} else {
		framed(e, t.fn)
	}
	normal = true
}

// recovered records a panic that reached the end of t's function.
func (e *engine) recovered(t *thread, r any) {
	if _, ok := r.(abort); ok || e.aborting || e.failure != nil {
		return
	}
	if d, ok := r.(*bubbleDeadlock); ok {
		if !e.isAstray() {
			e.failure = d.failure
		}
		return
	}
	var pcs [64]uintptr
	stack := pcs[:runtime.Callers(1, pcs[:])]
	if e.trail > 0 {
		stack = e.trailPCs[:e.trail]
	}
	kind := KindPanic
	if brokenEngine(r, stack) {
		kind = KindInternal
	} else if e.isAstray() {
		return
	}
	e.failure = &Failure{
		Kind: kind, Message: fmt.Sprintf("%s panicked: %v", t.name, r),
		Stack: e.panicStack(), At: place(stack),
	}
}

// exited handles a Goexit of the body, and one that the checked code did not call itself, for
// example that of FailNow.
func (e *engine) exited(t *thread) {
	if t.goexit && t.id != 0 || e.aborting || e.failure != nil {
		return
	}
	astray := e.isAstray()
	if t.goexit {
		if !astray {
			e.failure = &Failure{Kind: KindAssert, Message: bodyExited, At: here()}
		}
		return
	}
	kind, why := KindExit, ""
	if e.cfg.Exited != nil {
		kind, why = e.cfg.Exited()
	}
	if astray && kind == KindAssert {
		return
	}
	if why == "" {
		kind, why = KindExit,
			"left its goroutine (t.FailNow, t.SkipNow or a Goexit in code that is not rewritten)"
	}
	e.failure = &Failure{Kind: kind, Message: t.name + " " + why, At: here()}
}

// bodyExited is what package testing says of a test function that does it, in other words: what
// comes after it was not tested.
const bodyExited = "the body called runtime.Goexit, and so did not run to its end"

// Goexit records that checked code calls runtime.Goexit; the caller then calls it.
func Goexit() {
	if e := eng; e != nil {
		if e.aborting {
			panic(abort{})
		}
		e.noteGoexit(e.cur.co)
	}
}

// Exiting reports whether checked code has called Goexit on the goroutine that runs.
func Exiting() bool { return eng != nil && eng.cur.goexit }

// SetExiting has Exiting report so from now on, and returns what it did before.
func SetExiting(exits bool) (before bool) {
	if eng == nil {
		return false
	}
	before, eng.cur.goexit = eng.cur.goexit, exits
	return before
}

// Recover is what rewritten code calls in place of recover, with its result. It panics again with
// the end of an execution, which checked code must not swallow.
func Recover(v any) any {
	if a, ok := v.(abort); ok {
		panic(a)
	}
	if e := eng; e != nil && v != nil {
		e.trail = 0
	}
	return v
}
