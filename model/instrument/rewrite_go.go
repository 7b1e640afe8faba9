package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// goStmt rewrites a go statement. The function and its arguments are evaluated
// by the goroutine that starts another, so
//
//	go f(x, 1, g())
//
// becomes, on the same lines,
//
//	{ f' := f; a := x; b := g(); hook.Go(func() { f'(a, 1, b) }) }
//
// What has no effect and no type until it is used stays in the call:
// constants, nil, and generic functions. A builtin does too.
func (r *rewriter) goStmt(n *ast.GoStmt) {
	call := n.Call
	if lit, ok := call.Fun.(*ast.FuncLit); ok && len(call.Args) == 0 && lit.Type.Results == nil {
		// go func() { ... }()
		r.gap(n.Pos(), lit.Pos(), r.hook("Go")+"(")
		r.gap(lit.End(), call.End(), ")")
		return
	}

	name := func(i int) string { return fmt.Sprintf("%sa%d", r.c.prefix, i) }
	r.gap(n.Pos(), call.Pos(), "{ ")
	var fun string
	if r.staysInCall(call.Fun) {
		fun = r.moved(call.Fun)
		if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
			if b, ok := r.c.info.Uses[id].(*types.Builtin); ok && b.Name() == "close" {
				fun = r.hook(r.closeHook(call.Args[0]))
			}
		}
	} else {
		fun = r.c.prefix + "f"
		r.ed.front(r.off(call.Fun.Pos()), fun+" := ")
		r.ed.behind(r.off(call.Fun.End()), ";")
	}
	end := call.Fun.End()
	var args []string
	for i, arg := range call.Args {
		r.gap(end, arg.Pos(), " ")
		end = arg.End()
		tv := r.c.info.Types[arg]
		if tuple, ok := tv.Type.(*types.Tuple); ok {
			for j := range tuple.Len() {
				args = append(args, name(j))
			}
			r.ed.front(r.off(arg.Pos()), strings.Join(args, ", ")+" := ")
			r.ed.behind(r.off(end), ";")
			continue
		}
		if tv.Value != nil || tv.IsNil() || r.staysInCall(arg) {
			args = append(args, r.moved(arg))
			continue
		}
		args = append(args, name(i))
		open, closing := r.conversion(arg, tv.Type)
		r.ed.front(r.off(arg.Pos()), name(i)+" := "+open)
		r.ed.behind(r.off(end), closing+";")
	}
	list := strings.Join(args, ", ")
	if call.Ellipsis.IsValid() {
		list += "..."
	}
	r.gap(end, call.End(), fmt.Sprintf(" %s(func() { %s(%s) }) }", r.hook("Go"), fun, list))
}

// moved takes an expression out of its place and returns its text, newlines
// included.
func (r *rewriter) moved(e ast.Expr) string {
	r.done[e] = true
	r.ed.replace(r.off(e.Pos()), r.off(e.End()), "")
	return r.original(e.Pos(), e.End())
}

// staysInCall reports whether e is a builtin or a generic function that is
// not instantiated in full: neither can be assigned to a variable.
func (r *rewriter) staysInCall(e ast.Expr) bool {
	e = ast.Unparen(e)
	switch x := e.(type) {
	case *ast.IndexExpr:
		e = x.X
	case *ast.IndexListExpr:
		e = x.X
	}
	id, ok := e.(*ast.Ident)
	if sel, isSel := e.(*ast.SelectorExpr); isSel {
		id, ok = sel.Sel, true
	}
	if !ok {
		return false
	}
	switch obj := r.c.info.Uses[id].(type) {
	case *types.Builtin:
		return true
	case *types.Func:
		return obj.Signature().TypeParams() != nil
	}
	return false
}

// conversion returns what to put around an argument so that a variable
// declared with it has the type that the argument has in the call. Only
// untyped values need it: comparisons and shifts that are not constant.
func (r *rewriter) conversion(arg ast.Expr, t types.Type) (open, closing string) {
	switch x := ast.Unparen(arg).(type) {
	case *ast.BinaryExpr:
	case *ast.UnaryExpr:
		if x.Op == token.AND || x.Op == token.ARROW {
			return "", ""
		}
	default:
		return "", ""
	}
	text, ok := r.typeText(t)
	if !ok {
		return "", ""
	}
	return text + "(", ")"
}
