// Package proofs is the index of what is proved about packages idle, park, deque and taskstate and about an injector between
// them, and redoes the proofs.
//
// A [Theorem] is one line of the index: what is claimed, for how many workers and tasks, under which assumptions. [Audit]
// checks them with the tools that each needs, and each theorem's mutants with it: weakened protocols of which the same claim must
// be refuted, so that a proof that would go through whatever the protocol is does not count. README.md says how to read
// them, and what is not proved.
package proofs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// AnyN is the scope of a theorem that bounds nothing.
const AnyN = "any N"

// A Theorem is one claim and how it is checked.
type Theorem struct {
	ID          string
	Statement   string   // in one line
	Scope       string   // begins with AnyN, or gives the bounds
	Assumptions []string // besides those of the method, see README.md
	Code        []string // the shipped Go that it speaks about
	proof       proof
	mutants     []mutant
}

// A proof is one way to check a theorem.
type proof interface {
	method() string
	tools() []tool
	file() string // relative to this directory
	check(ctx context.Context, b *bench) error
}

// A mutant is a protocol of which the theorem is false. weakened is the same proof about it; it must be refuted, which is
// more than not to go through: see refuted.
type mutant struct {
	id, what string
	weakened proof
}

// refuted is the error of a proof that has an answer, and it is no. Any other error is no answer.
type refuted struct{ why string }

func (r *refuted) Error() string { return r.why }

// Method, Files and Tools describe how the theorem is checked.
func (t *Theorem) Method() string { return t.proof.method() }

// File returns where the proof stands, relative to this directory.
func (t *Theorem) File() string { return t.proof.file() }

// A Row is the result of one theorem. Its JSON names are an interface.
type Row struct {
	ID          string   `json:"id"`
	Statement   string   `json:"statement"`
	Scope       string   `json:"scope"`
	Method      string   `json:"method"`
	Tool        string   `json:"tool"`
	Assumptions []string `json:"assumptions"`
	Result      string   `json:"result"` // Proved, Bounded or Failed
	Seconds     float64  `json:"seconds"`
	Message     string   `json:"message,omitempty"` // why it failed
	File        string   `json:"file"`
	Line        int      `json:"line,omitempty"` // of the theorem there, if it has one
	Code        []string `json:"code"`
	Mutants     []Mutant `json:"mutants"`
}

// A Mutant is the result of one mutant of a theorem.
type Mutant struct {
	ID      string  `json:"id"`
	What    string  `json:"what"`
	Refuted bool    `json:"refuted"`
	Reason  string  `json:"reason"` // what refutes it, or why it is not refuted
	Seconds float64 `json:"seconds"`
}

// The results of a row.
const (
	Proved  = "proved"  // for any N
	Bounded = "bounded" // within the bounds of the scope, exhaustively
	Failed  = "FAILED"  // the proof or one of its mutants
)

// Audit checks theorems, as many at a time as there are processors, and hands the rows to report in the order of the theorems. It
// returns how many failed; the error is one of the machine, not of a proof.
func Audit(ctx context.Context, theorems []Theorem, report func(Row)) (failed int, err error) {
	dir, err := os.MkdirTemp("", "surewake-audit-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	b := &bench{dir: dir, versions: map[string]string{}, coq: map[string]*coqRun{}}
	rows := make([]chan Row, len(theorems))
	for i := range rows {
		rows[i] = make(chan Row, 1)
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	defer workers.Wait() // before the directory goes
	for range min(runtime.NumCPU(), len(theorems)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(theorems); i = int(next.Add(1)) - 1 {
				rows[i] <- theorems[i].audit(ctx, b)
			}
		})
	}
	for i := range rows {
		row := <-rows[i]
		if ctx.Err() != nil {
			return failed, ctx.Err()
		}
		if row.Result == Failed {
			failed++
		}
		report(row)
	}
	return failed, nil
}

func (t *Theorem) audit(ctx context.Context, b *bench) Row {
	row := Row{ID: t.ID, Statement: t.Statement, Scope: t.Scope, Method: t.proof.method(), File: t.proof.file(),
		Assumptions: append([]string{}, t.Assumptions...), Code: t.Code, Result: Bounded, Mutants: []Mutant{}}
	if strings.HasPrefix(t.Scope, AnyN) {
		row.Result = Proved
	}
	if l, ok := t.proof.(interface{ line() int }); ok {
		row.Line = l.line()
	}
	var versions, missing []string
	for _, tool := range t.proof.tools() {
		version, err := b.describe(ctx, tool)
		versions = append(versions, version)
		if err != nil {
			missing = append(missing, err.Error())
		}
	}
	row.Tool = strings.Join(versions, ", ")
	if missing != nil {
		row.Result, row.Message = Failed, strings.Join(missing, "\n")
		return row
	}
	start := time.Now()
	err := t.proof.check(ctx, b)
	row.Seconds = seconds(start)
	if err != nil {
		row.Result, row.Message = Failed, err.Error()
		return row
	}
	for _, m := range t.mutants {
		got := m.check(ctx, b)
		if !got.Refuted {
			row.Result = Failed
			row.Message += fmt.Sprintf("mutant %s: %s\n", got.ID, got.Reason)
		}
		row.Mutants = append(row.Mutants, got)
	}
	return row
}

func (m *mutant) check(ctx context.Context, b *bench) Mutant {
	start := time.Now()
	err := m.weakened.check(ctx, b)
	got := Mutant{ID: m.id, What: m.what, Reason: "the proof goes through all the same"}
	if err != nil {
		got.Reason = err.Error()
	}
	var no *refuted
	got.Refuted = errors.As(err, &no)
	got.Seconds = seconds(start)
	return got
}

func seconds(since time.Time) float64 {
	return float64(time.Since(since).Round(10*time.Millisecond)) / float64(time.Second)
}
