package refine

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/surewake/surewake/proofs/spec"
)

// An Instance is one way for an actor to do a rule. Bind gives, for variables that have copies, the
// copy that the rule means; a variable that is not in it stands for the sum of its copies, and may
// not be assigned. When is a further condition, "" for none.
type Instance struct {
	Bind map[string]string
	When string
}

// A Precondition says when an access may happen at all, whether or not it is a step of the table:
// an actor for which When is not empty does an access of the form Code only in states where that
// holds.
type Precondition struct {
	Code string
	When func(actor int) string
}

// A Binding says which goroutine does which rule of a table, on which copies of its variables.
type Binding struct {
	System *spec.System
	// Actors are the names of the goroutines that take part.
	Actors []string
	// Copies gives the names of a variable's copies. A variable that is not there is shared.
	Copies map[string][]string
	// Instances returns the ways in which an actor, given by number, does a rule: none if it is not
	// for it.
	Instances func(r *spec.Rule, actor int) []Instance
	// Code takes the place of Rule.Code, by name of the rule, for what the table leaves to callers.
	// See access for its form.
	Code map[string]string
	// Package is what functions belong to that are named without one.
	Package string
	// Silent are rules without an access: they happen before the actor's next one.
	Silent []string
	// Preconditions hold whenever the accesses happen that they name. Any other access may always
	// change nothing.
	Preconditions []Precondition
	// Params is the largest value of a parameter, see spec.Question.
	Params int
}

// move is an instance of a rule, by one actor.
type move struct {
	rule   *spec.Rule
	actor  int
	silent bool
	access access
	text   string // its condition
	when   func([]int) int
	places []int
	values []func([]int) int
	params bool
}

var identifier = regexp.MustCompile(`[A-Za-z_]\w*`)

// in rewrites an expression: bound variables by their copies, others that have copies by the sum.
func (b *Binding) in(text string, bind map[string]string) string {
	return identifier.ReplaceAllStringFunc(text, func(v string) string {
		if b, ok := bind[v]; ok {
			return b
		}
		if all, ok := b.Copies[v]; ok {
			return "(" + strings.Join(all, " + ") + ")"
		}
		return v
	})
}

// precondition is a Precondition for one actor.
type precondition struct {
	actor  int
	access access
	text   string
	when   func([]int) int
}

func (b *Binding) preconditions(vars spec.Vars) []precondition {
	var all []precondition
	for _, s := range b.Preconditions {
		a, err := parseAccess(s.Code, b.Package)
		if err != nil {
			panic(fmt.Sprintf("refine: table %s: %v", b.System.Name, err))
		}
		for actor := range b.Actors {
			if text := s.When(actor); text != "" {
				all = append(all, precondition{actor, a, text, vars.Compile(text)})
			}
		}
	}
	return all
}

// variables returns the names after unfolding, in the order of the table.
func (b *Binding) variables() []string {
	var names []string
	for _, v := range b.System.Vars {
		if all, ok := b.Copies[v]; ok {
			names = append(names, all...)
		} else {
			names = append(names, v)
		}
	}
	return names
}

// moves compiles every instance of every rule.
func (b *Binding) moves(vars spec.Vars) []move {
	var all []move
	for i := range b.System.Rules {
		r := &b.System.Rules[i]
		silent := slices.Contains(b.Silent, r.Name)
		var a access
		if !silent {
			code := r.Code
			if own, ok := b.Code[r.Name]; ok {
				code = own
			}
			var err error
			if a, err = parseAccess(code, b.Package); err != nil {
				panic(fmt.Sprintf("refine: table %s, rule %s: %v", b.System.Name, r.Name, err))
			}
		}
		for actor := range b.Actors {
			for _, inst := range b.Instances(r, actor) {
				all = append(all, b.move(vars, r, actor, inst))
				last := &all[len(all)-1]
				last.silent, last.access = silent, a
			}
		}
	}
	return all
}

func (b *Binding) move(vars spec.Vars, r *spec.Rule, actor int, inst Instance) move {
	m := move{rule: r, actor: actor, text: b.in(r.When, inst.Bind)}
	if inst.When != "" {
		m.text = spec.And(m.text, inst.When)
	}
	m.when = vars.Compile(m.text)
	effect := r.Effect()
	for _, v := range slices.Sorted(maps.Keys(effect)) {
		name := v
		if _, ok := b.Copies[v]; ok {
			if name, ok = inst.Bind[v]; !ok {
				panic(fmt.Sprintf("refine: table %s, rule %s assigns %s: which copy?",
					b.System.Name, r.Name, v))
			}
		}
		place, ok := vars[name]
		if !ok {
			panic(fmt.Sprintf("refine: table %s, rule %s: there is no variable %s", b.System.Name,
				r.Name, name))
		}
		m.places = append(m.places, place)
		m.values = append(m.values, vars.Compile(b.in(effect[v], inst.Bind)))
	}
	for _, p := range b.System.Params {
		m.params = m.params || spec.Mentions(r.When, p) || spec.Mentions(r.Do, p)
	}
	return m
}
