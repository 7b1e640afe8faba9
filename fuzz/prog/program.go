// Package prog has concurrent programs as data, and ordinary Go code that runs
// them.
//
// The interpreter is rewritten by the checker like any code under check, so one
// binary explores program after program without a compiler. It keeps what each
// goroutine saw to that goroutine: it adds no synchronization to a program,
// and the race detector judges the program's own.
package prog

import (
	"fmt"
	"strings"
)

// A Program is the blocks of the goroutines that it begins with.
type Program struct {
	Threads []Block `json:"threads"`
}

// A Block is a sequence of instructions.
type Block []Instr

// An Instr is one instruction. What A and B mean is up to the operation; any
// value is valid and taken modulo the number of objects.
type Instr struct {
	Op    string `json:"op"`
	A     int    `json:"a,omitempty"`     // which object
	B     int    `json:"b,omitempty"`     // a value
	Odd   bool   `json:"odd,omitempty"`   // skipped unless the value read last is odd
	Cases []Case `json:"cases,omitempty"` // of a select
	Body  Block  `json:"body,omitempty"`  // of go, try, defer, once, afterfunc and pull
}

// A Case is a case of a select: a receive from Chan, or a send to it.
type Case struct {
	Send bool `json:"send,omitempty"`
	Chan int  `json:"chan,omitempty"`
}

func (p Program) String() string {
	var b strings.Builder
	for i, th := range p.Threads {
		fmt.Fprintf(&b, "goroutine %d {%v}\n", i, th)
	}
	return b.String()
}

func (b Block) String() string {
	var out []string
	for _, in := range b {
		out = append(out, in.String())
	}
	return strings.Join(out, "; ")
}

func (in Instr) String() string {
	s := fmt.Sprintf("%s %d %d", in.Op, in.A, in.B)
	if in.Odd {
		s = "if odd: " + s
	}
	for _, c := range in.Cases {
		if c.Send {
			s += fmt.Sprintf(" case c%d <-", c.Chan)
		} else {
			s += fmt.Sprintf(" case <-c%d", c.Chan)
		}
	}
	if in.Body != nil {
		s += fmt.Sprintf(" {%v}", in.Body)
	}
	return s
}

// Size is the number of instructions.
func (b Block) Size() int {
	n := len(b)
	for _, in := range b {
		n += in.Body.Size()
	}
	return n
}
