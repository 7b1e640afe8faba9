package spec

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// A Sample is a start of a table, and the largest value that a parameter takes, from which what the
// table can do at all is seen.
type Sample struct {
	Start  map[string]int // the initial values that are not 0
	Params int
}

// Premises returns the conditions under which expressions say something: the first argument of each
// implies. A claim of which one never holds says less than it seems to.
func Premises(texts ...string) []string {
	var all []string
	for _, text := range texts {
		ast.Inspect(parse(text), func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok && called(c) == "implies" {
				premise := text[c.Args[0].Pos()-1 : c.Args[0].End()-1]
				if !slices.Contains(all, premise) {
					all = append(all, premise)
				}
			}
			return true
		})
	}
	return all
}

// mostSampled is after how many states of a sample the search for witnesses gives up.
const mostSampled = 300_000

// Vacuous looks for a witness of each rule and each condition: a reachable state in which the rule
// fires, or the condition holds. It returns an error that names those of which the table's samples
// have none, and the conditions that each of the others needs.
func (s *System) Vacuous(conditions []string) error {
	if len(s.Samples) == 0 {
		return fmt.Errorf("the table of %s has no sample, in which witnesses could be found", s.Name)
	}
	w := newWitnesses(s, conditions)
	for _, sample := range s.Samples {
		if w.missing() == "" {
			break
		}
		e := s.explorer()
		start, err := e.start(sample.Start)
		if err != nil {
			return err
		}
		e.add(start, -1, -1)
		for at := 0; at < len(e.queue) && len(e.queue) < mostSampled && w.left > 0; at++ {
			state := e.state(e.queue[at].key)
			w.state(e.vars, state)
			e.successors(state, sample.Params, func(rule int, next []int) {
				w.rule(rule)
				e.add(next, at, rule)
			})
		}
	}
	if missing := w.missing(); missing != "" {
		return fmt.Errorf("vacuous: in no state that the samples of %s reach %s", s.Name, missing)
	}
	return nil
}

// witnesses says which rules have fired and which conditions have held.
type witnesses struct {
	sys        *System
	conditions []string
	compiled   []number // nil until the first state
	fired      []bool
	held       []bool
	left       int
}

func newWitnesses(s *System, conditions []string) *witnesses {
	return &witnesses{
		sys: s, conditions: conditions,
		fired: make([]bool, len(s.Rules)), held: make([]bool, len(conditions)),
		left: len(s.Rules) + len(conditions),
	}
}

func (w *witnesses) state(vars Vars, state []int) {
	if w.compiled == nil {
		w.compiled = make([]number, len(w.conditions))
		for i, c := range w.conditions {
			w.compiled[i] = vars.number(c)
		}
	}
	for i, holds := range w.compiled {
		if !w.held[i] && holds(state) != 0 {
			w.held[i] = true
			w.left--
		}
	}
}

func (w *witnesses) rule(i int) {
	if !w.fired[i] {
		w.fired[i] = true
		w.left--
	}
}

// missing names what has no witness, but for some rules.
func (w *witnesses) missing(but ...string) string {
	var never []string
	for i, fired := range w.fired {
		if name := w.sys.Rules[i].Name; !fired && !slices.Contains(but, name) {
			never = append(never, "the rule "+name+" can fire")
		}
	}
	for i, held := range w.held {
		if !held {
			never = append(never, "this holds: "+w.conditions[i])
		}
	}
	return strings.Join(never, "; ")
}
