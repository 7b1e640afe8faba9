package wire

import (
	"bytes"
	"encoding/json"
	"io"
)

// A Message goes from a test binary to the command. One of its fields is set.
type Message struct {
	Progress   *Progress   `json:"progress,omitempty"`
	Result     *Result     `json:"result,omitempty"`
	Skip       *Skip       `json:"skip,omitempty"`
	Coverage   *Coverage   `json:"coverage,omitempty"`
	Part       *Part       `json:"part,omitempty"`
	Reversal   *Reversal   `json:"reversal,omitempty"` // of the last Result's Trace
	Checkpoint *Checkpoint `json:"checkpoint,omitempty"`
}

// Checkpoint says from where another process could go on with a check that has no result yet.
type Checkpoint struct {
	Check string          `json:"check"`
	State json.RawMessage `json:"state"`
}

// Resume is what an earlier process of the same Test function has left. A test binary gets it in
// the file Settings.Resume.
type Resume struct {
	Ended      []Ended     `json:"ended"`                // the checks that have a result
	Checkpoint *Checkpoint `json:"checkpoint,omitempty"` // of one that has none
}

// Ended is a check that has a result.
type Ended struct {
	Check    string   `json:"check"`
	Passes   bool     `json:"passes"`
	Message  string   `json:"message"`
	Subtests []string `json:"subtests,omitempty"` // Result.Subtests
}

// Part goes from a test binary to one that has started it to explore a part of a check.
type Part struct {
	Report json.RawMessage `json:"report"`
}

// Coverage tells what the executions of a check have reached.
type Coverage struct {
	// By file, as instrument names it: 1 for each block of statements that ran, else 0.
	Marks map[string][]byte `json:"marks"`
}

// Skip says that a test is skipped, outside of the executions of a check.
type Skip struct {
	Test string `json:"test"` // its name, subtest included
	Why  string `json:"why"`
	File string `json:"file,omitempty"` // where; "" if unknown
	Line int    `json:"line,omitempty"`
}

// Progress tells how far an exploration has got.
type Progress struct {
	Check      string  `json:"check"`
	Executions int64   `json:"executions"`
	Rate       float64 `json:"rate"`           // executions per second
	Left       float64 `json:"left"`           // estimate of the executions left, -1 if unknown
	Most       float64 `json:"most,omitempty"` // that the budget allows, 0: any
	Steps      int64   `json:"steps"`

	// What has failed so far, empty if nothing has.
	Kind    Kind   `json:"kind,omitempty"`
	Failure string `json:"failure,omitempty"`
}

// Result is what became of a check, or of one replayed schedule of it.
type Result struct {
	Check       string   `json:"check"` // name of the test, subtest included
	Verdict     string   `json:"verdict"`
	Complete    int64    `json:"complete"`
	Deadlocked  int64    `json:"deadlocked"`
	Pruned      int64    `json:"pruned"`
	Steps       int64    `json:"steps"`
	Seconds     float64  `json:"seconds"`
	Races       int64    `json:"races"`             // executions with a data race
	Bounded     string   `json:"bounded,omitempty"` // why the verdict is at most bounded
	Cut         bool     `json:"cut,omitempty"`     // a budget ended it before all was explored
	Left        float64  `json:"left,omitempty"`    // executions that it cut off: an estimate
	Assumptions []string `json:"assumptions,omitempty"`
	Digest      string   `json:"digest,omitempty"` // over all explored schedules; "": unknown
	Alone       bool     `json:"alone,omitempty"`  // with model.Before: no races are looked for

	// Of a race run: it made the executions of a plain run, and asked of each all that that asks.
	Stands bool `json:"stands,omitempty"`

	// Likewise: an execution may have been looked at for what the race detector forgets.
	LookedBack bool `json:"looked_back,omitempty"`

	// Of an ordinary test: the subtests that were met and are to be explored by themselves.
	Subtests []string `json:"subtests,omitempty"`

	// With Settings.Shards: what was found in each search of the check.
	Searches []Search `json:"searches,omitempty"`

	// With Regress: what came of the schedule that was run first. One that fails is the failure.
	Replayed string `json:"replayed,omitempty"`

	// What decided the verdict, unless it is Proved or Bounded.
	Kind     Kind              `json:"kind,omitempty"`
	File     string            `json:"file,omitempty"` // where; "" if unknown
	Line     int               `json:"line,omitempty"`
	Message  string            `json:"message,omitempty"`
	Schedule string            `json:"schedule,omitempty"`
	Later    bool              `json:"later,omitempty"` // it was not the first execution of its process
	Trace    *Trace            `json:"trace,omitempty"`
	Files    map[string]string `json:"files,omitempty"` // what else was written, by kind
}

// Search is what one shard of a check has found in one search of it.
type Search struct {
	Units int             `json:"units"`           // parts into which it was divided for all shards
	Hash  string          `json:"hash"`            // of these parts
	Modes string          `json:"modes,omitempty"` // in which it was divided
	Found json.RawMessage `json:"found"`           // an explore.Result
}

// Shards are the searches of all shards, by checks: of each check, and each search of it, what each
// shard has found. A test binary gets them in the file Settings.Found.
type Shards map[string][][]Search

// Mark begins a line of a test binary's standard output that holds a Message.
// A body that prints without a newline may leave text before it.
const Mark = "\x1esurewake "

// Write writes m as a line of its own, in one call of w.Write.
func (m Message) Write(w io.Writer) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = w.Write(append(append([]byte("\n"+Mark), b...), '\n'))
	return err
}

// Parse looks for a message in a line of output. It returns the text before
// the message. Without a message, or with a mutilated one, ok is false: the
// line is then ordinary output.
func Parse(line []byte) (before []byte, m Message, ok bool) {
	before, encoded, ok := bytes.Cut(line, []byte(Mark))
	if !ok || json.Unmarshal(encoded, &m) != nil || m == (Message{}) {
		return line, Message{}, false
	}
	return before, m, true
}
