package explore

import (
	"time"
	"unsafe"

	"github.com/surewake/surewake/model/wire"
)

// maxThreads is the largest number of goroutines of one execution: a set of threads is one word.
const maxThreads = 64

// What engine.next holds when it names no thread.
const (
	endStart   = -1 // threads were spawned: the dispatcher runs each to its first operation, then picks
	endBlocked = -2 // nothing can run: the execution is complete, or deadlocked
	endPruned  = -3 // all that can run is asleep: explored elsewhere
	endFailed  = -4 // a failure was recorded
)

// event is one executed operation, and the node of the search tree from which it was executed.
// Events are numbered by their depth.
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

// object is the model of what lies at one address, for one execution. What count and state mean is
// up to the file of the object.
type object struct {
	ptr     unsafe.Pointer
	last    int32 // last event on it, or -1
	count   int32 // WaitGroup: counter. RWMutex: readers
	state   int32 // Once: 0 fresh, 1 running, 2 done. RWMutex: 1 + the thread that announced itself as writer
	base    int32 // WaitGroup: raised by so much before there was a second goroutine
	adds    bool  // WaitGroup: changed in this execution
	waiters []int32
	ch      *channel // nil until it was a channel; kept over executions
	model   any      // what stands for it in this execution: see SetModel
}

// engine explores one check. One goroutine at a time touches it: the dispatcher, or the thread to
// which control was handed, by the dispatcher or (under the race detector) by the previous thread.
type engine struct {
	cfg        Config
	body       func()    // of the check
	threads    []*thread // slots, kept over executions; the first n are in use
	n          int       // threads of this execution
	cur        *thread   // who runs, or ran last
	next       int       // a thread, or one of the end codes
	dispatcher dispatcher

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

	reduce         bool               // partial-order reduction; else every schedule (bounded) or one (random)
	orderAdds      bool               // WaitGroup additions and subtractions are dependent: see sync_waitgroup.go
	wantOrderAdds  bool               // orderAdds was asked for: the exploration starts again
	orderDones     bool               // what changes a WaitGroup depends on all else that does: see sync_waitgroup.go
	wantOrderDones bool               // orderDones was asked for: the exploration starts again
	usesWG         bool               // a WaitGroup was changed in this execution
	sameCases      []int32            // scratch of alike
	rendezvous     bool               // unbuffered channels have meetings: see chan_rendezvous.go
	wantRendezvous bool               // rendezvous was asked for: the exploration starts again
	anyForced      bool               // a timeout fired because nothing else could run
	early          int                // timeouts and signals before their time so far
	held           bool               // a timer was kept from firing early
	baseClock      time.Duration      // the clock before the events began
	baseEarly      int                // likewise early
	forcedDue      time.Duration      // deadline that comes because nothing else can happen, -1 for none
	daemons        uint64             // threads that wait for their timer
	waiting        uint64             // threads that wait for a WaitGroup for ever
	rng            rng                // of the random strategies
	prio           [maxThreads]uint64 // POS, PCT
	changes        []int              // PCT: depths at which the running thread's priority drops

	coros    []*Coro     // made in this execution and not over
	carriers []*carrier  // kept for coroutines to come
	spent    []*carrier  // kept for the next execution
	trail    int         // how many of trailPCs are the stack of a panic that left a coroutine
	trailPCs [32]uintptr // it

	failure      *Failure          // of this execution
	observed     Step              // the step that Config.Observe is shown
	rec          *recorder         // nil unless the execution is to be shown
	replay       []wire.Deviation  // deviations that remain to be followed; nil unless one schedule is run again
	decision     int               // decisions so far, for deviation
	cands        []int32           // scratch of races
	used         []int32           // scratch of sync_waitgroup.go
	deps         []int32           // of chan_dependence.go: events that the operation looked at last depends on
	pendingAcc   []access          // scratch of chan_dependence.go
	selects      bool              // some thread has chosen among cases
	asleep       uint64            // choices of the thread that runs which sleep
	sleepSets    [][]sleeper       // by depth of node: see chan_sleepset.go
	nextSleepSet []sleeper         // of the node to come
	zero         [maxThreads]int32 // the clock of a thread without a past

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
	uncontrolled    uncontrolled
}

// eng is the engine whose execution is running. It is nil outside of an execution; then hooks only
// do the real operation.
var eng *engine

// latest is the engine of the last exploration, for ThreadName.
var latest *engine
