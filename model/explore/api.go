package explore

import (
	"flag"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/surewake/surewake/model/wire"
)

// A Strategy says which schedules are run.
type Strategy string

// The strategies. DPOR runs one schedule of every trace; it is the only one that can complete an
// exploration. The others draw schedules until a budget is used up.
const (
	DPOR   Strategy = "dpor"
	Random Strategy = "random"
	POS    Strategy = "pos"
	PCT    Strategy = "pct"
)

// Config says how to explore.
type Config struct {
	Strategy         Strategy
	Preemptions      int              // most of a schedule, -1: any number; PCT: how many
	Unreduced        bool             // DPOR: every schedule, not one of each trace
	MaxSteps         int              // most steps of one execution; 0: DefaultMaxSteps
	MaxThreads       int              // most threads of one execution; 0: DefaultMaxThreads
	Executions       int64            // most executions; 0: any number
	Duration         time.Duration    // most time; 0: any
	NoForcedTimeouts bool             // a timeout never fires to end a deadlock
	EarlyTimeouts    int              // most of timers, and of futex waits, while others can run
	Short            time.Duration    // timers below it make Result.Timed; see TimePasses
	TimePasses       bool             // the second way of time_passes.go
	MapOrders        bool             // loops over maps choose their order
	Seed             uint64           // of the random strategies
	Record           bool             // run one schedule and record its trace
	Replay           []wire.Deviation // with Record: the schedule; nil: the default one
	FirstOnly        bool             // stop at the first failure
	Shorten          *Failure         // found before: one of fewer preemptions is wanted
	Outer            bool             // the body only waits for what it starts: not worth telling
	Linearize        bool             // run each trace in further orders (search_linearize.go)
	LooksBack        bool             // see whether the race detector forgets (race_history.go)
	Certify          bool             // write down all executions (show_certify.go)
	AllSteps         bool             // what a thread does when it is left alone is steps, too
	Subtree          *Subtree         // what to explore; nil: everything
	From             *State           // where an exploration that is continued was; nil: it begins
	Every            time.Duration    // how often Between is called; 0: after each execution

	Begin    func()                // before each execution
	End      func() *Failure       // after each complete execution
	Deadlock func()                // after each execution in which threads wait forever
	Exited   func() (Kind, string) // why a thread left its goroutine; "": unknown
	Failed   func() *Failure       // after each execution: a failure that the test noted, or nil
	Before   func(*Step)           // see enter_before.go
	Observe  func(*Step) error     // after each operation, *Step reused; an error is a failure
	Progress func(Result, float64) // about four times a second, with the explored part of the tree
	Between  func(Part) bool       // after an execution that is not the last one: whether to go on

	expands *[]Subtree // see Expand
	guide   *guide     // with Record: leads the execution (search_reverse.go)
}

// Result is what an exploration found.
type Result struct {
	Complete       int64
	Deadlocked     int64
	Pruned         int64
	Failures       int64 // executions that failed, deadlocked ones apart
	Steps          int64
	Races          int64   // executions with a data race
	Digest         uint64  // over all explored schedules
	Bounded        string  // why not everything was explored, "" if it was
	CutShort       bool    // Bounded by a budget: not all within the other bounds was explored
	Counted        bool    // CutShort by Config.Executions: each exploration ends with the same one
	Left           float64 // CutShort: estimate of the executions left, 0 if unknown
	Seconds        float64
	Threads        int      // most threads in one execution
	ForcedTimeouts int64    // executions in which a timeout fired because nothing else could run
	Rescued        int64    // executions in which that was the timeout of a futex wait
	Held           bool     // Config.EarlyTimeouts kept a timer from firing early
	HeldLong       bool     // Config.Short kept a timer from firing early
	HeldFutex      bool     // a futex wait had a timeout
	HeldClock      bool     // the clock had moved by itself, and did not again
	Timed          bool     // timers: the second way may find more, see Config.TimePasses
	AsksTime       bool     // two looks at the clock: likewise
	Assumed        []string // what Assume was told, each text once
	Uses           []Use    // what NoteUse was told, likewise
	Failure        *Failure
	Trace          []wire.Step // of the replayed execution
	Unfit          string      // why the schedule to be replayed is none of the body; "" if it is
	Certificate    string      // with Config.Certify: the text for model/certify
	Cuts           []string    // the loops of which iterations were left out
	Again          *Subtree    // of a part: all others are to be searched again, as this whole is

	cut   bool
	made  []made // of the replayed execution: its events,
	waits []made // and the operations of Failure.Blocked
}

// Executions returns the number of executions begun.
func (r *Result) Executions() int64 { return r.Complete + r.Deadlocked + r.Pruned + r.Failures }

// Beats counts the beginnings and the ends of executions, and twice every 1,024 steps of one. While
// it is odd an execution runs; a watchdog sees by it whether the execution goes on.
var Beats atomic.Int64

// beatEvery counts in Beats when an execution has made n steps.
func beatEvery(n int) {
	if n&1023 == 0 {
		Beats.Add(2)
	}
}

// DefaultMaxSteps is the bound on the steps of one execution if Config.MaxSteps is 0.
const DefaultMaxSteps = 20_000

// DefaultMaxThreads is the bound on the threads of one execution if Config.MaxThreads is 0. It is
// there for programs that start goroutines without end.
const DefaultMaxThreads = 10_000

// extraTime bounds how long the search continues after a failure, to find one with fewer
// preemptions.
const extraTime = 10 * time.Second

// Run explores body as cfg says and returns what it found. Only one exploration can run at a time.
// A panic of a callback of cfg is repeated in the caller.
func Run(cfg Config, body func()) Result {
	if cfg.MaxSteps == 0 {
		cfg.MaxSteps = DefaultMaxSteps
	}
	if cfg.MaxThreads == 0 {
		cfg.MaxThreads = DefaultMaxThreads
	}
	cfg.MaxThreads = min(cfg.MaxThreads, mostThreads)
	if cfg.Strategy == "" {
		cfg.Strategy = DPOR
	}
	e := &engine{cfg: cfg, body: body, stride: 4, foreign: cfg.Linearize}
	e.reduce = cfg.Strategy == DPOR && !cfg.Unreduced && !cfg.Record
	e.bounded = e.reduce && cfg.Preemptions >= 0
	e.optimal = e.reduce && !e.bounded
	e.overlaid = overlaidBefore.Load()
	e.anyLoops = cfg.Shorten != nil && cfg.Shorten.AnyLoops
	e.rng = rng{on: cfg.Strategy != DPOR && !cfg.Record, state: cfg.Seed}
	e.procs, e.raceErrs = runtime.GOMAXPROCS(0), raceErrors()
	latest = e
	e.watched = cfg.Record || cfg.Certify || cfg.Observe != nil
	if cfg.Certify {
		e.certificate = new(certificate)
	}
	e.cutRendezvous()
	e.beginSubtree()
	e.beginState()
	e.table.reset(8)
	e.open()
	percent := 400
	switch {
	case cfg.Before != nil:
		percent = 4000 // see showBefore
	case Race:
		percent = 100 // the race detector keeps far more of each object than the object has
	}
	old := debug.SetGCPercent(percent)
	defer debug.SetGCPercent(old)
	if Race || cfg.Before != nil {
		// One processor makes the hand-off between goroutines cheap, and yielding to none.
		e.procs = runtime.GOMAXPROCS(1)
		defer runtime.GOMAXPROCS(e.procs)
	}
	e.beginEstimate()
	e.beginTime()
	e.uncontrolled.count = runtime.NumGoroutine() + 1 // the dispatcher
	done := make(chan any)
	go func() { // a goroutine of its own: the caller may be locked to a thread
		ended := false
		defer func() {
			r := recover()
			if r == nil && !ended {
				r = "explore: a callback left its goroutine"
			}
			done <- r
		}()
		for e.more() {
			e.begin()
			e.run()
			e.finish()
		}
		e.closeThreadCoros()
		if e.linear != nil {
			e.linear.e.closeThreadCoros()
		}
		ended = true
	}()
	if r := <-done; r != nil {
		eng = nil
		panic(r)
	}
	e.endOfSearches()
	e.res.Seconds, e.res.Cuts = time.Since(e.start).Seconds(), e.cuts
	e.markRendezvous()
	e.foundBefore()
	e.finishCertificate()
	return e.res
}

// TookALook reports whether this process has looked back since it was asked last.
func TookALook() bool {
	looked := lookedBack
	lookedBack = false
	return looked
}

// Active reports whether a checked execution is running, whichever goroutine asks.
func Active() bool { return eng != nil }

// Aborting reports whether the running execution is being torn down.
func Aborting() bool { e := eng; return e != nil && e.aborting }

// Fail ends the running execution with a failure. It does not return; outside of an execution it
// does nothing.
func Fail(k Kind, message string) {
	if e := eng; e != nil {
		if e.aborting {
			panic(abort{})
		}
		e.fail(k, "%s", message)
	}
}

// FailAt is [Fail] with the place that the failure has.
func FailAt(k Kind, message string, at Frame) {
	if e := eng; e != nil && !e.aborting && e.failure == nil && !e.isAstray() {
		e.failure = &Failure{Kind: k, Message: message, At: at}
	}
	Fail(k, message)
}

// Thread returns the number of the running thread, 0 outside of an execution.
func Thread() int {
	if e := eng; e != nil {
		return e.cur.id
	}
	return 0
}

// ThreadName returns the name of a thread of the last execution.
func ThreadName(i int) string {
	if e := latest; e != nil && i < len(e.threads) {
		return e.threads[i].name
	}
	return "goroutine " + strconv.Itoa(i)
}

// Goroutines returns how many threads of the running execution have not ended, with its coroutines,
// and how many it has started; 0 outside of an execution.
func Goroutines() (now, started int) {
	if e := eng; e != nil {
		return e.alive.without(e.unseen).count() + len(e.coros), e.n - e.unseen.count()
	}
	return 0, 0
}

// Procs returns GOMAXPROCS as it was before the running exploration, 0 outside of an execution.
func Procs() int {
	if e := eng; e != nil {
		return e.procs
	}
	return 0
}

// ThreadID names the running thread: no other thread of the execution has the same.
func ThreadID() int {
	if e := eng; e != nil {
		return e.cur.id
	}
	return -1
}

// Assume names an assumption under which what the running execution does is all that Go could do.
// It stands in the verdict, once.
//
//go:noinline
func Assume(text string) {
	if e := eng; e != nil {
		e.assume(text)
	}
}

func (e *engine) assume(text string) {
	if !slices.Contains(e.res.Assumed, text) {
		e.res.Assumed = append(e.res.Assumed, text)
	}
}

// A Use is a place at which checked code meets state that the checker does not see.
type Use struct {
	Assumption string // under which that does not matter
	Site       string // what is used, and where
}

// NoteUse notes that the running execution meets such state; ordered says that this can matter only
// while several goroutines can run. Each use stands in the verdict once.
//
//go:noinline
func NoteUse(u Use, ordered bool) {
	e := eng
	if e == nil || e.aborting || ordered && e.quiet && e.rec == nil ||
		slices.Contains(e.res.Uses, u) {
		return
	}
	e.res.Uses = append(e.res.Uses, u)
}

// outlived says that the executions since it was last asked for met state that outlives them.
var outlived bool

// Outlive notes that the running execution does.
//
//go:noinline
func Outlive() { outlived = outlived || eng != nil }

// Outlived reports whether one has, since this was asked last.
//
//go:noinline
func Outlived() (has bool) {
	has, outlived = outlived, false
	return has
}

// before has what was met before the first execution.
var before struct {
	sync.Mutex
	uses []Use
}

// NoteBefore is NoteUse for what initialisers do, which is what all executions begin with. It does
// nothing when the flags of the test binary have been parsed.
func NoteBefore(u Use) {
	if flag.Parsed() {
		return
	}
	before.Lock()
	defer before.Unlock()
	if !slices.Contains(before.uses, u) {
		before.uses = append(before.uses, u)
	}
}

// UsedBefore returns what NoteBefore was told.
func UsedBefore() []Use {
	before.Lock()
	defer before.Unlock()
	return slices.Clone(before.uses)
}

// Hidden runs f without making edges for the race detector, and returns its result.
func Hidden(f func() bool) (ok bool) {
	quietly(func() { ok = f() })
	return
}
