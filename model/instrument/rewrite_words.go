package instrument

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
)

// Traces show the value of an atomic word as the package itself prints it, if the source says how:
// where a conversion stands directly around an atomic operation, or around one of its arguments, to
// or from a type with a method String() string.
//
//	State(w.bits.Load())
//	w.bits.CompareAndSwap(uint64(old), uint64(next))    // of type State

// wordTypes returns text that tells package hook which type is meant on which line of the file.
func (r *rewriter) wordTypes() string {
	names := map[*ast.CallExpr]string{} // of atomic operations, "" if the source does not say
	ast.Inspect(r.src.ast, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if op, ok := r.converted(call).(*ast.CallExpr); ok && r.isAtomic(op) {
			names[op] = r.shownType(call, r.original(call.Fun.Pos(), call.Fun.End()))
		}
		if !r.isAtomic(call) {
			return true
		}
		for _, arg := range call.Args {
			c, ok := ast.Unparen(arg).(*ast.CallExpr)
			if from := r.converted(c); ok && from != nil && names[call] == "" {
				names[call] = r.shownType(from, "")
			}
		}
		names[call] += ""
		return true
	})
	lines := map[int]string{}
	for op, name := range names {
		line := r.ss.fset.Position(op.Pos()).Line
		if other, ok := lines[line]; ok && other != name {
			name = "" // a line has to mean one type
		}
		lines[line] = name
	}
	text := ""
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		if name := lines[line]; name != "" {
			text += fmt.Sprintf("\nvar _ = %s(%d, func(v uint64) string { return (%s)(v).String() })",
				r.hook("ShowWord"), line, name)
		}
	}
	return text
}

// converted returns what n converts, nil if it is no conversion.
func (r *rewriter) converted(n *ast.CallExpr) ast.Expr {
	if n == nil || len(n.Args) != 1 || !r.c.info.Types[n.Fun].IsType() {
		return nil
	}
	return ast.Unparen(n.Args[0])
}

func (r *rewriter) isAtomic(n *ast.CallExpr) bool {
	fn := callee(r.c.info, n)
	return fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == "sync/atomic"
}

// shownType returns the name that the type of e has at the end of the file, "" unless it is an
// integer with a method String: of the package, or written in the file as it is given here.
func (r *rewriter) shownType(e ast.Expr, written string) string {
	named, ok := types.Unalias(r.c.info.TypeOf(e)).(*types.Named)
	if !ok || named.TypeArgs().Len() > 0 || named.Obj().Pkg() == nil {
		return ""
	}
	b, ok := named.Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 {
		return ""
	}
	method := types.NewMethodSet(named).Lookup(named.Obj().Pkg(), "String")
	if method == nil || !types.Identical(method.Type(), stringer) {
		return ""
	}
	tn := named.Obj()
	switch {
	case tn.Parent() != tn.Pkg().Scope(): // of a function
		return ""
	case tn.Pkg() == r.c.pkg:
		return tn.Name()
	case tn.Exported():
		return written
	}
	return ""
}

var stringer = types.NewSignatureType(nil, nil, nil, nil,
	types.NewTuple(types.NewParam(0, nil, "", types.Typ[types.String])), false)
