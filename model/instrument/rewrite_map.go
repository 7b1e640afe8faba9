package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"

	"github.com/surewake/surewake/model/stdlib"
)

// rangeMap notes a loop over a map, unless it has the same effect in every order.
func (r *rewriter) rangeMap(n *ast.RangeStmt) {
	if !isMap(r.c.info.TypeOf(n.X)) {
		return
	}
	f := &orderFree{
		info: r.c.info, sorted: r.sortedAfter(n), by: map[types.Object]token.Token{},
		named: r.changedByName, apart: func(m ast.Expr) bool { return r.areApart(n.X, m) },
	}
	f.key, _ = n.Key.(*ast.Ident)
	f.value, _ = n.Value.(*ast.Ident)
	free := f.loop(n)
	if free && !f.sets {
		return
	}
	blank := func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return e == nil || ok && id.Name == "_"
	}
	o := op{role: noteOp, hook: "Ranged", reason: stdlib.MapOrder, name: "range"}
	v := fmt.Sprintf("%srange%d", r.c.prefix, r.ranges)
	vars, into, assigned, from := "", "(", "", ""
	o.hook = "RangeMap"
	switch key, value := blank(n.Key), blank(n.Value); {
	case key && value:
		o.hook += "Blank"
	case n.Tok != token.DEFINE:
	case value:
		o.hook += "Key"
	case key:
		o.hook += "Value"
	default:
		o.hook += "Both"
	}
	for i, e := range []ast.Expr{n.Key, n.Value} {
		if i > 0 {
			into += ", "
		}
		switch {
		case blank(e):
			into += "nil"
			continue
		case n.Tok == token.DEFINE:
			name := e.(*ast.Ident).Name
			vars += name + ", "
			into += "&" + name
		case !r.plainOperand(e):
			o.hook = "Ranged"
			r.guard(n.X, n.Pos(), o)
			return
		default:
			comma := map[bool]string{true: ", "}[assigned != ""]
			assigned += comma + r.original(e.Pos(), e.End())
			from += comma + v + []string{".Key", ".Value"}[i]
		}
	}
	for _, e := range []ast.Expr{n.Key, n.Value} {
		if e != nil {
			r.done[e] = true
		}
	}
	r.ranges++
	before, after := r.hook(o.hook)+"(", `, "", "")` // the order is that of the keys that it sets
	if !free {
		before, after = r.guardText(n.Pos(), o)
	}
	r.gap(n.For+token.Pos(len("for")), n.X.Pos(), " "+vars+v+" := "+before)
	if n.Tok == token.DEFINE {
		r.endRange(n, after+"; "+v+".Into"+into+"); ")
		return
	}
	r.endRange(n, after+"; "+v+".Next(); ")
	if assigned != "" {
		r.ed.front(r.off(n.Body.Lbrace)+1, " "+assigned+" = "+from+";")
	}
}

// setting notes assignments to elements of maps whose keys have no order of their own.
func (r *rewriter) setting(places ...ast.Expr) {
	for _, e := range places {
		n, ok := ast.Unparen(e).(*ast.IndexExpr)
		if !ok || !isMap(r.c.info.TypeOf(n.X)) || !r.plainOperand(n.X) ||
			hasOrder(mapKey(r.c.info.TypeOf(n.X))) {
			continue
		}
		m := r.original(n.X.Pos(), n.X.End())
		r.ed.front(r.off(n.Index.Pos()), r.hook("Setting")+"("+m+").Key(")
		r.ed.behind(r.off(n.Index.End()), ")")
	}
}

// keyed notes the keys of a map literal if they have no order of their own. What makes one that is
// not of their type is left alone, as that type may have no name here.
func (r *rewriter) keyed(n *ast.CompositeLit) {
	t := r.c.info.TypeOf(n)
	if t == nil || !isMap(t) || hasOrder(mapKey(t)) || mapKey(t) == nil {
		return
	}
	key := mapKey(t)
	empty := types.NewInterfaceType(nil, nil)
	for _, e := range n.Elts {
		k := e.(*ast.KeyValueExpr).Key
		if lit, ok := k.(*ast.CompositeLit); ok && lit.Type == nil {
			continue
		}
		before, of := r.hook("Keyed"), r.c.info.Types[k]
		switch {
		case types.Identical(key, empty):
			before += "[interface{}]"
		case !types.Identical(of.Type, key) || of.Value != nil || of.IsNil():
			continue
		}
		r.ed.front(r.off(k.Pos()), before+"(")
		r.ed.behind(r.off(k.End()), ")")
	}
}

// mapKey returns the type of a map's keys, nil if that is not known.
func mapKey(t types.Type) types.Type {
	if m, ok := t.Underlying().(*types.Map); ok {
		return m.Key()
	}
	return nil
}

// hasOrder reports whether the keys of a type are visited in the order of their values.
func hasOrder(t types.Type) bool {
	if t == nil {
		return false
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return false
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&types.IsComplex == 0 && t.Kind() != types.UnsafePointer
	case *types.Array:
		return hasOrder(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if !hasOrder(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// isMap reports whether t is a map, or a type parameter that stands for maps.
func isMap(t types.Type) bool {
	if tp, ok := types.Unalias(t).(*types.TypeParam); ok {
		found := false
		typeSet(tp, func(t types.Type) { found = found || isMap(t) })
		return found
	}
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

// callbackOrderFree reports whether a call that visits a map calls a function that gives the same
// in whichever turn: one of the library, or func(k, v int) bool { return v == 0 }.
func (r *rewriter) callbackOrderFree(visit *ast.CallExpr) bool {
	callback := ast.Unparen(visit.Args[len(visit.Args)-1])
	if fn := referred(r.c.info, callback); fn != nil && fn.Pkg() != nil { // bytes.Equal
		p := r.ss.l.pkgs[fn.Pkg().Path()]
		return p != nil && p.Standard && fn.Signature().Recv() == nil &&
			r.ss.function(fn).role == plainOp && !callsBack(fn.Signature())
	}
	lit, ok := callback.(*ast.FuncLit)
	if !ok || len(lit.Body.List) != 1 {
		return false
	}
	ret, ok := lit.Body.List[0].(*ast.ReturnStmt)
	if !ok || len(ret.Results) != 1 {
		return false
	}
	var params []*ast.Ident
	for _, f := range lit.Type.Params.List {
		params = append(params, f.Names...)
	}
	if len(params) != 2 {
		return false
	}
	f := &orderFree{info: r.c.info, key: params[0], value: params[1]}
	if !f.fixed(ret.Results[0]) {
		return false
	}
	if len(visit.Args) == 2 { // maps.DeleteFunc, which changes the map meanwhile
		return !f.readsMaps
	}
	return f.readsOwn() // maps.EqualFunc ends where two differ
}

// callsBack reports whether a function may call what it is given: errors.Is calls methods.
func callsBack(s *types.Signature) bool {
	for p := range s.Params().Variables() {
		if _, calls := p.Type().Underlying().(*types.Signature); calls || holdsInterface(p.Type()) {
			return true
		}
	}
	return false
}

// referred returns the function that e names, nil if it names none.
func referred(info *types.Info, e ast.Expr) *types.Func {
	if sel, ok := e.(*ast.SelectorExpr); ok {
		e = sel.Sel
	}
	id, ok := e.(*ast.Ident)
	if !ok {
		return nil
	}
	fn, _ := info.Uses[id].(*types.Func)
	return fn
}

// inFunction visits what the outermost function around a node has in it.
func (r *rewriter) inFunction(visit func(ast.Node)) {
	for _, n := range r.stack {
		switch n.(type) {
		case *ast.FuncDecl, *ast.FuncLit:
			ast.Inspect(n, func(n ast.Node) bool { visit(n); return true })
			return
		}
	}
}

// changedByName reports whether a variable is one of this function, and nothing has its address.
func (r *rewriter) changedByName(v types.Object) bool {
	local := v.Parent() != nil && v.Pkg() != nil && v.Parent() != v.Pkg().Scope()
	r.inFunction(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.UnaryExpr:
			local = local && !(n.Op == token.AND && r.refersTo(n.X, v))
		case *ast.SelectorExpr: // a method may have it
			local = local && !r.refersTo(n.X, v)
		}
	})
	return local
}

func (r *rewriter) refersTo(e ast.Expr, v types.Object) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && r.c.info.Uses[id] == v
}
