// Package serve is a process that runs programs of package prog for another
// one. Its test binary, built as it stands, runs them as Go does; built from
// rewritten copies it explores them.
package serve

import "github.com/surewake/surewake/fuzz/prog"

// Variable is the name of the environment variable that makes the test binary
// read requests, one a line, and write an answer for each.
const Variable = "SUREWAKE_SERVE_PROGRAMS"

// A Request is a program and what to do with it.
type Request struct {
	Program prog.Program
	Mode    string // Native, Reduced or Both
	Runs    int    // Native: how often. Else: the most executions of the search with reduction
	Every   int    // Both: the most executions of the search without reduction
	Samples int    // Both: how many random schedules are run when those were not all
	Seed    uint64 // of the noise, or of the samples
	Early   int    // how many timers of an exploration come early
	Bubble  bool   // explore the program in a bubble, even if it does not need one
}

// The modes.
const (
	Native  = "native"  // on real goroutines
	Reduced = "reduced" // one execution of each trace
	Both    = "both"    // the same, and then every schedule unless there are too many traces
)

// An Answer is what a program can do.
type Answer struct {
	Complete map[string]int // how often each outcome was seen with every goroutine at its end
	Stuck    map[string]int // likewise with goroutines that wait for ever
	Races    int            // runs with a data race
	Bounded  bool           // the limit came first
	Crash    string         // a panic that nobody recovered
	Refused  string         // what the checker does not model
	Failure  string         // what else ended an execution: never right
	Every    *Answer        // of the search without reduction, and of the samples
	Spent    bool           // the process holds too much that waits for ever: use another
}
