package instrument

import (
	"go/ast"
	"go/types"
)

// A type that is declared inside a function, or that has no name, cannot be
// given methods, and a lock that it embeds would be taken by its promoted
// methods once the type stands behind an interface. Direct calls are rewritten
// as ever, and calls through an interface find what is embedded when they run
// (hook/sync_promoted.go). Where they cannot, the type's conversion to an
// interface is refused, to any interface at all, since an assertion may lead
// from there to one with those methods.

// refuseConversion refuses e if it is such a conversion's operand.
func (r *rewriter) refuseConversion(e ast.Expr) {
	tv, ok := r.c.info.Types[e]
	if !ok || !tv.IsValue() || tv.Type == nil {
		return
	}
	if results, ok := tv.Type.(*types.Tuple); ok {
		r.refuseResults(e, results)
		return
	}
	if !holdsEmbedded(deref(types.Unalias(tv.Type))) {
		return
	}
	target, constraint := r.target(e)
	if target == nil {
		if reason := r.withdrawnAs(r.compared(e), tv.Type); reason != "" {
			r.guardConversion(e, op{role: refuseOp, reason: reason})
		}
		return
	}
	iface, ok := target.Underlying().(*types.Interface)
	if !ok {
		return
	}
	if _, isParam := types.Unalias(target).(*types.TypeParam); isParam != constraint {
		return
	}
	if constraint && iface.NumMethods() == 0 {
		return
	}
	if reason := r.ss.unguarded(tv.Type, true); reason != "" {
		r.guardConversion(e, op{role: refuseOp, reason: reason})
	}
}

// refuseResults is refuseConversion for e if it has several results, of types with an explicit
// method that is withdrawn.
func (r *rewriter) refuseResults(e ast.Expr, results *types.Tuple) {
	if _, ok := r.parent().(*ast.ParenExpr); ok {
		return // the parentheses are looked at
	}
	w := stateWalker{c: r.c, stack: r.stack}
	for i := range results.Len() {
		t := results.At(i).Type()
		if reason := r.withdrawnAs(w.targetOf(e, i), t); reason != "" {
			r.guardResults(ast.Unparen(e), op{role: refuseOp, reason: reason})
			return
		}
	}
}

// refuseRanged is refuseConversion for what a loop assigns to variables, of such types.
func (r *rewriter) refuseRanged(n *ast.RangeStmt) {
	w := stateWalker{c: r.c, stack: r.stack}
	reason := ""
	w.ranged(n, func(target, t types.Type) {
		if reason == "" {
			reason = r.withdrawnAs(target, t)
		}
	})
	if reason != "" {
		r.refuse(n.X, n.X.Pos(), reason)
	}
}

// withdrawnAs says why a value of type t cannot become one of the target, if it is an interface and
// an explicit method is withdrawn.
func (r *rewriter) withdrawnAs(target, t types.Type) string {
	if !isInterface(target) || !holdsEmbedded(deref(types.Unalias(t))) {
		return ""
	}
	return r.ss.unguarded(t, false)
}

// noteConversion notes the conversion of e to an interface if what it points to is of the standard
// library, shared, and used by code that is not rewritten, or by methods that could be anyone's.
// Of several results of e, one may be converted.
func (r *rewriter) noteConversion(e ast.Expr) {
	tv, ok := r.c.info.Types[e]
	if !ok || !tv.IsValue() || tv.Type == nil {
		return
	}
	if results, ok := tv.Type.(*types.Tuple); ok {
		if _, ok := r.parent().(*ast.ParenExpr); ok {
			return // the parentheses are looked at
		}
		w := stateWalker{c: r.c, stack: r.stack}
		for i := range results.Len() {
			if o := noted(results.At(i).Type()); o.role == noteOp && isInterface(w.targetOf(e, i)) {
				r.guardResults(ast.Unparen(e), o)
			}
		}
		return
	}
	o := noted(tv.Type)
	if o.role != noteOp {
		return
	}
	if sel, ok := ast.Unparen(e).(*ast.SelectorExpr); ok && r.c.info.Uses[sel.Sel] != nil {
		if n := sel.Sel.Name; o.name == "os.File" && (n == "Stdout" || n == "Stderr") {
			return // what is printed does not come back
		}
	}
	if target, _ := r.target(e); isInterface(target) {
		r.guardConversion(e, o)
	}
}

// noted gives what is noted of values of a type that become interfaces.
func noted(t types.Type) op {
	p, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return op{}
	}
	tn := typeName(p)
	if tn == nil || tn.Pkg() == nil || !passedOn[tn.Pkg().Path()+"."+tn.Name()] {
		return op{}
	}
	o := library(tn.Pkg().Path(), passedAs[tn.Name()], false)
	o.name = shortName(tn.Pkg().Path() + "." + tn.Name())
	return o
}

func isInterface(t types.Type) bool { return t != nil && types.IsInterface(t) }

// guardResults wraps what e, of several results, has them from: the function, the map or the
// interface. A generic function is left alone, whose type arguments may not be written, and a
// channel, which the receive wraps.
func (r *rewriter) guardResults(e ast.Expr, o op) {
	from := e
	switch e := e.(type) {
	case *ast.CallExpr:
		if fn := callee(r.c.info, e); fn != nil && fn.Signature().TypeParams() != nil {
			return
		}
		from = e.Fun
	case *ast.UnaryExpr:
		return
	case *ast.IndexExpr:
		from = e.X
	case *ast.TypeAssertExpr:
		from = e.X
	}
	r.guard(from, e.Pos(), o)
}

// guardConversion is guard for an expression that is converted where it stands. What a clause of a
// select receives stays there: the channel is wrapped in its place.
func (r *rewriter) guardConversion(e ast.Expr, o op) {
	recv, ok := ast.Unparen(e).(*ast.UnaryExpr)
	switch {
	case !ok || !r.comms[recv]:
		r.guard(e, e.Pos(), o)
	case e == recv:
		r.guard(recv.X, e.Pos(), o)
	}
}

// passedOn has the types whose conversion to an interface is noted, passedAs a method of each that
// says of which class they are.
var (
	passedOn = map[string]bool{"log/slog.LevelVar": true, "os.File": true}
	passedAs = map[string]string{"LevelVar": "LevelVar.Level", "File": "File.Write"}
)

// unguarded says of which method that a value of the type has from a sync or
// atomic type there is no explicit one in between, if it is not found when it is
// called; "" if there is none. Unless local, only one that is withdrawn counts.
func (ss *session) unguarded(t types.Type, local bool) string {
	for m := range types.NewMethodSet(t).Methods() {
		fn := m.Obj().(*types.Func)
		if len(m.Index()) == 1 || !ss.hides(fn) || ss.isFound(fn) {
			continue
		}
		explicit, not := ss.promotion(t, fn.Name())
		if explicit || not == nil && (ofTest(fn) || !local) {
			continue
		}
		why := "the type has no name at package level"
		if not != nil {
			why = ss.inTheWay(not, fn.Name())
		}
		return "its method " + fn.Name() + " comes from an embedded field, and " + why +
			": as an interface it is not modelled"
	}
	return ""
}

// inTheWay says why the explicit method of a type is withdrawn.
func (ss *session) inTheWay(tn *types.TypeName, method string) string {
	return "if " + tn.Name() + " had one of its own it would change which " + method + " " +
		ss.withdrawn[tn][method] + " has"
}

// isFound reports whether hook finds what a method is promoted from, or refuses to call it, in each
// call through an interface. Some methods of a sync.Map are called as they stand if the interface
// has others.
func (ss *session) isFound(fn *types.Func) bool {
	tn := typeName(fn.Signature().Recv().Type())
	switch o := ss.method(fn); o.role {
	case hookedOp:
		if path := tn.Pkg().Path(); path != "sync" && path != "sync/atomic" && path != "time" {
			return false
		}
		return tn.Name() != "Map" || checkMethods[fn.Name()] != nil
	case dynOp:
		return true
	}
	return false
}

// target returns the type to which its context converts e, nil if it does not:
// an interface type, or a type parameter of a called function, in which case
// constraint is true.
func (r *rewriter) target(e ast.Expr) (t types.Type, constraint bool) {
	info := r.c.info
	i := len(r.stack) - 1
	if i < 0 {
		return nil, false
	}
	var child ast.Node = e
	for ; i > 0; i-- {
		if _, ok := r.stack[i].(*ast.ParenExpr); !ok {
			break
		}
		child = r.stack[i]
	}
	switch p := r.stack[i].(type) {
	case *ast.AssignStmt:
		if len(p.Lhs) != len(p.Rhs) {
			return nil, false
		}
		for j, rhs := range p.Rhs {
			if rhs == child {
				return info.TypeOf(p.Lhs[j]), false
			}
		}
	case *ast.ValueSpec:
		if p.Type != nil {
			return info.TypeOf(p.Type), false
		}
	case *ast.SendStmt:
		if ch, ok := info.TypeOf(p.Chan).Underlying().(*types.Chan); ok && p.Value == child {
			return ch.Elem(), false
		}
	case *ast.ReturnStmt:
		if sig := r.enclosing(i); sig != nil && sig.Results().Len() == len(p.Results) {
			for j, res := range p.Results {
				if res == child {
					return sig.Results().At(j).Type(), false
				}
			}
		}
	case *ast.CompositeLit:
		return r.elementType(p, child, nil), false
	case *ast.KeyValueExpr:
		if lit, ok := r.stack[max(0, i-1)].(*ast.CompositeLit); ok {
			return r.elementType(lit, child, p), false
		}
	case *ast.CallExpr:
		return r.paramType(p, child)
	}
	return nil, false
}

// enclosing returns the signature of the function around the i-th node of the
// stack.
func (r *rewriter) enclosing(i int) *types.Signature {
	for ; i >= 0; i-- {
		switch f := r.stack[i].(type) {
		case *ast.FuncLit:
			sig, _ := r.c.info.TypeOf(f).(*types.Signature)
			return sig
		case *ast.FuncDecl:
			if fn, ok := r.c.info.Defs[f.Name].(*types.Func); ok {
				return fn.Signature()
			}
		}
	}
	return nil
}

// elementType returns the type of an element of a composite literal: e stands
// on its own, or in kv.
func (r *rewriter) elementType(lit *ast.CompositeLit, e ast.Node, kv *ast.KeyValueExpr) types.Type {
	t := r.c.info.TypeOf(lit)
	if t == nil {
		return nil
	}
	switch u := deref(t).Underlying().(type) {
	case *types.Slice:
		return u.Elem()
	case *types.Array:
		return u.Elem()
	case *types.Map:
		if kv != nil && kv.Key == e {
			return u.Key()
		}
		return u.Elem()
	case *types.Struct:
		if kv == nil {
			for j, el := range lit.Elts {
				if el == e {
					return u.Field(j).Type()
				}
			}
		} else if id, ok := kv.Key.(*ast.Ident); ok {
			if f, ok := r.c.info.Uses[id].(*types.Var); ok && kv.Value == e {
				return f.Type()
			}
		}
	}
	return nil
}

// paramType returns the type of the parameter that e is passed for.
func (r *rewriter) paramType(call *ast.CallExpr, e ast.Node) (t types.Type, constraint bool) {
	info := r.c.info
	pos := -1
	for j, arg := range call.Args {
		if arg == e {
			pos = j
		}
	}
	fun := info.Types[call.Fun]
	if pos < 0 || fun.Type == nil {
		return nil, false
	}
	if fun.IsType() {
		return fun.Type, false
	}
	if fun.IsBuiltin() {
		if s, ok := info.TypeOf(call).Underlying().(*types.Slice); ok && pos > 0 { // append
			return s.Elem(), false
		}
		return nil, false
	}
	sig, ok := fun.Type.Underlying().(*types.Signature)
	if !ok {
		return nil, false
	}
	if t = paramAt(sig, pos, call.Ellipsis.IsValid()); t != nil && types.IsInterface(t) {
		return t, false
	}
	// The called function may be generic: what matters then is the
	// constraint of the type parameter.
	if fn := callee(info, call); fn != nil {
		if t = paramAt(fn.Origin().Signature(), pos, call.Ellipsis.IsValid()); t != nil {
			if _, ok := types.Unalias(t).(*types.TypeParam); ok {
				return t, true
			}
		}
	}
	return nil, false
}

func paramAt(sig *types.Signature, i int, ellipsis bool) types.Type {
	n := sig.Params().Len()
	if n == 0 {
		return nil
	}
	if sig.Variadic() && i >= n-1 {
		last := sig.Params().At(n - 1).Type()
		if s, ok := last.(*types.Slice); ok && !ellipsis {
			return s.Elem()
		}
		return last
	}
	if i >= n {
		return nil
	}
	return sig.Params().At(i).Type()
}

// callee returns the function or method that a call names statically.
func callee(info *types.Info, call *ast.CallExpr) *types.Func {
	e := ast.Unparen(call.Fun)
	switch x := e.(type) {
	case *ast.IndexExpr:
		e = ast.Unparen(x.X)
	case *ast.IndexListExpr:
		e = ast.Unparen(x.X)
	}
	switch x := e.(type) {
	case *ast.Ident:
		fn, _ := info.Uses[x].(*types.Func)
		return fn
	case *ast.SelectorExpr:
		fn, _ := info.Uses[x.Sel].(*types.Func)
		return fn
	}
	return nil
}
