package wire

import "slices"

// Step is one operation of one thread in an execution.
type Step struct {
	Thread  int    `json:"t"`           // from 0
	Name    string `json:"n,omitempty"` // of the thread; may be empty where Trace.Threads has it
	Op      string `json:"op"`          // "Uint64.Load", "Mutex.Lock"
	Object  string `json:"o,omitempty"` // what it works on: its number, "#2", or a name
	Value   string `json:"v,omitempty"` // what went in and came out: "3 -> true"
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Func    string `json:"func,omitempty"` // the function of that line, as the runtime names it
	Note    string `json:"note,omitempty"` // anything else to say, on a line of its own
	Preempt bool   `json:"p,omitempty"`    // the thread of the step before could have gone on

	// Cases has a letter for each case among which the step chose, as a select statement does, in
	// the order of the source, and one for default, last, if there is one.
	Cases string `json:"cases,omitempty"`

	// After has the earlier steps, by index, of other threads that synchronize before this one as
	// Go's memory model says, without those that do so by way of others.
	After []int `json:"a,omitempty"`

	// Race is not 0 for one of the two accesses that a report of the race detector names, the
	// same number for both. A test binary knows only which thread made the later one, and when.
	Race int `json:"r,omitempty"`
}

// Letters of Step.Cases and Blocked.Cases.
const (
	CaseTaken    = 't'
	CaseReady    = 'r' // could have been taken
	CaseNotReady = 'n'
	CaseNil      = '0' // never ready: its channel is nil
)

// RaceStarters is by how many functions threads are started under the race detector. Function k,
// start3 of package explore for 3, starts the threads of which the number modulo RaceStarters is k.
const RaceStarters = 16

// Renumber changes Step.After of all steps to new indices, -1 for a step that is no longer there.
func Renumber(steps []Step, index func(int) int) {
	for i := range steps {
		var after []int
		for _, k := range steps[i].After {
			if k = index(k); k >= 0 && !slices.Contains(after, k) {
				after = append(after, k)
			}
		}
		steps[i].After = after
	}
}

// Operations whose operand is not a receiver: report looks for it elsewhere in
// the source line.
const (
	OpSend    = "channel send"
	OpReceive = "channel receive"
	OpClose   = "close of a channel"
	OpSelect  = "select" // it has none of its own
)

// Blocked is a thread that waits for ever at the end of an execution.
type Blocked struct {
	Thread int    `json:"t"`
	Name   string `json:"n,omitempty"`
	Op     string `json:"op"` // what it waits in: "Mutex.Lock"
	Object string `json:"o,omitempty"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Note   string `json:"note,omitempty"` // for example which thread holds the lock

	// Cases has a letter for each case of the select statement in which it waits, in their order:
	// CaseNotReady or CaseNil.
	Cases string `json:"cases,omitempty"`
}

// Trace is one execution.
type Trace struct {
	Threads []string  `json:"threads,omitempty"` // names by number; steps may name more
	Steps   []Step    `json:"steps,omitempty"`
	Message string    `json:"message,omitempty"` // what failed; empty for an execution that passes
	Blocked []Blocked `json:"blocked,omitempty"` // threads that cannot go on

	Reversal *Reversal `json:"-"` // what decides that it fails; nil if unknown
}

// Reversal says what makes an execution that fails one that passes.
type Reversal struct {
	First int `json:"first"` // a step, by index

	// Second is the step that comes before it in the execution that passes; the number of steps
	// and k: the operation in which Blocked[k] waits; First: none, First chooses another value;
	// AfterAll: First comes after all that the other threads can do.
	Second int `json:"second"`

	Schedule string `json:"schedule"` // of that execution

	Races bool `json:"races,omitempty"` // the race detector objects to that execution
}

// AfterAll is a value of Reversal.Second.
const AfterAll = -1
