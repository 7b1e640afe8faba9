package trace

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/surewake/surewake/proofs/refine"
	"github.com/surewake/surewake/proofs/trace/atomic"
)

// A stack is what called.
type stack struct {
	text      string
	functions []string // as the Code of rules means them
	where     string   // the innermost function, its file and line
}

// An event is a record of a file.
type event struct {
	atomic.Record
	n     int // its number among those of goroutines
	stack *stack
	text  string // of an object that was made
}

// A reader reads the file of a trace.
type reader struct {
	in     *bufio.Reader
	stacks map[uint32]*stack
	n      int
}

// mostText is more than a record has.
const mostText = 1 << 20

func newReader(in io.Reader) *reader {
	return &reader{in: bufio.NewReaderSize(in, 1<<16), stacks: map[uint32]*stack{}}
}

// next returns the next event; io.EOF is the error at the end of the file, wherever it was cut.
func (r *reader) next() (*event, error) {
	for {
		e := &event{}
		if err := binary.Read(r.in, binary.LittleEndian, &e.Record); err != nil {
			return nil, cut(err)
		}
		if e.Extra > mostText {
			return nil, fmt.Errorf("trace: event %d has %d bytes of text", r.n, e.Extra)
		}
		text := make([]byte, e.Extra)
		if _, err := io.ReadFull(r.in, text); err != nil {
			return nil, cut(err)
		}
		switch e.Kind {
		case atomic.Stack:
			r.stacks[e.Record.Stack] = newStack(string(text))
			continue
		case atomic.Made:
			e.text, e.stack = string(text), newStack("")
			return e, nil
		case atomic.Access, atomic.Entered, atomic.Left, atomic.Said:
			r.n++
			if e.n, e.stack = r.n, r.stacks[e.Record.Stack]; e.stack == nil {
				return nil, fmt.Errorf("trace: event %d: there is no stack %d", r.n, e.Record.Stack)
			}
			return e, nil
		}
		return nil, fmt.Errorf("trace: event %d is of no kind: %d", r.n, e.Kind)
	}
}

func cut(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return io.EOF
	}
	return err
}

func newStack(text string) *stack {
	s := &stack{text: text}
	for line := range strings.SplitSeq(text, "\n") {
		function, where, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		s.functions = append(s.functions, refine.FunctionNames(function)...)
		if s.where == "" {
			s.where = path.Base(function) + ", " + path.Base(where)
		}
	}
	return s
}
