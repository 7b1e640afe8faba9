package driver

import (
	"bytes"
	"sync"

	"github.com/surewake/surewake/model/wire"
)

// A result is a result as it came.
type result struct {
	wire.Result
	said string // what the process printed since the result before
}

var mark = []byte(wire.Mark)

// maxPending is how long a line may grow that does not (yet) hold a message.
const maxPending = 1 << 20

// A splitter is what a test binary writes, standard output and standard error
// in one stream so that their order is known: messages go to onMessage,
// everything else to rest.
type splitter struct {
	onMessage func(wire.Message)
	rest      *output
	pending   []byte
	history   history
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
	if len(s.pending) > maxPending && !bytes.Contains(s.pending, mark) {
		_, _ = s.rest.Write(s.pending)
		s.pending = nil
	}
	return len(p), nil
}

func (s *splitter) line(line []byte) {
	before, m, ok := wire.Parse(s.history.take(line))
	_, _ = s.rest.Write(before) // all of it, where a message is mutilated
	if ok {
		s.onMessage(m)
	}
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

// Write never fails.
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
