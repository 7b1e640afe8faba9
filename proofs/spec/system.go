package spec

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// A System is a protocol as a table.
type System struct {
	Name string
	// Vars are the variables, all of them integers.
	Vars []string
	// Init is the condition for a state to be an initial one.
	Init string
	// Params may stand in rules beside variables: a rule may fire with any value for which its
	// condition holds.
	Params []string
	Rules  []Rule
	// Samples are starts from which each rule fires, and each premise of a claim holds, in one of
	// the states that are reached: see Vacuous.
	Samples []Sample
}

// A Rule is one atomic step.
type Rule struct {
	Name string
	// Code is the access of the shipped code that the step stands for.
	Code string
	// When is the condition, Do the effect: assignments, all of them computed in the state before.
	When, Do string
}

// Rule returns the rule of a name.
func (s *System) Rule(name string) *Rule {
	for i := range s.Rules {
		if s.Rules[i].Name == name {
			return &s.Rules[i]
		}
	}
	panic(fmt.Sprintf("spec: %s has no rule %s", s.Name, name))
}

// Has reports whether the table has a rule.
func (s *System) Has(name string) bool {
	return slices.ContainsFunc(s.Rules, func(r Rule) bool { return r.Name == name })
}

// Without returns a copy of the table that lacks a rule.
func (s *System) Without(name string) *System {
	s.Rule(name)
	c := *s
	c.Rules = nil
	for _, r := range s.Rules {
		if r.Name != name {
			c.Rules = append(c.Rules, r)
		}
	}
	return &c
}

// With returns a copy of the table in which a rule stands in the place of the one of the same name,
// or after the others.
func (s *System) With(rule Rule) *System {
	c := *s
	c.Rules = append([]Rule(nil), s.Rules...)
	for i := range c.Rules {
		if c.Rules[i].Name == rule.Name {
			c.Rules[i] = rule
			return &c
		}
	}
	c.Rules = append(c.Rules, rule)
	return &c
}

// Effect returns what a rule assigns, by variable, as expressions over the state before.
func (r *Rule) Effect() map[string]string {
	set := map[string]string{}
	text := "package p\nfunc _() {" + r.Do + "}"
	file, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
	if err != nil {
		panic(fmt.Sprintf("spec: rule %s: %q: %v", r.Name, r.Do, err))
	}
	source := func(n ast.Node) string { return text[n.Pos()-1 : n.End()-1] }
	for _, stmt := range file.Decls[0].(*ast.FuncDecl).Body.List {
		var name, value string
		switch stmt := stmt.(type) {
		case *ast.IncDecStmt:
			name = source(stmt.X)
			value = name + " " + stmt.Tok.String()[:1] + " 1"
		case *ast.AssignStmt:
			name, value = source(stmt.Lhs[0]), source(stmt.Rhs[0])
			if stmt.Tok != token.ASSIGN {
				value = name + " " + strings.TrimSuffix(stmt.Tok.String(), "=") + " (" + value + ")"
			}
		default:
			panic(fmt.Sprintf("spec: rule %s: %q is no assignment", r.Name, source(stmt)))
		}
		if set[name] != "" {
			panic(fmt.Sprintf("spec: rule %s assigns %s twice", r.Name, name))
		}
		set[name] = value
	}
	return set
}

// NonNegative says that no variable of the table is below zero, except those that are named.
func (s *System) NonNegative(but ...string) string {
	var c []string
	for _, v := range s.Vars {
		if !slices.Contains(but, v) {
			c = append(c, v+" >= 0")
		}
	}
	return And(c...)
}

// And joins conditions.
func And(conditions ...string) string { return "(" + strings.Join(conditions, ") && (") + ")" }
