package proofs

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/surewake/surewake/proofs/smt"
	"github.com/surewake/surewake/proofs/spec"
)

// invariant is a proof by an inductive invariant, which two solvers check independently of one
// another.
type invariant struct {
	smt.Proof
	table string // the file of the table
}

func (p invariant) method() string {
	switch {
	case len(p.Measure) > 0:
		return "inductive invariant and measure"
	case p.Lively != nil:
		return "inductive invariant and rank, weak fairness"
	}
	return "inductive invariant"
}
func (p invariant) tools() []tool { return []tool{z3, cvc5} }
func (p invariant) anyN() bool    { return true }
func (p invariant) file() string  { return "spec/" + p.table }

func (p invariant) check(ctx context.Context, b *bench) error {
	not, err := p.ask(ctx, b, z3.program, nil, p.Questions())
	if err != nil {
		return err
	}
	questions := p.Questions()
	if len(not) > 0 {
		// the other solver is asked what it says to these, and not about the rest once more
		questions = not
	}
	same, err := p.ask(ctx, b, cvc5.program, []string{"--incremental"}, questions)
	if err != nil {
		return err
	}
	if no := names(not); no != names(same) {
		return fmt.Errorf("the solvers disagree: %s, and %s", no, names(same))
	} else if no != "" {
		return &refuted{"not so: " + no}
	}
	return p.vacuous()
}

// vacuous returns an error if a rule of the table fires in no reachable state, or if a claim has a
// premise that holds in none.
func (p invariant) vacuous() error {
	return p.System.Vacuous(spec.Premises(slices.Concat(p.Goals, p.Invariant)...))
}

// ask asks one solver, and returns what it refutes.
func (p invariant) ask(ctx context.Context, b *bench, solver string, args []string,
	questions []smt.Question) ([]smt.Question, error) {
	path, err := b.file("proof.smt2", p.Script(questions))
	if err != nil {
		return nil, err
	}
	out, _, err := run(ctx, filepath.Dir(path), solver, append(args, path)...)
	if err != nil {
		return nil, err
	}
	refutes, err := smt.Judge(questions, out)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", solver, err)
	}
	return refutes, nil
}

func names(questions []smt.Question) string {
	var all []string
	for _, q := range questions {
		all = append(all, q.Name)
	}
	return strings.Join(all, "; ")
}
