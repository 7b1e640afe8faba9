//go:build race

package explore

import (
	"reflect"
	"runtime"
	"sync"
	"unsafe"

	"github.com/surewake/surewake/model/wire"
)

// A threadCoro runs a thread as a goroutine that waits for its turn on a channel. The hand-off is
// hidden from the race detector, so that it sees the synchronization of the checked code only. This
// package is compiled without instrumentation; RaceDisable around each hand-off hides what the
// runtime reports of channels.
type threadCoro struct {
	turn  chan struct{}
	token byte // released by the parent at the spawn, acquired at the start
	done  byte // released at the end, acquired by Join
	mark  mark
}

// dispatcher is the goroutine to which threads return control at the end of an execution.
type dispatcher struct{ turn chan struct{} }

// startToken orders each execution after what came before it, endToken what comes after an
// execution after all of its threads.
var startToken, endToken byte

// mostThreads bounds the threads of an execution however many the check allows: the race detector
// ends a process with more than 8,128 goroutines, and other linearizations have threads of their
// own.
const mostThreads = 4000

// Race tells whether the race detector watches the executions.
const Race = true

func raceErrors() int { return runtime.RaceErrors() }

func (e *engine) open() {
	if e.dispatcher.turn == nil {
		e.dispatcher.turn = make(chan struct{}, 1)
	}
}

func raceStart() { runtime.RaceRelease(unsafe.Pointer(&startToken)) }

func raceEnd() { runtime.RaceAcquire(unsafe.Pointer(&endToken)) }

func (t *thread) acquire() {
	runtime.RaceAcquire(unsafe.Pointer(&startToken))
	runtime.RaceAcquire(unsafe.Pointer(&t.coro.token))
}

func (t *thread) release() {
	runtime.RaceRelease(unsafe.Pointer(&t.coro.done))
	runtime.RaceReleaseMerge(unsafe.Pointer(&endToken))
}

func (t *thread) spawnEdge() { runtime.RaceRelease(unsafe.Pointer(&t.coro.token)) }

// quietly hides what f synchronizes. It may panic, as a method of a nil pointer does, and be
// recovered from.
func quietly(f func()) {
	runtime.RaceDisable()
	defer runtime.RaceEnable()
	f()
}

func (e *engine) newThreadCoro(t *thread) {
	e.uncontrolled.expect(1)
	t.coro.turn = make(chan struct{}, 1)
	runtime.RaceDisable()
	starters[t.id%len(starters)](e, t)
	runtime.RaceEnable()
}

// starters start the goroutines of threads. A report of the race detector numbers goroutines in its
// own way, but says in which function one was started: by that the command knows the thread.
var starters = [wire.RaceStarters]func(*engine, *thread){
	start0, start1, start2, start3, start4, start5, start6, start7,
	start8, start9, start10, start11, start12, start13, start14, start15,
}

func start0(e *engine, t *thread)  { go e.threadLoop(t) }
func start1(e *engine, t *thread)  { go e.threadLoop(t) }
func start2(e *engine, t *thread)  { go e.threadLoop(t) }
func start3(e *engine, t *thread)  { go e.threadLoop(t) }
func start4(e *engine, t *thread)  { go e.threadLoop(t) }
func start5(e *engine, t *thread)  { go e.threadLoop(t) }
func start6(e *engine, t *thread)  { go e.threadLoop(t) }
func start7(e *engine, t *thread)  { go e.threadLoop(t) }
func start8(e *engine, t *thread)  { go e.threadLoop(t) }
func start9(e *engine, t *thread)  { go e.threadLoop(t) }
func start10(e *engine, t *thread) { go e.threadLoop(t) }
func start11(e *engine, t *thread) { go e.threadLoop(t) }
func start12(e *engine, t *thread) { go e.threadLoop(t) }
func start13(e *engine, t *thread) { go e.threadLoop(t) }
func start14(e *engine, t *thread) { go e.threadLoop(t) }
func start15(e *engine, t *thread) { go e.threadLoop(t) }

func (e *engine) threadLoop(t *thread) {
	t.stack.goid = GoroutineID()
	for {
		runtime.RaceDisable()
		<-t.coro.turn
		runtime.RaceEnable()
		if t.fn == nil {
			return
		}
		e.runBody(t)
	}
}

func (e *engine) run() {
	for e.next >= 0 || e.next == endStart {
		if e.next == endStart {
			e.startAll()
			continue
		}
		e.cur = e.threads[e.next]
		e.give(e.cur)
	}
}

// give lets t run until control returns to the dispatcher.
func (e *engine) give(t *thread) {
	runtime.RaceDisable()
	t.coro.turn <- struct{}{}
	<-e.dispatcher.turn
	runtime.RaceEnable()
}

func (e *engine) startOne(t *thread) {
	e.cur = t
	e.give(t)
}

func (e *engine) unwind(t *thread) { e.startOne(t) }

func (e *engine) handOff(t *thread) {
	runtime.RaceDisable()
	e.pass()
	<-t.coro.turn
	runtime.RaceEnable()
}

// pass hands control to the next thread directly, or to the dispatcher.
func (e *engine) pass() {
	if e.next >= 0 && !e.starting && !e.aborting {
		e.cur = e.threads[e.next]
		e.cur.coro.turn <- struct{}{}
		return
	}
	e.dispatcher.turn <- struct{}{}
}

func (e *engine) ended(t *thread) {
	if t.dead {
		e.uncontrolled.expect(-1)
	}
	runtime.RaceDisable()
	e.pass()
	runtime.RaceEnable()
}

// closeThreadCoros ends the threads' goroutines at the end of the check.
func (e *engine) closeThreadCoros() {
	e.closeCarriers()
	runtime.RaceDisable()
	for _, t := range e.threads {
		if !t.dead {
			t.fn = nil
			t.coro.turn <- struct{}{}
		}
	}
	runtime.RaceEnable()
}

func (t *thread) joinEdge() { runtime.RaceAcquire(unsafe.Pointer(&t.coro.done)) }

// coroEdges are addresses of a coroutine for the race detector.
type coroEdges struct {
	racer byte // written by every change
	token byte // released by the maker, acquired at the start
}

// touch and look report a write and a read of a coroutine, as package iter does.
func (c *coroEdges) touch() { runtime.RaceWrite(unsafe.Pointer(&c.racer)) }

func (c *coroEdges) look() { runtime.RaceRead(unsafe.Pointer(&c.racer)) }

func (c *coroEdges) release() { runtime.RaceRelease(unsafe.Pointer(&c.token)) }

func (c *coroEdges) acquire() { runtime.RaceAcquire(unsafe.Pointer(&c.token)) }

func condAcquire(c unsafe.Pointer) { runtime.RaceAcquire(c) }

func condRelease(c unsafe.Pointer) { runtime.RaceReleaseMerge(c) }

func (t *thread) raceAcquire(p *uint64) { runtime.RaceAcquire(unsafe.Pointer(p)) }

func (t *thread) raceRelease(p *uint64) { runtime.RaceRelease(unsafe.Pointer(p)) }

// groupSema is where package sync has the race detector see the first waiter of a WaitGroup meet
// the first addition: Add reads that word when it finds the counter at 0.
var groupSema = func() uintptr {
	field, ok := reflect.TypeFor[sync.WaitGroup]().FieldByName("sema")
	if !ok {
		panic("explore: sync.WaitGroup has no field sema in this release of Go")
	}
	return field.Offset
}()

// waitGroupFirstWaiter does what Wait does when it is the first to be counted.
func waitGroupFirstWaiter(wg unsafe.Pointer) { runtime.RaceWrite(unsafe.Add(wg, groupSema)) }

// RaceRead tells the race detector that a thread reads the object of package sync at p, as package
// sync itself does: it is compiled without the detector, or replaced by a model. So the detector
// sees an assignment to the object that is not ordered with its use.
//
//go:noinline
func RaceRead(p unsafe.Pointer) { runtime.RaceRead(p) }
