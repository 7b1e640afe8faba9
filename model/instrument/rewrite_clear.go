package instrument

import (
	"go/ast"
	"go/types"
)

// The compiler clears memory in two places without telling the race detector: clear of a slice, and
// append(s, make([]T, n)...), which it turns into the clearing of what s has room for.
//
//	clear(s)                     hook.Clear(s)
//	append(s, make([]T, n)...)   append(s, hook.Made(make([]T, n))...)

func (r *rewriter) clear(n *ast.CallExpr) {
	if isSlice(r.c.info.TypeOf(n.Args[0])) {
		r.ed.replace(r.off(n.Fun.Pos()), r.off(n.Fun.End()), r.hook("Clear"))
		r.spliced[n.Fun] = true
	}
}

// isSlice reports whether t is a slice, or a type parameter that stands for slices of one type of
// elements only.
func isSlice(t types.Type) bool {
	tp, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		_, ok := t.Underlying().(*types.Slice)
		return ok
	}
	var of types.Type
	only := true
	typeSet(tp, func(t types.Type) {
		s, ok := t.Underlying().(*types.Slice)
		only = only && ok && (of == nil || types.Identical(of, s.Elem()))
		if only {
			of = s.Elem()
		}
	})
	return only && of != nil
}

func (r *rewriter) appendMade(n *ast.CallExpr) {
	if !n.Ellipsis.IsValid() {
		return
	}
	made, ok := ast.Unparen(n.Args[1]).(*ast.CallExpr)
	if !ok {
		return
	}
	id, ok := ast.Unparen(made.Fun).(*ast.Ident)
	if !ok {
		return
	}
	if b, ok := r.c.info.Uses[id].(*types.Builtin); ok && b.Name() == "make" {
		r.ed.front(r.off(n.Args[1].Pos()), r.hook("Made")+"(")
		r.ed.behind(r.off(n.Args[1].End()), ")")
	}
}
