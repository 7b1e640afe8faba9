package explore

import (
	"time"
	"unsafe"
)

// maxThreads is the number of goroutines one execution can have: sets of
// threads are the bits of one word.
const maxThreads = 64

// What engine.next holds when it names no thread.
const (
	endStart   = -1 // threads were spawned: the hub runs each to its first operation, then picks
	endBlocked = -2 // nothing can run: the execution is complete, or deadlocked
	endPruned  = -3 // all that can run is asleep: explored elsewhere
	endFailed  = -4 // a failure was recorded
)

// event is one executed operation, and the node of the search from which it
// was executed. Events are numbered by depth.
type event struct {
	tid     int32 // who
	obj     int32 // on what; -1 without an object
	op      Op
	class   class
	state   uint8  // of the object before the event: see engine.stateBefore
	prevObj int32  // the event before on the same object, or -1
	source  int32  // for gates: an event that happens before without sharing an object, or -1
	arg     int64  // WaitGroup.Add: the delta
	choice  int32  // which of choices was taken
	choices int32  // more than 1 only where the operation chooses a value
	preempt int32  // preemptions up to and with this event
	value   int32  // the choice, with those that sleep
	seen    bool   // val holds a result
	val     uint64 // result of the operation, for comparison when it is replayed
	hash    uint64 // over the schedule up to and with this event
	pending uint64 // sum over the operations that were pending here

	enabled uint64 // threads that could run here
	sleep   uint64 // threads whose operation was explored already, from here or from above
	back    uint64 // threads that must be explored from here
	done    uint64 // threads that were
}

// object is what an address stands for during one execution.
type object struct {
	ptr     unsafe.Pointer
	last    int32 // last event on it, or -1
	count   int32 // WaitGroup: counter. RWMutex: readers
	state   int32 // Once: 0 fresh, 1 running, 2 done. RWMutex: 1 + the thread that announced itself as writer
	base    int32 // WaitGroup: raised by so much before there was a second goroutine
	adds    bool  // WaitGroup: changed in this execution
	waiters []int32
	ch      *channel // nil until it was a channel; kept over executions
}

// engine explores one check. All of it is touched by one goroutine at a time:
// the hub, or the thread that the hub (under the race detector: the thread
// before) handed control to.
type engine struct {
	cfg     Config
	body    func()    // of the check
	threads []*thread // slots, kept over executions; the first n are in use
	n       int       // threads of this execution
	cur     *thread   // who runs, or ran last
	next    int       // a thread, or one of the end codes
	hub     hub

	depth  int // events executed
	plen   int // events to replay; the last of them is the first that differs
	stack  []event
	clk    []int32 // clocks of the events, stride entries each
	stride int

	objs  []object // by number; the first nobjs are of this execution
	nobjs int
	table table // from addresses to numbers

	sleep     uint64 // threads asleep at the present node
	pending   uint64 // sum over the pending operations, to notice when a replay has others
	runnable  uint64 // threads whose pending operation is always enabled
	gated     uint64 // threads whose pending operation may be disabled
	alive     uint64 // threads that have not ended
	unstarted int    // threads spawned and not yet run to their first operation
	quiet     bool   // only one thread can matter: no scheduling points
	starting  bool   // startAll is at it: who comes to an operation hands back at once
	aborting  bool   // the execution is over: who comes to an operation unwinds
	quietOps  int    // operations while quiet

	clock      time.Duration // virtual
	clockKey   byte          // its address stands for the clock
	historyKey byte          // its address stands for the history

	reduce    bool               // partial-order reduction; else every schedule (bounded) or one (random)
	strict    bool               // WaitGroup additions and subtractions are dependent: see waitgroup.go
	wantWG    bool               // strict was asked for: the exploration starts again
	usesWG    bool               // a WaitGroup was changed in this execution
	meet      bool               // unbuffered channels have meetings: see meet.go
	wantMeet  bool               // meet was asked for: the exploration starts again
	late      bool               // a timeout fired because nothing else could run
	early     int                // timeouts and signals before their time so far
	held      bool               // a timer was kept from firing early
	baseClock time.Duration      // the clock before the events began
	baseEarly int                // likewise early
	lateDue   time.Duration      // deadline that comes because nothing else can happen, -1 for none
	daemons   uint64             // threads that wait for their timer
	waiting   uint64             // threads that wait for a WaitGroup for ever
	rng       rng                // of the random strategies
	prio      [maxThreads]uint64 // POS, PCT
	changes   []int              // PCT: depths at which the running thread's priority drops

	coros    []*Coro     // made in this execution and not over
	carriers []*carrier  // kept for coroutines to come
	spent    []*carrier  // kept for the next execution
	trail    int         // how many of trailPCs are the stack of a panic that left a coroutine
	trailPCs [32]uintptr // it

	failure    *Failure          // of this execution
	observed   Step              // the step that Config.Observe is shown
	rec        *recorder         // nil unless the execution is to be shown
	forced     []Deviation       // replay
	decision   int               // decisions so far, for deviation
	cands      []int32           // scratch of races
	used       []int32           // scratch of waitgroup.go
	deps       []int32           // of chandep.go: events that the operation looked at last depends on
	pendingAcc []access          // scratch of chandep.go
	selects    bool              // some thread has chosen among cases
	asleep     uint64            // choices of the thread that runs which sleep
	resting    [][]rested        // by depth of node: see chanrest.go
	restNext   []rested          // of the node to come
	zero       [maxThreads]int32 // the clock of a thread without a past

	res             Result
	longest         int  // most events of an execution
	raceErrs        int  // reports of the race detector so far
	last            bool // a failure was found after which nothing more is run
	twice, repeated bool // the first schedule is run a second time; it was
	first           bool // the first execution has begun
	failedNoted     bool // a failure that the test noted was reported
	start           time.Time
	deadline        time.Time
	report          time.Time // of progress, the last time
	procs           int       // GOMAXPROCS as it was before
	foreign         foreign
}

// eng is the engine whose execution is running, or nil: then hooks do just
// the real operation.
var eng *engine

// latest is the engine of the last exploration, for ThreadName.
var latest *engine

type thread struct {
	id      int
	name    string
	number  string // its name when it was given none
	fn      func()
	started bool // it has run to its first operation
	fin     bool // its function has ended
	dead    bool // its coroutine was ended by Goexit
	goexit  bool // checked code called runtime.Goexit

	// The pending operation.
	op       Op
	ptr      unsafe.Pointer
	obj      int32
	old, new uint64        // CAS; old alone: WaitGroup.Add, Sleep, futex
	width    uint8         // CAS: 4 or 8 bytes, 0 when peek decides
	peek     func() bool   // CAS on what is neither
	choices  int32         // Choose and Signal
	prev     int32         // the event whose clock is this thread's, or -1
	key      uint64        // of the pending operation, in engine.pending
	children uint64        // threads that Join waits for
	signal   int32         // Cond: the event that woke it, or -1
	chosen   int32         // what the last choice gave
	deadline time.Duration // futex: on the virtual clock, or noDeadline
	futex    FutexResult   // how the wait ended
	queue    int32         // futex: the object it sleeps on
	pcs      [24]uintptr   // where the pending operation stands, when recording
	npcs     int           // how many of pcs are in use
	stack    span          // it runs on: its own, or that of the coroutine it is in
	own      span          // while it is in a coroutine: of its own
	co       *Coro         // it is in, the innermost, or nil
	spin     spinning      // the loop it is in, if that has no effects of its own
	com      communication // on channels
	serial   uint32        // things it made: see Serial
	fiber    fiber         // how control is handed to it
}

// abort unwinds a thread whose execution is over. Checked code cannot swallow
// it: recover() becomes Recover, which panics with it again.
type abort struct{}

// Enter is the scheduling point before an operation on *p. It reports whether
// the caller runs in a checked execution; if so the operation, done right
// after, is the one that was scheduled.
func Enter(p unsafe.Pointer, op Op) bool {
	e := eng
	if e == nil {
		return false
	}
	t := e.cur
	var mark byte
	if sp := uintptr(unsafe.Pointer(&mark)); !t.stack.holds(sp) && e.isForeign(t, sp) {
		return false
	}
	if e.quiet && e.quietStep(t, p, op) {
		return true
	}
	t.op, t.ptr = op, p
	e.step(t)
	return true
}

// EnterCAS is Enter for a CompareAndSwap of old to new on width bytes (4 or
// 8), which is a read if *p does not hold old.
func EnterCAS(p unsafe.Pointer, width uint8, old, new uint64) bool {
	if e := eng; e != nil {
		t := e.cur
		t.old, t.new, t.width = old, new, width
	}
	return Enter(p, OpCAS)
}

// EnterCASFunc is EnterCAS where equal says whether *p holds the old value.
func EnterCASFunc(p unsafe.Pointer, equal func() bool) bool {
	if e := eng; e != nil {
		t := e.cur
		t.width, t.peek = 0, equal
	}
	return Enter(p, OpCAS)
}

// Leave notes the result of the operation that Enter announced. A result that
// differs when the same schedule runs again is nondeterminism.
func Leave(val uint64) {
	e := eng
	if e == nil || e.quiet {
		return
	}
	ev := &e.stack[e.depth-1]
	if e.depth < e.plen && ev.seen && ev.val != val && !e.aborting {
		e.fail(KindNondeterminism, "the same schedule gave another result: step %d, %s of %s, gave %#x before and %#x now; "+
			"the body depends on something the checker does not control (map order, a real clock, a random number, a global left over from the execution before, a real goroutine)",
			e.depth, ev.op, e.threads[ev.tid].name, ev.val, val)
	}
	ev.val, ev.seen = val, true
	if e.rec != nil {
		e.rec.value(val)
	}
	if e.cfg.Observe != nil {
		e.observe(e.cur, val)
	}
}

// LeaveValue is Leave for a result that is shown in lanes but not compared:
// pointers differ from one execution to the next.
func LeaveValue(format func() string) {
	e := eng
	if e == nil || e.quiet {
		return
	}
	if e.rec != nil {
		e.rec.text(format())
	}
	if e.cfg.Observe != nil {
		e.observe(e.cur, 0)
	}
}

// Active reports whether a checked execution is running.
func Active() bool { return eng != nil }

// Aborting reports whether the running execution is being torn down.
func Aborting() bool { e := eng; return e != nil && e.aborting }

// step announces t's pending operation, lets the search decide who runs, and
// returns when it is t's turn.
func (e *engine) step(t *thread) {
	if e.aborting {
		panic(abort{})
	}
	info := &ops[t.op]
	t.obj = -1
	if t.ptr != nil {
		t.obj = e.object(t.ptr)
	}
	if info.gated {
		e.gated |= 1 << t.id
	} else {
		e.runnable |= 1 << t.id
	}
	t.key = (uint64(uint32(t.obj))<<16 | uint64(t.op)<<8 | uint64(t.id) + 1) * 0x9E3779B97F4A7C15
	e.pending += t.key
	if e.rec != nil {
		e.rec.announce(t)
	}
	n := endStart
	if !e.starting && e.unstarted == 0 {
		if d := e.depth; d < e.plen && e.stack[d].pending == e.pending {
			n = int(e.stack[d].tid)
		} else {
			n = e.pick()
		}
	}
	if n != t.id {
		e.next = n
		e.handOff(t)
		if e.aborting {
			panic(abort{})
		}
	}
	e.commit(t)
}

// quietStep handles an operation while no other thread can observe it. It
// reports false when the operation must be a scheduling point after all.
func (e *engine) quietStep(t *thread, p unsafe.Pointer, op Op) bool {
	if e.aborting {
		panic(abort{})
	}
	e.quietOps++
	if e.quietOps > e.cfg.MaxSteps {
		e.fail(KindLivelock, "no end after %d operations of the only goroutine that is left: livelock, or a body that never ends", e.quietOps)
	}
	if op <= OpCAS {
		t.spin.effects = t.spin.effects || op != OpLoad
		return true
	}
	if op == OpChoose {
		return false
	}
	t.op, t.ptr, t.obj = op, p, -1
	if p != nil {
		t.obj = e.object(p)
	}
	if ops[op].gated && !e.enabled(t) {
		e.quiet = false
		return false
	}
	if op.isChan() {
		e.lateDue, e.asleep = -1, 0
		if op.chooses() && e.choicesOf(t) > 1 {
			return false
		}
		e.chanPrepare(t, 0)
	}
	if op == OpCondSignal {
		t.choices = max(1, int32(len(e.objs[t.obj].waiters)))
		if t.choices > 1 {
			return false
		}
		t.chosen = 0
	}
	t.spin.effects = true
	e.apply(t, -1)
	return true
}
