package spec

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// refuses begins the name of a rule that is no step: it says when the code refuses what a caller
// does who keeps the rules.
const refuses = "refuses_"

// Coq returns the file of definitions that is made from the table, by the given name: its states,
// start, and the relation step, in which a rule is named r_ and its name. The rules whose names
// begin with refuses_ are the states that are refused.
func (s *System) Coq(name string) (text string, err error) {
	defer func() { // expressions that have no meaning panic
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	var b strings.Builder
	var fields, rules []string
	var steps, refusals []Rule
	for _, r := range s.Rules {
		if strings.HasPrefix(r.Name, refuses) {
			refusals = append(refusals, r)
		} else {
			steps = append(steps, r)
		}
	}
	for _, v := range s.Vars {
		fields = append(fields, v+" : Z")
	}
	for _, r := range steps {
		rules = append(rules, "r_"+r.Name)
	}
	fmt.Fprintf(&b, "(* Made from table %s of proofs/spec by go test ./proofs -run TestMade "+
		"-update.\n   Do not edit. *)\nRequire Import ZArith Bool.\nOpen Scope Z_scope.\n\n"+
		"Record st := St { %s }.\n\nInductive rule := %s.\n\nDefinition start s :=\n  %s.\n\n"+
		"Inductive step : rule -> st -> st -> Prop :=",
		name, wrapped(fields, "; "), wrapped(rules, " | "),
		wrapped(strings.SplitAfter(s.coq(s.Init), " /\\ "), ""))
	for _, r := range steps {
		effect := r.Effect()
		var after []string
		for _, v := range s.Vars {
			value := "(" + v + " s)"
			if e := effect[v]; e != "" {
				value = "(" + s.coq(e) + ")"
			}
			after = append(after, value)
		}
		for v := range effect {
			if !slices.Contains(s.Vars, v) {
				return "", fmt.Errorf("rule %s assigns %s, which is no variable", r.Name, v)
			}
		}
		binders := "s"
		for _, p := range s.Params {
			if mentions(r.When, p) || mentions(r.Do, p) {
				binders += " " + p
			}
		}
		fmt.Fprintf(&b, "\n(* %s *)\n| do_%s %s :%s ->\n    step r_%s s (St %s)", r.Code, r.Name,
			binders, s.premise(r.When), r.Name, wrapped(after, " "))
	}
	b.WriteString(".\n")
	if len(refusals) > 0 {
		fmt.Fprintf(&b, "\n(* The code refuses what a caller does who keeps the rules. *)\n"+
			"Inductive refused : st -> Prop :=")
		for _, r := range refusals {
			fmt.Fprintf(&b, "\n(* %s *)\n| %s s :%s -> refused s", r.Code, r.Name,
				s.premise(r.When))
		}
		b.WriteString(".\n")
	}
	return strings.ReplaceAll(b.String(), " \n", "\n"), nil
}

// premise is a condition in lines of its own.
func (s *System) premise(when string) string {
	return "\n  " + wrapped(strings.SplitAfter("  "+s.coq(when), " /\\ "), "")
}

// wrapped joins words, in lines that are not too long.
func wrapped(words []string, between string) string {
	var b strings.Builder
	width := 40
	for i, w := range words {
		if i == 0 && strings.HasPrefix(w, "  ") {
			width = 2 // on a line of its own
		}
		if i < len(words)-1 {
			w += between
		}
		if width+len(w) > 96 {
			b.WriteString("\n  ")
			width = 2
		}
		b.WriteString(w)
		width += len(w)
	}
	return strings.ReplaceAll(b.String(), " \n", "\n")
}

// coq returns an expression over the variables of state s: a condition as a proposition.
func (s *System) coq(text string) string { return s.coqTerm(parse(text), true) }

// coqOperators are the operators in propositions and in what can be computed.
var coqOperators = map[token.Token][2]string{
	token.ADD: {"+", "+"}, token.SUB: {"-", "-"}, token.MUL: {"*", "*"},
	token.LSS: {"<", "<?"}, token.LEQ: {"<=", "<=?"}, token.GTR: {">", ">?"},
	token.GEQ: {">=", ">=?"}, token.EQL: {"=", "=?"}, token.NEQ: {"<>", ""},
	token.LAND: {"/\\", "&&"}, token.LOR: {"\\/", "||"},
}

// coqTerm returns a number, or a condition: as a proposition, or as what can be computed.
func (s *System) coqTerm(e ast.Expr, prop bool) string {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return "(" + s.coqTerm(e.X, prop) + ")"
	case *ast.Ident:
		switch {
		case e.Name == "true" || e.Name == "false":
			if prop {
				return strings.ToUpper(e.Name[:1]) + e.Name[1:]
			}
			return e.Name
		case slices.Contains(s.Params, e.Name):
			return e.Name
		case !slices.Contains(s.Vars, e.Name):
			panic(fmt.Sprintf("spec: there is no variable %s", e.Name))
		}
		return e.Name + " s"
	case *ast.BasicLit:
		return e.Value
	case *ast.UnaryExpr:
		if e.Op == token.SUB {
			return "- (" + s.coqTerm(e.X, prop) + ")"
		} else if prop {
			return "~ (" + s.coqTerm(e.X, prop) + ")"
		}
		return "negb (" + s.coqTerm(e.X, prop) + ")"
	case *ast.BinaryExpr:
		x, y := s.coqTerm(e.X, prop), s.coqTerm(e.Y, prop)
		names, ok := coqOperators[e.Op]
		if !ok {
			panic(fmt.Sprintf("spec: the operator %v has no meaning here", e.Op))
		}
		if prop {
			return x + " " + names[0] + " " + y
		} else if e.Op == token.NEQ {
			return "(negb (" + x + " =? " + y + "))"
		}
		return "(" + x + " " + names[1] + " " + y + ")"
	case *ast.CallExpr:
		if called(e) == "either" {
			return "(if " + s.coqTerm(e.Args[0], false) + " then " + s.coqTerm(e.Args[1], prop) +
				" else " + s.coqTerm(e.Args[2], prop) + ")"
		}
		x, y := s.coqTerm(e.Args[0], prop), s.coqTerm(e.Args[1], prop)
		if prop {
			return "((" + x + ") -> " + y + ")"
		}
		return "(negb (" + x + ") || (" + y + "))"
	}
	panic(fmt.Sprintf("spec: %T has no meaning here", e))
}
