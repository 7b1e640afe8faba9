package explore

import (
	"math/bits"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/surewake/surewake/model/wire"
)

// A Strategy says which schedules are run.
type Strategy string

// The strategies. DPOR runs one schedule of every equivalence class; the
// others draw schedules until the budget is used up.
const (
	// DPOR runs one schedule of every trace and is the only one that can prove something.
	DPOR   Strategy = "dpor"
	Random Strategy = "random"
	POS    Strategy = "pos"
	PCT    Strategy = "pct"
)

// Config says how to explore.
type Config struct {
	Strategy         Strategy
	Preemptions      int // most preemptions of a schedule, -1 for any number; PCT: how many
	MaxSteps         int // most steps of one execution
	Executions       int64
	Duration         time.Duration
	NoForcedTimeouts bool // no timeout fires because nothing else can run: that is a deadlock
	EarlyTimeouts    int  // most timeouts and signals of one execution that come although others can run
	Seed             uint64
	Replay           []wire.Deviation // with Record: run this one schedule
	Record           bool
	FirstOnly        bool // stop at the first failure

	Begin    func()                // before each execution
	End      func() *Failure       // after each complete execution
	Deadlock func()                // after each execution in which threads wait for ever
	Exited   func() string         // why a thread left its goroutine; "" if unknown
	Failed   func() string         // a failure that the test itself noted; "" for none
	Observe  func(*Step) error     // after each operation; an error fails the execution there. The step is valid until it returns
	Progress func(Result, float64) // about four times a second, with the part of the tree explored
}

// Result is what an exploration found.
type Result struct {
	Complete       int64
	Deadlocked     int64
	Pruned         int64
	Failures       int64 // executions that failed, deadlocked ones apart
	Steps          int64
	Races          int64  // executions with a data race
	Digest         uint64 // over all explored schedules
	Bounded        string // why not everything was explored, "" if it was
	Seconds        float64
	Threads        int      // most threads in one execution
	ForcedTimeouts int64    // executions in which a timeout fired because nothing else could run
	Held           bool     // a timer was kept from firing early, since there are no more early timeouts than Config.EarlyTimeouts
	Assumed        []string // what Assume was told, each text once
	Uses           []Use    // what NoteUse was told, likewise
	Failure        *Failure
	Trace          []wire.Step // of the replayed execution

	cut bool
}

// Executions is the number of executions begun.
func (r *Result) Executions() int64 { return r.Complete + r.Deadlocked + r.Pruned + r.Failures }

// Beats counts the beginnings and the ends of executions: while it is odd, one
// is running, and a watchdog sees by it whether that gets on.
var Beats atomic.Int64

// DefaultMaxSteps is the bound on the steps of one execution.
const DefaultMaxSteps = 20_000

// extraTime bounds how long the search goes on after a failure, to count the
// rest and to find the failure with the fewest preemptions.
const extraTime = 10 * time.Second

// Run explores body. It must not be called while another exploration runs.
func Run(cfg Config, body func()) Result {
	if cfg.MaxSteps == 0 {
		cfg.MaxSteps = DefaultMaxSteps
	}
	if cfg.Strategy == "" {
		cfg.Strategy = DPOR
	}
	e := &engine{cfg: cfg, body: body, stride: 4}
	e.reduce = cfg.Strategy == DPOR && cfg.Preemptions < 0 && !cfg.Record
	e.rng = rng{on: cfg.Strategy != DPOR && !cfg.Record, state: cfg.Seed}
	if cfg.Record {
		e.replay = cfg.Replay
		if e.replay == nil {
			e.replay = []wire.Deviation{}
		}
	}
	e.procs, e.raceErrs = runtime.GOMAXPROCS(0), raceErrors()
	latest = e
	e.table.reset(8)
	e.open()
	old := debug.SetGCPercent(400)
	defer debug.SetGCPercent(old)
	if Race {
		// One processor makes the hand-off between goroutines cheap.
		e.procs = runtime.GOMAXPROCS(1)
		defer runtime.GOMAXPROCS(e.procs)
	}
	e.start = time.Now()
	if cfg.Duration > 0 {
		e.deadline = e.start.Add(cfg.Duration)
	}
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
		ended = true
	}()
	if r := <-done; r != nil {
		eng = nil
		panic(r)
	}
	e.res.Seconds = time.Since(e.start).Seconds()
	return e.res
}

// Active reports whether a checked execution is running.
func Active() bool { return eng != nil }

// Aborting reports whether the running execution is being torn down.
func Aborting() bool { e := eng; return e != nil && e.aborting }

// Fail ends the running execution with a failure.
func Fail(k Kind, message string) {
	if e := eng; e != nil {
		if e.aborting {
			panic(abort{})
		}
		e.fail(k, "%s", message)
	}
}

// Thread is the number of the running thread, 0 outside an execution.
func Thread() int {
	if e := eng; e != nil {
		return e.cur.id
	}
	return 0
}

// ThreadName is the name that a thread of the last execution had.
func ThreadName(i int) string {
	if e := latest; e != nil && i < len(e.threads) {
		return e.threads[i].name
	}
	return "goroutine " + strconv.Itoa(i)
}

// Goroutines is the number of threads of the running execution that have not
// ended and of its coroutines, 0 outside one.
func Goroutines() int {
	if e := eng; e != nil {
		return bits.OnesCount64(e.alive) + len(e.coros)
	}
	return 0
}

// Procs is what GOMAXPROCS was before the running exploration, 0 outside an
// execution.
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

// Assume names an assumption under which what the running execution does is all that Go could do. It
// stands in the verdict, once.
//
//go:noinline
func Assume(text string) {
	if e := eng; e != nil && !slices.Contains(e.res.Assumed, text) {
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
	if e == nil || e.aborting || ordered && e.quiet && e.rec == nil || slices.Contains(e.res.Uses, u) {
		return
	}
	e.res.Uses = append(e.res.Uses, u)
}

// Hidden runs f without edges for the race detector.
func Hidden(f func() bool) (ok bool) {
	quietly(func() { ok = f() })
	return
}
