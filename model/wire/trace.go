package wire

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
}

// Operations whose operand is not a receiver: report looks for it elsewhere in
// the source line.
const (
	OpSend    = "channel send"
	OpReceive = "channel receive"
	OpClose   = "close of a channel"
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
}

// Trace is one execution.
type Trace struct {
	Threads []string  `json:"threads,omitempty"` // names by number; steps may name more
	Steps   []Step    `json:"steps,omitempty"`
	Message string    `json:"message,omitempty"` // what failed; empty for an execution that passes
	Blocked []Blocked `json:"blocked,omitempty"` // threads that cannot go on
}
