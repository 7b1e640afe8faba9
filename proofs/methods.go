package proofs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/surewake/surewake/proofs/smt"
	"github.com/surewake/surewake/proofs/spec"
)

// invariant is a proof by an inductive invariant, which two solvers check independently of one another.
type invariant struct {
	smt.Proof
	table string // the file of the table
}

func (p invariant) method() string {
	if len(p.Measure) > 0 {
		return "inductive invariant and measure"
	}
	return "inductive invariant"
}
func (p invariant) tools() []tool { return []tool{z3, cvc5} }
func (p invariant) file() string  { return "spec/" + p.table }

func (p invariant) check(ctx context.Context, b *bench) error {
	path, err := b.file("proof.smt2", p.Script())
	if err != nil {
		return err
	}
	var no []string
	for _, solver := range []struct {
		tool
		args []string
	}{{z3, nil}, {cvc5, []string{"--incremental"}}} {
		out, _, err := run(ctx, filepath.Dir(path), solver.program, append(solver.args, path)...)
		if err != nil {
			return err
		}
		refutes, err := p.Judge(out)
		if err != nil {
			return fmt.Errorf("%s: %w", solver.program, err)
		}
		answer := strings.Join(refutes, "; ")
		if no = append(no, answer); answer != no[0] {
			return fmt.Errorf("the solvers disagree: %s, and %s", no[0], answer)
		}
	}
	if no[0] != "" {
		return &refuted{"not so: " + no[0]}
	}
	return nil
}

// exploration is a proof by going through every state.
type exploration struct {
	system   *spec.System
	question spec.Question
	table    string
}

func (p exploration) method() string {
	if p.question.Terminates {
		return "every state, safety and termination"
	}
	return "every state"
}
func (p exploration) tools() []tool { return []tool{goTool} }
func (p exploration) file() string  { return "spec/" + p.table }

func (p exploration) check(_ context.Context, _ *bench) error {
	_, err := p.system.Explore(p.question)
	var v *spec.Violation
	if errors.As(err, &v) {
		return &refuted{v.Error()}
	}
	return err
}

// goTool is this program itself.
var goTool = tool{program: "go"}

func goVersion() string {
	return "go " + strings.TrimPrefix(runtime.Version(), "go") + " (this program)"
}
