package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"math"
)

// sortedAfter returns the variable that the statement after the loop sorts, nil if it sorts none.
func (r *rewriter) sortedAfter(n *ast.RangeStmt) types.Object {
	var list []ast.Stmt
	switch p := r.parent().(type) {
	case *ast.BlockStmt:
		list = p.List
	case *ast.CaseClause:
		list = p.Body
	case *ast.CommClause:
		list = p.Body
	}
	for i, s := range list {
		if s != ast.Stmt(n) || i+1 == len(list) {
			continue
		}
		e, ok := list[i+1].(*ast.ExprStmt)
		if !ok {
			return nil
		}
		call, ok := e.X.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return nil
		}
		fn := callee(r.c.info, call)
		id, ok := ast.Unparen(call.Args[0]).(*ast.Ident)
		if !ok || fn == nil || fn.Pkg() == nil || !sorts[fn.Pkg().Path()+"."+fn.Name()] {
			return nil
		}
		v := r.c.info.Uses[id]
		s, ok := v.Type().Underlying().(*types.Slice)
		if ok && isTold(s.Elem()) && r.isFresh(v, n) {
			return v
		}
	}
	return nil
}

// sortedAtOnce reports whether a call that visits a map stands in one that sorts what it gives:
// slices.Sorted(maps.Keys(m)).
func (r *rewriter) sortedAtOnce(visit *ast.CallExpr) bool {
	for _, n := range r.stack {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 || ast.Unparen(call.Args[0]) != ast.Expr(visit) {
			continue
		}
		fn := callee(r.c.info, call)
		if fn == nil || fn.Pkg() == nil || fn.Pkg().Path() != "slices" || fn.Name() != "Sorted" {
			return false
		}
		s, ok := r.c.info.TypeOf(call).Underlying().(*types.Slice)
		return ok && isTold(s.Elem())
	}
	return false
}

// sorts has functions that leave their first argument in one order, whatever it was before. Those
// with a function that compares may not.
var sorts = map[string]bool{
	"slices.Sort": true, "sort.Ints": true, "sort.Strings": true,
}

// isTold reports whether values of the type are the same if they are equal, as 0 and -0 are not.
func isTold(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsInteger|types.IsString) != 0
}

// isFresh reports whether only a slice itself knows its memory as a loop ends: it is a variable of
// this function, declared empty or made here, and no use of it until then hands it on; nor one
// behind the loop, if it outlives a turn of what is around that.
func (r *rewriter) isFresh(v types.Object, loop *ast.RangeStmt) bool {
	until := loop.End()
	for _, n := range r.stack {
		switch n.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.FuncLit:
			if v.Pos() < n.Pos() {
				until = math.MaxInt
			}
		}
	}
	u := &uses{r: r, v: v, kept: map[*ast.Ident]bool{}}
	r.inFunction(func(n ast.Node) {
		u.node(n)
		if b, ok := n.(*ast.BranchStmt); ok && b.Tok == token.GOTO {
			until = math.MaxInt
		}
	})
	fresh := u.declared
	r.inFunction(func(n ast.Node) {
		if id, ok := n.(*ast.Ident); ok && r.c.info.ObjectOf(id) == v && id.Pos() < until {
			fresh = fresh && u.kept[id]
		}
	})
	return fresh
}

// uses are those of a slice of which the elements have no slices in them, or of a map.
type uses struct {
	r        *rewriter
	v        types.Object
	declared bool                // without memory of others
	kept     map[*ast.Ident]bool // uses that do not hand its memory on; false: those that do
}

func (u *uses) node(n ast.Node) {
	info := u.r.c.info
	switch n := n.(type) {
	case *ast.ValueSpec:
		for i, id := range n.Names {
			switch len(n.Values) {
			case 0:
				u.set(id, nil)
			case len(n.Names):
				u.set(id, n.Values[i])
			}
		}
	case *ast.FuncType: // results that have names
		if n.Results != nil {
			for _, f := range n.Results.List {
				for _, id := range f.Names {
					u.set(id, nil)
				}
			}
		}
	case *ast.AssignStmt:
		for i, e := range n.Lhs {
			if len(n.Lhs) == len(n.Rhs) {
				u.set(e, n.Rhs[i])
			}
		}
	case *ast.CallExpr:
		name := builtin(info, n)
		if fn := callee(info, n); fn != nil && fn.Pkg() != nil {
			name = fn.Pkg().Path() + "." + fn.Name()
		}
		if name == "len" || name == "cap" || sorts[name] && len(n.Args) > 0 {
			u.keep(n.Args[0])
		}
	case *ast.RangeStmt:
		u.keep(n.X)
	case *ast.IndexExpr:
		u.keep(n.X)
	case *ast.UnaryExpr:
		if x, ok := ast.Unparen(n.X).(*ast.IndexExpr); ok && n.Op == token.AND {
			if id, ok := ast.Unparen(x.X).(*ast.Ident); ok {
				u.kept[id] = false
			}
		}
	}
}

// set notes, if e is the slice and what it is set to has no memory of others, that this is so.
func (u *uses) set(e, to ast.Expr) {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if ok && u.r.c.info.ObjectOf(id) == u.v && (to == nil || u.own(to)) {
		u.declared = u.declared || u.r.c.info.Defs[id] == u.v
		u.keep(id)
	}
}

// keep notes that a use of the slice does not hand it on, unless it is known to do so.
func (u *uses) keep(e ast.Expr) {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		if _, known := u.kept[id]; !known {
			u.kept[id] = true
		}
	}
}

// own reports whether what is assigned to the slice has no memory of others, and notes that what
// is appended to the slice is kept so.
func (u *uses) own(e ast.Expr) bool {
	info := u.r.c.info
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return true
	case *ast.Ident:
		return info.Types[e].IsNil()
	case *ast.CallExpr:
		if info.Types[e.Fun].IsType() {
			return info.Types[e.Args[0]].IsNil()
		}
		switch builtin(info, e) {
		case "make":
			return true
		case "append":
			u.keep(e.Args[0])
			return u.r.refersTo(e.Args[0], u.v)
		}
	}
	return false
}

// areApart reports whether two expressions never are the same map: one is a parameter that is set
// nowhere, and the other a variable of this function that is given new maps only.
func (r *rewriter) areApart(param, made ast.Expr) bool {
	id, ok := ast.Unparen(param).(*ast.Ident)
	to, isIdent := ast.Unparen(made).(*ast.Ident)
	if !ok || !isIdent {
		return false
	}
	p, v := r.c.info.Uses[id], r.c.info.Uses[to]
	u := &uses{r: r, v: v, kept: map[*ast.Ident]bool{}}
	isParam := false
	r.inFunction(func(n ast.Node) {
		u.node(n)
		if f, ok := n.(*ast.FuncType); ok {
			for _, f := range f.Params.List {
				for _, id := range f.Names {
					isParam = isParam || r.c.info.Defs[id] == p
				}
			}
		}
	})
	apart := isParam && u.declared && r.changedByName(p) && r.changedByName(v)
	r.inFunction(func(n ast.Node) {
		var set []ast.Expr
		switch n := n.(type) {
		case *ast.AssignStmt:
			set = n.Lhs
		case *ast.RangeStmt:
			set = []ast.Expr{n.Key, n.Value}
		}
		for _, e := range set {
			id, ok := e.(*ast.Ident)
			apart = apart && !(ok && (r.c.info.ObjectOf(id) == p ||
				r.c.info.ObjectOf(id) == v && !u.kept[id]))
		}
	})
	return apart
}
