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
		named: r.changedByName,
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
		if s, ok := v.Type().Underlying().(*types.Slice); ok && isTold(s.Elem()) && r.isFresh(v) {
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
	return f.fixed(ret.Results[0])
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

// isFresh reports whether a slice is a variable of this function that has no elements of others.
func (r *rewriter) isFresh(v types.Object) bool {
	fresh := false
	own := func(e ast.Expr) bool {
		switch e := ast.Unparen(e).(type) {
		case *ast.CompositeLit:
			return true
		case *ast.SliceExpr:
			return r.refersTo(e.X, v)
		case *ast.Ident:
			return e.Name == "nil"
		case *ast.CallExpr:
			if r.c.info.Types[e.Fun].IsType() {
				return r.c.info.Types[e.Args[0]].IsNil()
			}
			id, ok := ast.Unparen(e.Fun).(*ast.Ident)
			return ok && (id.Name == "make" || id.Name == "append" && r.refersTo(e.Args[0], v))
		}
		return false
	}
	others := false
	r.inFunction(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if r.c.info.Defs[id] == v {
					fresh = len(n.Values) == 0 || i < len(n.Values) && own(n.Values[i])
				}
			}
		case *ast.AssignStmt:
			for i, e := range n.Lhs {
				id, ok := ast.Unparen(e).(*ast.Ident)
				if !ok || r.c.info.ObjectOf(id) != v {
					continue
				}
				ok = len(n.Lhs) == len(n.Rhs) && own(n.Rhs[i])
				fresh, others = fresh || ok, others || !ok
			}
		}
	})
	return fresh && !others
}

func (r *rewriter) refersTo(e ast.Expr, v types.Object) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && r.c.info.Uses[id] == v
}

// orderFree judges a loop over a map: it has the same effect in every order if all that it does is
// to count, to add up integers, to set or delete what has the same key, and to collect what is
// sorted afterwards.
type orderFree struct {
	info       *types.Info
	key, value *ast.Ident
	sorted     types.Object
	by         map[types.Object]token.Token // how the loop changes an integer: see integer
	sets       bool                         // keys without an order of their own

	// What a turn reads may be what an earlier one has changed.
	readsMaps, changesMaps bool
	follows                bool                    // pointers
	named                  func(types.Object) bool // the variable can be changed by its name only
	changesNamed           bool                    // none but such
}

func (f *orderFree) loop(n *ast.RangeStmt) bool {
	blank := func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return e == nil || ok && id.Name == "_"
	}
	if n.Tok != token.DEFINE && !(blank(n.Key) && blank(n.Value)) {
		return false // the variables keep what came last
	}
	f.changesNamed = true
	return f.block(n.Body) && !(f.readsMaps && f.changesMaps) && (!f.follows || f.changesNamed)
}

func (f *orderFree) block(b *ast.BlockStmt) bool {
	for _, s := range b.List {
		if !f.stmt(s) {
			return false
		}
	}
	return true
}

func (f *orderFree) stmt(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.EmptyStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok == token.CONTINUE && s.Label == nil
	case *ast.BlockStmt:
		return f.block(s)
	case *ast.IfStmt:
		return s.Init == nil && f.fixed(s.Cond) && f.block(s.Body) &&
			(s.Else == nil || f.stmt(s.Else))
	case *ast.IncDecStmt:
		return f.integer(s.X, token.ADD_ASSIGN)
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		f.changesMaps = true
		return ok && f.builtin(call) == "delete" && len(call.Args) == 2 &&
			isPlace(call.Args[0]) && f.isKey(call.Args[1])
	case *ast.AssignStmt:
		return len(s.Lhs) == 1 && len(s.Rhs) == 1 && f.assign(s)
	}
	return false
}

func (f *orderFree) assign(s *ast.AssignStmt) bool {
	lhs, rhs := ast.Unparen(s.Lhs[0]), ast.Unparen(s.Rhs[0])
	switch s.Tok {
	case token.ADD_ASSIGN, token.SUB_ASSIGN, token.OR_ASSIGN, token.AND_ASSIGN, token.XOR_ASSIGN:
		return f.integer(lhs, s.Tok) && f.fixed(rhs)
	case token.ASSIGN:
	default:
		return false
	}
	if x, ok := lhs.(*ast.IndexExpr); ok {
		f.sets, f.changesMaps = f.sets || !hasOrder(mapKey(f.info.TypeOf(x.X))), true
		return isMap(f.info.TypeOf(x.X)) && isPlace(x.X) && f.isKey(x.Index) && f.fixed(rhs)
	}
	id, ok := lhs.(*ast.Ident)
	call, isCall := rhs.(*ast.CallExpr)
	if !ok || !isCall || f.sorted == nil || f.info.Uses[id] != f.sorted ||
		f.builtin(call) != "append" || len(call.Args) != 2 {
		return false
	}
	to, ok := call.Args[0].(*ast.Ident)
	return ok && f.info.Uses[to] == f.sorted && f.fixed(call.Args[1])
}

// fixed reports whether e has no effect and gives the same in whichever turn it is evaluated: it
// is made of the loop's variables and constants, and does not panic, a nil pointer aside.
func (f *orderFree) fixed(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			switch obj := f.info.ObjectOf(n).(type) {
			case *types.Var:
				ok = ok && (obj.IsField() || f.isVar(n))
			case *types.Func:
				ok = false
			}
		case *ast.CallExpr:
			ok = ok && f.fixedCall(n)
		case *ast.StarExpr:
			f.follows = true
		case *ast.SelectorExpr:
			if sel := f.info.Selections[n]; sel != nil && sel.Indirect() {
				f.follows = true
			}
		case *ast.FuncLit, *ast.SliceExpr, *ast.TypeAssertExpr:
			ok = false
		case *ast.IndexExpr:
			ok = ok && isMap(f.info.TypeOf(n.X)) && !holdsInterface(mapKey(f.info.TypeOf(n.X)))
			f.readsMaps = true
		case *ast.BinaryExpr:
			ok = ok && f.fixedBinary(n)
		case *ast.UnaryExpr:
			ok = ok && n.Op != token.ARROW
		}
		return ok
	})
	return ok
}

func (f *orderFree) fixedCall(n *ast.CallExpr) bool {
	b := f.builtin(n)
	f.readsMaps = f.readsMaps || b == "len" && isMap(f.info.TypeOf(n.Args[0]))
	return b == "len" || b == "cap" || f.info.Types[n.Fun].IsType() && !f.mayPanic(n)
}

func (f *orderFree) fixedBinary(n *ast.BinaryExpr) bool {
	switch n.Op {
	case token.QUO, token.REM, token.SHL, token.SHR:
		return f.info.Types[n.Y].Value != nil // not 0, and not negative
	case token.EQL, token.NEQ: // of interfaces that cannot be compared
		return !(f.holdsInterface(n.X) && f.holdsInterface(n.Y))
	}
	return true
}

func (f *orderFree) holdsInterface(e ast.Expr) bool {
	t := f.info.Types[e]
	return !t.IsNil() && holdsInterface(t.Type)
}

// holdsInterface reports whether a value of the type is an interface, or has one in it: then to
// compare it may panic.
func holdsInterface(t types.Type) bool {
	if t == nil {
		return true
	}
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return true
	}
	switch t := t.Underlying().(type) {
	case *types.Interface:
		return true
	case *types.Array:
		return holdsInterface(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if holdsInterface(f.Type()) {
				return true
			}
		}
	}
	return false
}

// mayPanic reports whether a conversion may panic: that of a slice to an array.
func (f *orderFree) mayPanic(conversion *ast.CallExpr) bool {
	to, from := f.info.TypeOf(conversion), f.info.TypeOf(conversion.Args[0])
	switch to.Underlying().(type) {
	case *types.Array, *types.Pointer, *types.Interface: // that of a type parameter, too
		return from == nil || !types.Identical(to.Underlying(), from.Underlying())
	}
	return false
}

// isPlace reports whether e is a variable, or a field of one: it is the same in every turn.
func isPlace(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return isPlace(e.X)
	}
	return false
}

// integer reports whether e is an integer variable, other than those of the loop, that the loop
// changes by one operation only: additions commute, but not with the others.
func (f *orderFree) integer(e ast.Expr, by token.Token) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok || f.isVar(id) {
		return false
	}
	if by == token.SUB_ASSIGN {
		by = token.ADD_ASSIGN
	}
	v := f.info.Uses[id]
	if old, ok := f.by[v]; ok && old != by {
		return false
	}
	f.by[v] = by
	f.changesNamed = f.changesNamed && f.named(v)
	b, ok := v.Type().Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

func (f *orderFree) builtin(call *ast.CallExpr) string {
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
		if b, ok := f.info.Uses[id].(*types.Builtin); ok {
			return b.Name()
		}
	}
	return ""
}

func (f *orderFree) isKey(e ast.Expr) bool { return f.is(e, f.key) }

func (f *orderFree) isVar(id *ast.Ident) bool { return f.is(id, f.key) || f.is(id, f.value) }

func (f *orderFree) is(e ast.Expr, v *ast.Ident) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && v != nil && f.info.Uses[id] != nil && f.info.Uses[id] == f.info.Defs[v]
}
