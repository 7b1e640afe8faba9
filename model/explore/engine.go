package explore

import (
	"time"
	"unsafe"

	"github.com/surewake/surewake/model/wire"
)

// What engine.next holds when it names no thread.
const (
	endStart   = -1 // threads were spawned: the dispatcher starts each of them, then picks
	endBlocked = -2 // nothing can run: the execution is complete, or deadlocked
	endPruned  = -3 // all that can run is asleep: explored elsewhere
	endFailed  = -4 // a failure was recorded
)

// event is one executed operation, and the node of the search tree from which it was executed.
// Events are numbered by their depth.
type event struct {
	tid     int32 // the thread
	obj     int32 // the object, -1 without one
	prevObj int32 // the previous event on the same object, or -1
	changed int32 // the last event before it that changed that object, or -1
	own     int32 // the one before it in a list of object.recent, or -1
	source  int32 // the event that enabled it (operation.wokenBy), or -1
	choice  int32 // which of choices is explored
	choices int32 // more than 1 only if the operation chooses a value, or inTurn
	value   int32 // choice, numbered with the choices that sleep
	preempt int32 // preemptions up to and including this event
	objs    int32 // how many objects there were at its node
	quiet   int32 // operations of its thread that followed it and were no events
	high    int32 // if its sets have a part in engine.high: 1 + its index; else 0
	op      Op
	class   class
	state   uint8  // of the object before the event: operation.before
	idle    uint8  // why it ran although it comes last (thread_fair.go)
	seen    bool   // val holds a result
	fails   bool   // a CompareAndSwap of class write that swaps nothing
	plain   bool   // no wakeup sequences begin at its node (search_part.go)
	arg     int64  // WaitGroup.Add: the delta
	val     uint64 // the result, compared when the event is executed again
	hash    uint64 // of the schedule up to and including this event
	pending uint64 // engine.pending before the event

	low [nodeSets]uint64 // the sets of its node: see engine.node
}

// object is the model of what lies at one address, for one execution. What count and state mean is
// up to the file of the object.
type object struct {
	ptr      unsafe.Pointer
	last     int32    // the last event on it, or -1
	written  int32    // the last of class write, or -1
	recent   []recent // the events after that, by threads
	count    int32    // WaitGroup: the counter; RWMutex: readers
	state    int32    // Once: onceFresh to onceDone; RWMutex: 1 + the announced writer
	base     int32    // WaitGroup: the counter before the first event
	adds     bool     // WaitGroup: changed in this execution
	assigned bool     // WaitGroup: assigned to after an event on it
	used     bool     // WaitGroup: by threads of user
	met      bool     // a thread has come to an operation on it that is none of sync/atomic
	user     *bubble  // WaitGroup: see used
	bubble   *bubble  // channel, timer, WaitGroup: which it belongs to
	waiters  []int32  // Cond: threads, in order of arrival; futex: of number
	ch       *channel // nil until it was a channel; kept between executions
	model    any      // what stands for it in this execution: see SetModel
}

// engine explores one check. One goroutine at a time touches it: the dispatcher, or the thread to
// which control was handed, by the dispatcher or (under the race detector) by the previous thread.
type engine struct {
	cfg        Config
	body       func()    // of the check
	threads    []*thread // kept between executions; the first n are in use
	n          int       // threads of this execution
	cur        *thread   // runs, or ran last
	next       int       // the thread that runs next, or one of the end codes
	dispatcher dispatcher

	// The path: the events of this execution, and the prefix of it that is given.

	depth    int      // events executed
	plen     int      // events of the prefix; the last of them was changed by backtrack
	root     int      // events of it that lead to the root of a part of the tree (search_part.go)
	later    bool     // the later choices of the last of those are a part of it, too
	wasBegun bool     // a part of the tree was explored by others
	resumed  bool     // the first execution of a state is to be run
	given    []Branch // of a subtree or state, until its first execution has ended

	givenHash uint64 // of the schedule before the last of these steps

	stack  []event
	clk    []int32        // the clocks of the events (search_clock.go), stride entries each
	stride int            // at most wordThreads
	high   []nodeHigh     // by depth, valid for events with high
	pages  [][]*clockPage // by depth: the further entries of the clocks; nil if none can have any

	objs  []object // by number; the first nobjs are of this execution
	nobjs int
	table table // from addresses to numbers

	overlaps []overlap // by object: which ones overlap it (sync_overlap.go)
	founds   []found   // those that executions might share (left.go)
	meetsOld bool      // it looks at words (left_words.go)

	// The present state of the threads.

	sleep        threadSet // asleep at the present node
	pending      uint64    // a sum over the pending operations, which a replay must reproduce
	runnable     threadSet // whose pending operation is always enabled
	gated        threadSet // whose pending operation can be disabled
	alive        threadSet // that have not ended
	daemons      threadSet // that wait to run the function of a timer
	background   threadSet // that the initialisation of packages began, or that a test left
	detached     threadSet // that a test left
	unseen       threadSet // that Go does not have (GoUnseen)
	initialising bool      // Initialise is at it
	waiting      threadSet // that wait for a WaitGroup forever
	unstarted    int       // threads spawned and not yet run to their first operation
	begun        int       // startAll has started the threads below it
	quiet        bool      // only one thread can affect the result: no scheduling points
	starting     bool      // startAll runs: a thread at its first operation returns control at once
	aborting     bool      // the execution is over: a thread at an operation unwinds
	quietOps     int       // operations while quiet

	// Loops that wait (thread_fair.go).

	tired     threadSet   // threads that run only if no other can
	timeRan   bool        // the last of the idle events was a timeout
	barred    threadSet   // if only tired threads could run: those that could not
	outrun    threadSet   // tired threads whose timeouts come after later ones
	restedAt  int32       // the last event of a thread that was not tired
	idleSteps int         // events of tired threads
	chosen    int         // events that could have taken another case
	cuts      []string    // the loops of which iterations were left out
	places    []callPlace // memo of loopPlace
	stopped   bool        // only loops in the background were left

	anyLoops     bool // iterations of all loops are compared
	wantAnyLoops bool // start again with anyLoops
	sawLoop      bool // a thread was in a loop

	// Time.

	clock      virtualClock  // outside of bubbles
	early      int           // early timeouts of timers so far
	earlyWaits int           // futex waits that ended early so far
	baseEarly  int           // before the first event
	baseSlow   time.Duration // before the first event
	forcedDue  time.Duration // the deadline that passes because nothing else can run, or -1
	forced     *virtualClock // on which it passes
	anyForced  bool          // a timeout was forced
	rescued    bool          // that of a futex wait was
	held       bool          // a timer was kept from firing by Config.EarlyTimeouts
	looks      int           // at the clock, by time.Now or by setting a timer
	asksTime   bool          // one of them was by time.Now
	moved      bool          // the clock moved by itself
	futexMoved bool          // the early end of a futex wait moved it
	slow       time.Duration // by how much threads have been slow
	passed     bool          // the execution needs the second way of time_timer.go
	passing    []string      // why, if the execution is recorded
	bubbles    *bubble       // of this execution, the last one first
	astray     []int32       // events that are none of Go's (bubble_waits.go)
	astrayKey  byte          // its address stands for what came before the threads' operations
	apart      apart         // see time_apart.go
	historyKey byte          // its address stands for the history (Instant)

	// Wakeup trees (search_wakeup.go).

	optimal     bool        // they are used; else backtracking sets alone
	simple      bool        // they were given up
	wantSimple  bool        // start again without them
	raced       []raced     // races not yet inserted, by the depth of the later event
	accs        [][]access  // by depth: of operations on channels
	taken       []stepTaken // steps explored from the nodes of the path, by depth
	branches    []*wakeNode // by depth of node: what is to be explored from there
	follow      *wakeNode   // the wakeup tree of the next node
	spareNodes  *wakeNode   // not in use
	labels      [][]int32   // of threads, by birth
	labelled    []int32     // by label: the thread that had it last
	sequence    sequence    // of addSequence
	presentStep stepTaken   // of present
	reversed    []access    // of reverseAccesses
	exactly     bool        // they are known
	atEnd       bool        // the execution has ended, and its races are inserted

	// How schedules are chosen.

	reduce         bool             // partial-order reduction; else all schedules or random ones
	bounded        bool             // reduction within a bound on preemptions (search_bounded.go)
	orderAdds      bool             // additions to WaitGroups are writes (sync_waitgroup.go)
	overlaid       bool             // atomic words may overlap (sync_overlap.go)
	wantOverlaid   bool             // start again with overlaid
	mixed          bool             // they do: a CompareAndSwap of 8 bytes is a write
	wantMixed      bool             // start again with mixed
	wantOrderAdds  bool             // start again with orderAdds
	orderDones     bool             // all changes of a WaitGroup depend on one another
	wantOrderDones bool             // start again with orderDones
	polls          bool             // channels are polled in a loop (search_part.go)
	wantPolls      bool             // start again, undivided
	clocked        bool             // timers depend on the clock (time_apart.go)
	wantClocked    bool             // start again with clocked
	usesWG         bool             // this execution changed a WaitGroup
	rendezvous     perKind          // unbuffered channels have queues (chan_rendezvous.go)
	wantRendezvous perKind          // start again with rendezvous
	requests       perKind          // plain receives post requests (chan_request.go)
	wantRequests   perKind          // start again with requests
	rng            rng              // of the random strategies
	prio           []uint64         // POS, PCT: priorities
	changes        []int            // PCT: depths at which the running thread's priority drops
	replay         []wire.Deviation // deviations still to come; nil unless a schedule is replayed
	decision       int              // decisions so far, for replay
	unfit          string           // Result.Unfit

	// Other linearizations of a trace (search_linearize.go).

	follows         *linearizer // what it runs, if it runs such
	linear          *linearizer // runs those of this engine's traces
	foreign         bool        // Config.Linearize was set at the start
	foreignSeen     bool        // two threads have run foreign code in some execution
	foreignAnywhere bool        // in this execution any thread may have run such code
	ordersLeft      bool        // a trace needed no other linearization
	pauses          []pause     // of this execution
	paused          int         // linearizations with a pause so far
	pausedSteps     int         // of these

	// Choices of a select (chan_sleepset.go).

	selects      bool        // some thread has chosen among cases
	asleep       uint64      // sleeping choices of the thread that runs
	sleepSets    [][]sleeper // by depth of node
	nextSleepSet []sleeper   // of the next node

	// Scratch memory.

	cands      []int32  // of races, chanRaces
	seen       []int32  // of initials: threads with an event in notdep(i)
	firsts     []int32  // by thread: 1 + the depth of the first event of one in seen, else 0
	deps       []int32  // of chanRaces, for isDep
	sameCases  []int32  // of alike
	pendingAcc []access // of chanWakes, wakesChoice

	// Coroutines (coro.go).

	coros    []*Coro     // made in this execution and not ended
	carriers []*carrier  // free
	spent    []*carrier  // free in the next execution
	trail    int         // the length of trailPCs in use
	trailPCs [32]uintptr // the stack of a panic that left a coroutine

	// What is found and shown.

	failure   *Failure      // of this execution
	observed  Step          // the step that Config.Observe gets
	coming    []*Step       // by thread: the one that Config.Before gets
	words     []Word        // the stack that Config.Before gets
	stackEnds []uintptr     // where the stack of the thread that runs has ended, since it began
	lent      []Memory      // of this execution: see Passed
	shown     [][16]uintptr // by step: the call stack that Config.Before got
	rec       *recorder     // nil unless the execution is recorded

	certificate *certificate // nil unless Config.Certify
	watched     bool         // Config.Record, Certify or Observe is set

	res             Result
	found           *Failure // in an exploration that was started again
	longest         int      // most events of an execution
	raceErrs        int      // reports of the race detector so far
	history         history  // whether it has forgotten some
	last            bool     // a failure was found after which nothing more is run
	twice, repeated bool     // the first schedule is to be run a second time; it was
	first           bool     // the first execution has begun
	counted         *Result  // by the first search, while the second one runs (search_race.go)
	start           time.Time
	deadline        time.Time
	late            bool       // the execution was ended by it
	report          time.Time  // when progress was reported last
	lastBetween     time.Time  // when Config.Between was called last
	lastLook        time.Time  // when it was looked at whether to call it
	slowly          bool       // between two looks much time has passed
	procs           int        // GOMAXPROCS before the exploration
	dear            bool       // an execution takes more than a millisecond
	estimator       *estimator // nil: nobody asks
	uncontrolled    uncontrolled
}

// eng is the engine whose execution is running. It is nil outside of an execution; then hooks only
// do the real operation.
var eng *engine

// latest is the engine of the last exploration, for ThreadName.
var latest *engine
