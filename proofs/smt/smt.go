// Package smt turns a transition table and what is claimed about it into questions for an SMT
// solver.
//
// A claim about all reachable states is proved by an invariant: it holds at the start, every rule
// keeps it, and it implies the claim. Each of these is a question whether there is a state in which
// it is *not* so, over integers without bounds, so the answer "unsat" holds for any number of
// whatever the table counts. Besides, each rule must be able to fire in a state of the invariant;
// else the invariant would say too much, and the rest would be proved of nothing.
package smt

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/surewake/surewake/proofs/spec"
)

// A Proof is a claim about a table, with the invariant that proves it.
type Proof struct {
	System *spec.System
	// Invariant holds in every state.
	Invariant []string
	// Goals follow from the invariant.
	Goals []string
	// At are conditions that hold whenever a rule fires.
	At map[string]string
	// Measure, if there is one, are numbers that are never negative, the first of which that
	// changes in a step goes down.
	Measure []string
	// Relies is what one participant relies on of the others. It must be true of any number of
	// steps, so of none, and of two pieces together.
	Relies []spec.Relied
	// Few gives for a variable a number: larger values than that are like it. No rule tells them
	// apart or does anything else with them than to add to them.
	Few map[string]int
	// Ends, if it is not empty, holds where no rule can fire. The table must have no parameters
	// then.
	Ends string
	// Lively, if there is one, is a claim about runs without end.
	Lively *Lively
}

// A Question is one check-sat, and what its answer should be.
type Question struct {
	Name   string
	Expect string // "sat" or "unsat"
	assert []string
}

// Questions returns all that a solver has to be asked; the claim is proved if every answer is the
// expected one.
func (p *Proof) Questions() []Question {
	s := p.System
	inv := plain(spec.And(p.Invariant...))
	var qs []Question
	ask := func(name, expect string,
		assert ...string) {
		qs = append(qs, Question{name, expect, assert})
	}
	ask("there is a start", "sat", plain(s.Init))
	ask("the invariant holds at the start", "unsat", plain(s.Init), not(inv))
	for i := range s.Rules {
		r := &s.Rules[i]
		when, after := plain(r.When), substitute(r.Effect())
		ask(r.Name+" can fire", "sat", inv, when)
		for n, conjunct := range p.Invariant {
			ask(fmt.Sprintf("%s keeps part %d of the invariant", r.Name, n+1), "unsat", inv, when,
				not(spec.SMT(conjunct, after)))
		}
		if len(p.Measure) > 0 {
			ask(r.Name+" lowers the measure", "unsat", inv, when, not(lower(p.Measure, after)))
		}
		if at := p.At[r.Name]; at != "" {
			ask("when "+r.Name+" fires: "+at, "unsat", inv, when, not(plain(at)))
		}
	}
	qs = append(append(qs, p.relied(inv)...), p.few()...)
	for _, goal := range p.Goals {
		ask("so: "+goal, "unsat", inv, not(plain(goal)))
	}
	if p.Ends != "" {
		stuck := []string{inv, not(plain(p.Ends))}
		for _, r := range s.Rules {
			stuck = append(stuck, not(plain(r.When)))
		}
		ask("where nothing can happen: "+p.Ends, "unsat", stuck...)
	}
	if p.Lively != nil {
		qs = append(qs, p.Lively.questions(p)...)
	}
	return qs
}

// relied asks whether each rule, no step, and two pieces together keep what is relied on.
func (p *Proof) relied(inv string) (qs []Question) {
	var all []string
	for _, r := range p.Relies {
		all = append(all, r.Keeps)
	}
	for _, r := range p.Relies {
		for i := range p.System.Rules {
			rule := &p.System.Rules[i]
			qs = append(qs, Question{rule.Name + " keeps: " + r.Name, "unsat", []string{
				inv, plain(rule.When), not(between(r.Keeps, plain, substitute(rule.Effect()))),
			}})
		}
		qs = append(qs, Question{"no step keeps: " + r.Name, "unsat", []string{
			inv, not(between(r.Keeps, plain, plain)),
		}}, Question{"two pieces keep: " + r.Name, "unsat", []string{
			between(spec.And(all...), plain, middle), between(spec.And(all...), middle, last),
			not(between(r.Keeps, plain, last)),
		}})
	}
	return qs
}

// between is a condition on the state before, whose variables are called was_X, and the one after.
func between(keeps string, before, after func(string) string) string {
	return spec.SMT(keeps, func(v string) string {
		if was, ok := strings.CutPrefix(v, "was_"); ok {
			return before(was)
		}
		return after(v)
	})
}

// middle and last name the variables of further states.
func middle(v string) string { return "m." + v }
func last(v string) string   { return "l." + v }

// few asks whether a rule tells a large value of a variable from the next one.
func (p *Proof) few() (qs []Question) {
	for _, v := range slices.Sorted(maps.Keys(p.Few)) {
		large := fmt.Sprintf("(>= %s %d)", plain(v), p.Few[v])
		next := func(text string) string {
			return spec.SMT(text, func(name string) string {
				if name == v {
					return "(+ " + plain(v) + " 1)"
				}
				return plain(name)
			})
		}
		for i := range p.System.Rules {
			rule := &p.System.Rules[i]
			same := []string{"(= " + plain(rule.When) + " " + next(rule.When) + ")"}
			effect := rule.Effect()
			for _, to := range slices.Sorted(maps.Keys(effect)) {
				after := plain(effect[to])
				if to == v {
					after = "(+ " + after + " 1)"
				}
				same = append(same, fmt.Sprintf("(=> %s (= %s %s))", plain(rule.When), after,
					next(effect[to])))
			}
			qs = append(qs, Question{
				fmt.Sprintf("%s is the same for all %s from %d on", rule.Name, v, p.Few[v]),
				"unsat", []string{large, not("(and " + strings.Join(same, " ") + ")")},
			})
		}
	}
	return qs
}

// Script returns questions about the proof in SMT-LIB. Each is preceded by an echo of its number.
func (p *Proof) Script(questions []Question) string {
	var b strings.Builder
	b.WriteString("(set-logic QF_LIA)\n")
	for _, v := range append(append([]string(nil), p.System.Vars...), p.System.Params...) {
		fmt.Fprintf(&b, "(declare-const %s Int)\n", plain(v))
		if p.Relies != nil {
			fmt.Fprintf(&b, "(declare-const %s Int)\n(declare-const %s Int)\n", middle(v), last(v))
		}
	}
	for i, q := range questions {
		fmt.Fprintf(&b, "\n; %s: %s\n(push 1)\n", q.Name, q.Expect)
		for _, a := range q.assert {
			fmt.Fprintf(&b, "(assert %s)\n", a)
		}
		fmt.Fprintf(&b, "(echo \"%d\")\n(check-sat)\n(pop 1)\n", i)
	}
	return b.String()
}

// Judge compares a solver's output with what was expected. It returns the claims that are refuted,
// and an error unless all questions were answered. A rule that cannot fire refutes nothing, but is
// an error too if nothing else is.
func Judge(questions []Question, output string) (refuted []Question, err error) {
	var vacuous []string
	words := strings.Fields(strings.ReplaceAll(output, `"`, ""))
	if len(words) != 2*len(questions) {
		return nil, fmt.Errorf("%d questions, and this answer: %.300s", len(questions), output)
	}
	for i, q := range questions {
		number, answer := words[2*i], words[2*i+1]
		switch {
		case number != fmt.Sprint(i) || answer != "sat" && answer != "unsat":
			return refuted, fmt.Errorf("%s: the answer is %s %s", q.Name, number, answer)
		case answer == q.Expect:
		case answer == "sat":
			refuted = append(refuted, q)
		default:
			vacuous = append(vacuous, q.Name)
		}
	}
	if len(refuted) == 0 && vacuous != nil {
		return nil, fmt.Errorf("not so: %s", strings.Join(vacuous, "; "))
	}
	return refuted, nil
}

// plain is an expression in the state before. Names get a mark, so that none is a word of SMT-LIB.
func plain(text string) string { return spec.SMT(text, func(v string) string { return "v." + v }) }

// substitute returns what a variable is after a step.
func substitute(effect map[string]string) func(string) string {
	return func(v string) string {
		if value, ok := effect[v]; ok {
			return plain(value)
		}
		return plain(v)
	}
}

func not(a string) string { return "(not " + a + ")" }

// lower says that a measure goes down, and stays above zero where it does.
func lower(measure []string, after func(string) string) string {
	before, then := plain(measure[0]), spec.SMT(measure[0], after)
	down := fmt.Sprintf("(and (< %s %s) (>= %s 0))", then, before, then)
	if len(measure) == 1 {
		return down
	}
	return fmt.Sprintf("(or %s (and (= %s %s) %s))", down, then, before, lower(measure[1:], after))
}
