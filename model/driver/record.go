package driver

import (
	"bytes"
	"encoding/json"
	"sync"
)

// settings is what a test binary reads from the environment variable SUREWAKE
// (package model holds the other end).
type settings struct {
	Mode        string // "explore" or "replay"
	Race        bool
	Expect      []string // import paths that must have been rewritten
	Strategy    string
	Preemptions int // -1 is no bound
	Seconds     float64
	Executions  int64
	Seed        uint64
	Schedule    string // for "replay", of check Check
	Check       string
	Progress    bool
	Quick       bool // the first failure will do: no search for a shorter one, no lanes
}

// A record is one line of a test binary, after recordMark.
type record struct {
	Kind string `json:"kind"` // "progress" or "result"
	Name string `json:"name"` // of the check: a Test function or a subtest

	// progress
	Executions int64   `json:"executions"`
	Rate       float64 `json:"rate"` // executions a second
	Left       float64 `json:"left"` // executions that seem left, -1 if unknown

	// result
	Verdict     string            `json:"verdict"`
	Complete    int64             `json:"complete"`
	Deadlocked  int64             `json:"deadlocked"`
	Pruned      int64             `json:"pruned"`
	Steps       int64             `json:"steps"`
	Seconds     float64           `json:"seconds"`
	Message     string            `json:"message"`
	Bounded     string            `json:"bounded"` // why the verdict is no better than bounded
	Assumptions []string          `json:"assumptions"`
	Digest      string            `json:"digest"`   // over all explored schedules
	Schedule    string            `json:"schedule"` // of the failing execution
	Lanes       string            `json:"lanes"`    // the failing or replayed execution, drawn
	Files       map[string]string `json:"files"`
	Races       int               `json:"races"`

	said string // what the process printed since the result before
}

// recordMark starts a record. A body that prints without a newline may leave
// text before it.
var recordMark = []byte("\x1esurewake ")

// maxPending is how long a line may grow that does not (yet) hold a record.
const maxPending = 1 << 20

// A splitter is what a test binary writes, standard output and standard error
// in one stream so that their order is known: records go to onRecord, everything
// else to rest.
type splitter struct {
	onRecord func(record)
	rest     *output
	pending  []byte
}

func (s *splitter) Write(p []byte) (int, error) {
	s.pending = append(s.pending, p...)
	for {
		end := bytes.IndexByte(s.pending, '\n')
		if end < 0 {
			break
		}
		s.line(s.pending[:end+1])
		s.pending = s.pending[end+1:]
	}
	if len(s.pending) > maxPending && !bytes.Contains(s.pending, recordMark) {
		s.rest.Write(s.pending)
		s.pending = nil
	}
	return len(p), nil
}

func (s *splitter) line(line []byte) {
	at := bytes.Index(line, recordMark)
	if at < 0 {
		s.rest.Write(line)
		return
	}
	var r record
	if json.Unmarshal(line[at+len(recordMark):], &r) != nil {
		// Shown as it came: a mutilated record must not vanish.
		s.rest.Write(line)
		return
	}
	s.rest.Write(line[:at])
	s.onRecord(r)
}

// flush hands on a last line without a newline.
func (s *splitter) flush() {
	s.line(s.pending)
	s.pending = nil
}

// An output keeps the beginning and the end of what is written to it, which is
// what messages quote: reports of the race detector from the beginning, the
// last words of a dying process from the end.
type output struct {
	mu      sync.Mutex
	limit   int // bytes kept at each end
	head    []byte
	tail    []byte
	dropped bool
}

func newOutput(limit int) *output { return &output{limit: limit} }

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := len(p)
	if room := o.limit - len(o.head); room > 0 {
		take := min(room, len(p))
		o.head = append(o.head, p[:take]...)
		p = p[take:]
	}
	o.tail = append(o.tail, p...)
	if len(o.tail) > 2*o.limit {
		o.tail = append([]byte(nil), o.tail[len(o.tail)-o.limit:]...)
		o.dropped = true
	}
	return n, nil
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.dropped {
		return string(o.head) + "\n[...]\n" + string(o.tail)
	}
	return string(o.head) + string(o.tail)
}

// take returns what is kept and starts anew.
func (o *output) take(limit int) string {
	text := o.String()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.limit, o.head, o.tail, o.dropped = limit, nil, nil, false
	return text
}
