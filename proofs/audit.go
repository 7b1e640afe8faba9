package proofs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// Audit checks theorems, as many at a time as there are processors, and passes their rows to
// report, in the order of the theorems and from the calling goroutine. It returns how many failed.
// The error is one of the machine or of ctx, not of a proof; a tool that is missing is a failed
// row.
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
	// What the checker runs takes minutes, all else seconds: half of the workers begin with the
	// one, half with the other, so that neither is left for one of them at the end.
	var queues [2]chan int
	for q := range queues {
		queues[q] = make(chan int, len(theorems))
	}
	for i := range theorems {
		if slices.Contains(theorems[i].proof.tools(), checker) {
			queues[1] <- i
		} else {
			queues[0] <- i
		}
	}
	var workers sync.WaitGroup
	defer workers.Wait() // before the directory goes
	for n := range min(runtime.NumCPU(), len(theorems)) {
		workers.Go(func() {
			for _, first := range []int{n % 2, 1 - n%2} {
				for more := true; more; {
					select {
					case i := <-queues[first]:
						rows[i] <- theorems[i].audit(ctx, b)
					default:
						more = false
					}
				}
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
	row := Row{ID: t.ID, Statement: t.Statement, Scope: t.Scope, Method: t.proof.method(),
		File:        t.proof.file(),
		Assumptions: append([]string{}, t.Assumptions...), Code: t.Code, Result: Bounded,
		Mutants: []Mutant{}}
	row.Tables, row.ByHand = tablesOf(t.proof)
	if t.proof.anyN() {
		row.Result = Proved
	}
	if t.proof.anyN() != strings.HasPrefix(t.Scope, AnyN) {
		row.Result, row.Message = Failed, "the scope says otherwise than the method, which is "+
			"a "+row.Method
		return row
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
		if got.Result != Killed && got.Result != Accepted {
			row.Result = Failed
			row.Message += fmt.Sprintf("mutant %s: %s\n", got.ID, got.Reason)
		}
		row.Mutants = append(row.Mutants, got)
	}
	return row
}

func (w *weakened) check(ctx context.Context, b *bench) Mutant {
	start := time.Now()
	err := w.proof.check(ctx, b)
	got := Mutant{ID: w.id, What: w.what, Seconds: seconds(start)}
	var no *refuted
	var not *inapplicable
	switch {
	case err == nil && w.harmless:
		got.Result, got.Reason = Accepted, "it does no harm, and the proof goes through"
		return got
	case err == nil:
		got.Result, got.Reason = Survived, "the proof goes through all the same"
		return got
	case errors.As(err, &no) && w.harmless:
		got.Result = Refuted
	case errors.As(err, &no):
		got.Result = Killed
	case errors.As(err, &not):
		got.Result = Inapplicable
	default:
		got.Result = NoAnswer
	}
	got.Reason = err.Error()
	return got
}

func seconds(since time.Time) float64 {
	return float64(time.Since(since).Round(10*time.Millisecond)) / float64(time.Second)
}
