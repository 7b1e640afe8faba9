package spec

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
)

// A Vars maps the name of a variable to its place in a state.
type Vars map[string]int

// names of the operators, in Go and in SMT-LIB.
var operators = map[token.Token]string{
	token.ADD: "+", token.SUB: "-", token.MUL: "*",
	token.LSS: "<", token.LEQ: "<=", token.GTR: ">", token.GEQ: ">=", token.EQL: "=",
	token.NEQ:  "distinct",
	token.LAND: "and", token.LOR: "or",
}

// parse reads a condition or a number. Besides operators there are two functions: implies(a, b),
// and either(c, a, b), which is a if c holds and else b. A mistake in a table is a mistake of this
// program, so it panics.
func parse(text string) ast.Expr {
	e, err := parser.ParseExpr(text)
	if err != nil {
		panic(fmt.Sprintf("spec: %q: %v", text, err))
	}
	return e
}

// SMT returns an expression in SMT-LIB. Each variable is renamed by name.
func SMT(text string, name func(string) string) string { return smt(parse(text), name) }

func smt(e ast.Expr, name func(string) string) string {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return smt(e.X, name)
	case *ast.Ident:
		if e.Name == "true" || e.Name == "false" {
			return e.Name
		}
		return name(e.Name)
	case *ast.BasicLit:
		return e.Value
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return "(not " + smt(e.X, name) + ")"
		}
		return "(- " + smt(e.X, name) + ")"
	case *ast.BinaryExpr:
		return "(" + operator(e.Op) + " " + smt(e.X, name) + " " + smt(e.Y, name) + ")"
	case *ast.CallExpr:
		word := map[string]string{"implies": "=>", "either": "ite"}[called(e)]
		text := "(" + word
		for _, arg := range e.Args {
			text += " " + smt(arg, name)
		}
		return text + ")"
	}
	panic(fmt.Sprintf("spec: %T has no meaning here", e))
}

func operator(op token.Token) string {
	word, ok := operators[op]
	if !ok {
		panic(fmt.Sprintf("spec: the operator %v has no meaning here", op))
	}
	return word
}

// called returns the name of the function that a call names, and sees that it has its arguments.
func called(e *ast.CallExpr) string {
	f, ok := e.Fun.(*ast.Ident)
	if !ok || f.Name != "implies" && f.Name != "either" || f.Name == "implies" &&
		len(e.Args) != 2 || f.Name == "either" && len(e.Args) != 3 {
		panic(fmt.Sprintf("spec: %v(%d arguments) has no meaning here", e.Fun, len(e.Args)))
	}
	return f.Name
}

// A number is an expression that can be computed in a state; conditions are 0 or 1.
type number func(state []int) int

func (v Vars) number(text string) number { return v.compile(parse(text)) }

func (v Vars) compile(e ast.Expr) number {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return v.compile(e.X)
	case *ast.Ident:
		switch e.Name {
		case "true":
			return func([]int) int { return 1 }
		case "false":
			return func([]int) int { return 0 }
		}
		i, ok := v[e.Name]
		if !ok {
			panic(fmt.Sprintf("spec: there is no variable %s", e.Name))
		}
		return func(s []int) int { return s[i] }
	case *ast.BasicLit:
		n, err := strconv.Atoi(e.Value)
		if err != nil {
			panic(fmt.Sprintf("spec: %v", err))
		}
		return func([]int) int { return n }
	case *ast.UnaryExpr:
		x := v.compile(e.X)
		if e.Op == token.NOT {
			return func(s []int) int { return 1 - x(s) }
		}
		return func(s []int) int { return -x(s) }
	case *ast.BinaryExpr:
		return combine(e.Op, v.compile(e.X), v.compile(e.Y))
	case *ast.CallExpr:
		args := make([]number, len(e.Args))
		for i, arg := range e.Args {
			args[i] = v.compile(arg)
		}
		if called(e) == "implies" {
			return func(s []int) int { return truth(args[0](s) == 0 || args[1](s) != 0) }
		}
		return func(s []int) int {
			if args[0](s) != 0 {
				return args[1](s)
			}
			return args[2](s)
		}
	}
	panic(fmt.Sprintf("spec: %T has no meaning here", e))
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

func combine(op token.Token, x, y number) number {
	switch operator(op) {
	case "+":
		return func(s []int) int { return x(s) + y(s) }
	case "-":
		return func(s []int) int { return x(s) - y(s) }
	case "*":
		return func(s []int) int { return x(s) * y(s) }
	case "<":
		return func(s []int) int { return truth(x(s) < y(s)) }
	case "<=":
		return func(s []int) int { return truth(x(s) <= y(s)) }
	case ">":
		return func(s []int) int { return truth(x(s) > y(s)) }
	case ">=":
		return func(s []int) int { return truth(x(s) >= y(s)) }
	case "=":
		return func(s []int) int { return truth(x(s) == y(s)) }
	case "distinct":
		return func(s []int) int { return truth(x(s) != y(s)) }
	case "and":
		return func(s []int) int { return truth(x(s) != 0 && y(s) != 0) }
	default: // or
		return func(s []int) int { return truth(x(s) != 0 || y(s) != 0) }
	}
}
