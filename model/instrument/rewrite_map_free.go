package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// orderFree judges a loop over a map: it has the same effect in every order if all that it does is
// to count, to add up integers, to keep the largest or the smallest, to change or delete what has
// the same key, and to collect what is sorted afterwards; or to return one constant, and nothing
// else. What it reads is its variables, and what it does not change.
type orderFree struct {
	info       *types.Info
	ranged     types.Type // the map
	key, value *ast.Ident
	sorted     types.Object
	named      func(types.Object) bool // the variable can be changed by its name only
	apart      func(m ast.Expr) bool   // the map never is the one that is ranged
	sets       bool                    // keys without an order of their own

	by      map[types.Object]token.Token // how the loop changes a variable: see change
	fields  token.Token                  // likewise for fields of any variable
	returns map[string]bool              // what it returns

	// What a turn reads may be what an earlier one has changed.
	reads                  map[types.Object]bool // other variables than those of the loop
	readsFields            bool                  // that such may have
	readsMaps, changesMaps bool
	follows                bool // pointers
	changesUnnamed         bool // variables that a pointer may have

	// What it sets may be new, and so have a turn or not: in a map that may be the ranged one.
	deletes, setsAgain bool
}

func (f *orderFree) loop(n *ast.RangeStmt) bool {
	blank := func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return e == nil || ok && id.Name == "_"
	}
	if n.Tok != token.DEFINE && !(blank(n.Key) && blank(n.Value)) {
		return false // the variables keep what came last
	}
	f.ranged = f.info.TypeOf(n.X)
	if !f.block(n.Body) || f.deletes && f.setsAgain || f.readsMaps && f.changesMaps ||
		f.follows && f.changesUnnamed || f.readsFields && f.fields != token.ILLEGAL {
		return false
	}
	for v := range f.reads {
		if _, changes := f.by[v]; changes {
			return false
		}
	}
	changes := f.changesMaps || len(f.by) > 0 || f.fields != token.ILLEGAL
	return len(f.returns) == 0 || len(f.returns) == 1 && !changes &&
		(f.readsOwn() || !f.follows && isOneReturn(n.Body))
}

// readsOwn reports whether all that the loop reads is its variables. Else, if not all turns come,
// what is read may depend on which do, and so may races and whether a nil pointer is followed.
func (f *orderFree) readsOwn() bool { return len(f.reads) == 0 && !f.readsMaps && !f.follows }

// isOneReturn reports whether a body is one if with a return, and the first turn reads all.
func isOneReturn(b *ast.BlockStmt) bool {
	if len(b.List) != 1 {
		return false
	}
	s, ok := b.List[0].(*ast.IfStmt)
	if !ok || s.Else != nil || len(s.Body.List) != 1 {
		return false
	}
	_, ok = s.Body.List[0].(*ast.ReturnStmt)
	ast.Inspect(s.Cond, func(n ast.Node) bool {
		b, is := n.(*ast.BinaryExpr)
		ok = ok && !(is && (b.Op == token.LAND || b.Op == token.LOR))
		return ok
	})
	return ok
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
		return s.Init == nil && (f.keepsMost(s) || f.fixed(s.Cond) && f.block(s.Body) &&
			(s.Else == nil || f.stmt(s.Else)))
	case *ast.IncDecStmt:
		return f.adds(ast.Unparen(s.X), token.ADD_ASSIGN)
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		if !ok || builtin(f.info, call) != "delete" || len(call.Args) != 2 {
			return false
		}
		f.changesMaps = true
		f.deletes = f.deletes || f.mayBeRanged(call.Args[0])
		return f.isPlace(call.Args[0]) && f.isKey(call.Args[1])
	case *ast.AssignStmt:
		return len(s.Lhs) == 1 && len(s.Rhs) == 1 && f.assign(s)
	case *ast.ReturnStmt:
		return f.returnsConstants(s)
	}
	return false
}

func (f *orderFree) assign(s *ast.AssignStmt) bool {
	lhs, rhs := ast.Unparen(s.Lhs[0]), ast.Unparen(s.Rhs[0])
	switch s.Tok {
	case token.ADD_ASSIGN, token.SUB_ASSIGN, token.OR_ASSIGN, token.AND_ASSIGN, token.XOR_ASSIGN:
		return f.adds(lhs, s.Tok) && f.fixed(rhs)
	case token.ASSIGN:
	default:
		return false
	}
	if x, ok := lhs.(*ast.IndexExpr); ok {
		return f.setsKey(x) && f.fixed(rhs)
	}
	id, ok := lhs.(*ast.Ident)
	call, isCall := rhs.(*ast.CallExpr)
	if !ok || !isCall || f.sorted == nil || f.info.Uses[id] != f.sorted ||
		builtin(f.info, call) != "append" || len(call.Args) != 2 {
		return false
	}
	to, ok := call.Args[0].(*ast.Ident)
	f.change(f.sorted, s.Tok)
	return ok && f.info.Uses[to] == f.sorted && f.fixed(call.Args[1])
}

// adds reports whether e is what a loop may change by one operation only: an integer variable, a
// field, or what a map has for the loop's key, which no other turn looks at.
func (f *orderFree) adds(e ast.Expr, by token.Token) bool {
	if by == token.SUB_ASSIGN {
		by = token.ADD_ASSIGN // additions commute, but not with the others
	}
	switch e := e.(type) {
	case *ast.IndexExpr:
		return f.setsKey(e)
	case *ast.SelectorExpr:
		if f.info.Selections[e] == nil { // of another package
			return isInteger(f.info.TypeOf(e)) && f.change(f.info.Uses[e.Sel], by)
		}
		old := f.fields
		f.fields, f.changesUnnamed = by, true
		return (old == token.ILLEGAL || old == by) && f.isPlace(e) && isInteger(f.info.TypeOf(e))
	case *ast.Ident:
		return !f.isVar(e) && isInteger(f.info.TypeOf(e)) && f.change(f.info.Uses[e], by)
	}
	return false
}

func isInteger(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// setsKey reports whether e is what a map has for the loop's key.
func (f *orderFree) setsKey(e *ast.IndexExpr) bool {
	t := f.info.TypeOf(e.X)
	if !isMap(t) || !f.isPlace(e.X) || !f.isKey(e.Index) {
		return false
	}
	f.changesMaps, f.sets = true, f.sets || !hasOrder(mapKey(t))
	if f.mayBeRanged(e.X) {
		f.setsAgain = true
		return !mayBeNaN(mapKey(t)) // each is new
	}
	return true
}

// change notes how a variable is changed, and reports whether it is in no other way.
func (f *orderFree) change(v types.Object, by token.Token) bool {
	old, ok := f.by[v]
	f.by[v] = by
	f.changesUnnamed = f.changesUnnamed || !f.named(v)
	return !ok || old == by
}

// keepsMost reports whether a statement is if v > most { most = v }, or for the least.
func (f *orderFree) keepsMost(s *ast.IfStmt) bool {
	cond, ok := ast.Unparen(s.Cond).(*ast.BinaryExpr)
	if !ok || s.Else != nil || len(s.Body.List) != 1 {
		return false
	}
	set, ok := s.Body.List[0].(*ast.AssignStmt)
	if !ok || set.Tok != token.ASSIGN || len(set.Lhs) != 1 || len(set.Rhs) != 1 {
		return false
	}
	most, ok := ast.Unparen(set.Lhs[0]).(*ast.Ident)
	v, isIdent := ast.Unparen(set.Rhs[0]).(*ast.Ident)
	if !ok || !isIdent || !f.isVar(v) || f.isVar(most) || !isTold(f.info.TypeOf(v)) {
		return false
	}
	x, y, by := cond.X, cond.Y, cond.Op
	if f.refers(x, most) {
		swapped := map[token.Token]token.Token{token.LSS: token.GTR, token.LEQ: token.GEQ,
			token.GTR: token.LSS, token.GEQ: token.LEQ}
		x, y, by = y, x, swapped[by]
	}
	switch by {
	case token.GEQ:
		by = token.GTR
	case token.LEQ:
		by = token.LSS
	case token.GTR, token.LSS:
	default:
		return false
	}
	return f.refers(x, v) && f.refers(y, most) && f.change(f.info.Uses[most], by)
}

// returnsConstants reports whether all that a statement returns is constant, and notes what.
func (f *orderFree) returnsConstants(s *ast.ReturnStmt) bool {
	all := ""
	for _, e := range s.Results {
		switch t := f.info.Types[e]; {
		case t.Value != nil:
			all += t.Value.ExactString() + ","
		case t.IsNil():
			all += "nil,"
		default:
			return false
		}
	}
	if f.returns == nil {
		f.returns = map[string]bool{}
	}
	f.returns[all] = true
	return true
}

// fixed reports whether e has no effect and gives the same in whichever turn it is evaluated, as
// long as the loop does not change what it reads: it does not panic, a nil pointer aside.
func (f *orderFree) fixed(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			ok = ok && f.fixedName(n)
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
		case *ast.CompositeLit:
			ok = ok && !isMap(f.info.TypeOf(n)) // of keys that cannot be compared
		case *ast.IndexExpr:
			ok = ok && isMap(f.info.TypeOf(n.X)) && !holdsInterface(mapKey(f.info.TypeOf(n.X)))
			f.readsMaps = true
		case *ast.BinaryExpr:
			ok = ok && f.fixedBinary(n)
		case *ast.UnaryExpr:
			_, literal := ast.Unparen(n.X).(*ast.CompositeLit)
			ok = ok && n.Op != token.ARROW && (n.Op != token.AND || literal)
		}
		return ok
	})
	return ok
}

// fixedName is fixed for a name, and notes what it reads.
func (f *orderFree) fixedName(id *ast.Ident) bool {
	switch v := f.info.ObjectOf(id).(type) {
	case *types.Func:
		return false
	case *types.Var:
		if v.IsField() || f.isVar(id) {
			return true
		}
		if f.reads == nil {
			f.reads = map[types.Object]bool{}
		}
		f.reads[v] = true
		switch v.Type().Underlying().(type) {
		case *types.Struct, *types.Array, *types.Interface: // fields, or what may have them
			f.readsFields = true
		}
	}
	return true
}

func (f *orderFree) fixedCall(n *ast.CallExpr) bool {
	switch builtin(f.info, n) {
	case "len", "cap":
		t := f.info.TypeOf(n.Args[0])
		f.readsMaps = f.readsMaps || isMap(t)
		_, param := types.Unalias(t).(*types.TypeParam)
		_, channel := t.Underlying().(*types.Chan)
		return !param && !channel // to look at a channel is a step
	case "max", "min":
		return true
	}
	return f.info.Types[n.Fun].IsType() && !f.mayPanic(n)
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
func (f *orderFree) isPlace(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return f.isPlace(e.X)
	}
	return false
}

// mayBeRanged reports whether a map may be the one that is ranged.
func (f *orderFree) mayBeRanged(m ast.Expr) bool {
	a, b := f.ranged, f.info.TypeOf(m)
	if f.apart(m) {
		return false
	}
	return hasParams(a) || hasParams(b) || types.Identical(a.Underlying(), b.Underlying())
}

// hasParams reports whether a type may depend on type parameters.
func hasParams(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return false
	case *types.Named:
		return t.TypeArgs().Len() > 0
	case *types.Map:
		return hasParams(t.Key()) || hasParams(t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		return hasParams(t.Elem())
	case *types.Struct:
		return slices.ContainsFunc(slices.Collect(t.Fields()),
			func(f *types.Var) bool { return hasParams(f.Type()) })
	case *types.Interface:
		return !t.Empty()
	}
	return true
}

// mayBeNaN reports whether a value of the type may differ from itself.
func mayBeNaN(t types.Type) bool {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok || t == nil {
		return true
	}
	switch t := t.Underlying().(type) {
	case *types.Basic:
		return t.Info()&(types.IsFloat|types.IsComplex) != 0
	case *types.Interface:
		return true
	case *types.Array:
		return mayBeNaN(t.Elem())
	case *types.Struct:
		return slices.ContainsFunc(slices.Collect(t.Fields()),
			func(f *types.Var) bool { return mayBeNaN(f.Type()) })
	}
	return false
}

// builtin returns the name of the builtin function that is called, "" if it is none.
func builtin(info *types.Info, call *ast.CallExpr) string {
	if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
		if b, ok := info.Uses[id].(*types.Builtin); ok {
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

func (f *orderFree) refers(e ast.Expr, to *ast.Ident) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && f.info.Uses[id] != nil && f.info.Uses[id] == f.info.Uses[to]
}
