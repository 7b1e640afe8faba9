package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// What a package variable points to can be changed by code that does not mention the variable: by a
// method, or by a function that it is handed to. So the types are noted of whose values some code
// changes a part. A value changes by an assignment to a part of it, or by code that has got hold of
// the place of a part:
//
//   - its address, also the one that a method with a pointer receiver is given, and that of an
//     array which is sliced;
//   - a pointer to it that is converted: to another type, to unsafe.Pointer, or to an interface
//     that allows for reflection;
//   - a pointer that a generic function takes, or one whose body is not written in Go.

// changesOf notes what the code at n itself changes.
func (w *stateWalker) changesOf(n ast.Node) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, l := range n.Lhs {
			w.writes(l)
		}
	case *ast.IncDecStmt:
		w.writes(n.X)
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			w.writes(n.Key)
			w.writes(n.Value)
			w.rangedTo(n)
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			w.writes(n.X)
		}
	case *ast.SliceExpr:
		w.writes(n.X)
	case *ast.SelectorExpr:
		w.receiver(n)
	case *ast.CallExpr:
		if to := w.c.info.Types[n.Fun]; to.IsType() && len(n.Args) == 1 {
			w.converted(to.Type, w.c.info.TypeOf(n.Args[0]))
		}
	}
	if e, ok := n.(ast.Expr); ok {
		w.reflected(e)
	}
}

// writes notes the types whose fields an assignment to e, or its address, may
// change.
func (w *stateWalker) writes(e ast.Expr) {
	for e != nil {
		switch x := ast.Unparen(e).(type) {
		case *ast.SelectorExpr:
			if s := w.c.info.Selections[x]; s != nil {
				w.wrotePath(s)
			}
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			w.u.wrote(deref(w.c.info.TypeOf(x.X)), false, nil)
			return
		default:
			return
		}
	}
}

// wrotePath notes the types that a selection passes through, embedded ones included.
func (w *stateWalker) wrotePath(s *types.Selection) {
	t := s.Recv()
	for _, i := range s.Index() {
		t = deref(t)
		st, ok := t.Underlying().(*types.Struct)
		if !ok || i >= st.NumFields() {
			return
		}
		if tn := typeName(t); tn != nil {
			w.u.writes[tn] = true
		}
		t = st.Field(i).Type()
	}
}

// receiver notes what a selected method changes that takes the address of its receiver.
func (w *stateWalker) receiver(n *ast.SelectorExpr) {
	s := w.c.info.Selections[n]
	if s == nil || s.Kind() == types.FieldVal || !pointerReceiver(s) {
		return
	}
	t := s.Recv()
	if _, isPtr := t.Underlying().(*types.Pointer); !isPtr {
		w.writes(n.X)
	}
	for _, i := range s.Index()[:len(s.Index())-1] { // embedded fields
		t = deref(t)
		if tn := typeName(t); tn != nil {
			w.u.writes[tn] = true
		}
		st, ok := t.Underlying().(*types.Struct)
		if !ok {
			return
		}
		t = st.Field(i).Type()
	}
}

// rangedTo notes what a loop assigns to variables that are interfaces.
func (w *stateWalker) rangedTo(n *ast.RangeStmt) {
	key, value := n.Key, n.Value
	to := func(e ast.Expr, t types.Type) {
		if e != nil {
			w.convertedTo(w.c.info.TypeOf(e), t)
		}
	}
	switch t := deref(w.c.info.TypeOf(n.X)).Underlying().(type) {
	case *types.Slice:
		to(value, t.Elem())
	case *types.Array:
		to(value, t.Elem())
	case *types.Chan:
		to(key, t.Elem())
	case *types.Map:
		to(key, t.Key())
		to(value, t.Elem())
	case *types.Signature:
		if yield, ok := t.Params().At(0).Type().Underlying().(*types.Signature); ok {
			for i, e := range []ast.Expr{key, value} {
				if i < yield.Params().Len() {
					to(e, yield.Params().At(i).Type())
				}
			}
		}
	}
}

// converted notes what a conversion lets others change that need not name its type.
func (w *stateWalker) converted(to, from types.Type) {
	switch u := to.Underlying().(type) {
	case *types.Pointer:
		w.u.wrote(u.Elem(), false, nil)
		w.u.wrote(deref(from), false, nil)
	case *types.Basic:
		if u.Kind() == types.UnsafePointer {
			w.u.wrote(deref(from), false, nil)
		}
	}
}

// reflected notes what e points to if it is converted, where it stands, to an interface: by that
// reflection changes it, as encoding/json does.
func (w *stateWalker) reflected(e ast.Expr) {
	tv, ok := w.c.info.Types[e]
	if !ok || !tv.IsValue() || tv.Type == nil {
		return
	}
	if results, ok := tv.Type.(*types.Tuple); ok {
		for i := range results.Len() {
			w.convertedTo(w.targetOf(e, i), results.At(i).Type())
		}
		return
	}
	r := rewriter{c: w.c, stack: w.stack}
	target, _ := r.target(e)
	if target == nil {
		target = w.targetOf(e, 0)
	}
	w.convertedTo(target, tv.Type)
}

// convertedTo notes the conversion of a value to an interface. What is an error is looked at by its
// methods; see changesErrors.
func (w *stateWalker) convertedTo(target, t types.Type) {
	if target == nil || !types.IsInterface(target) || types.IsInterface(t) || isError(target) {
		return
	}
	switch t.Underlying().(type) {
	case *types.Basic, *types.Signature:
		return
	}
	w.u.wrote(t, true, make(map[types.Type]bool))
}

// targetOf gives the type of what the i-th result of e becomes by a return of the function itself,
// by a call of which the results of e are the arguments, or by an assignment of all of them.
func (w *stateWalker) targetOf(e ast.Expr, i int) types.Type {
	if len(w.stack) == 0 {
		return nil
	}
	switch p := w.stack[len(w.stack)-1].(type) {
	case *ast.ReturnStmt:
		r := rewriter{c: w.c, stack: w.stack}
		sig := r.enclosing(len(w.stack) - 1)
		if sig == nil {
			sig = w.sig
		}
		if sig == nil {
			return nil
		}
		if len(p.Results) == sig.Results().Len() {
			i = slices.Index(p.Results, e)
		}
		if 0 <= i && i < sig.Results().Len() {
			return sig.Results().At(i).Type()
		}
	case *ast.CallExpr:
		sig, ok := w.c.info.TypeOf(p.Fun).Underlying().(*types.Signature)
		if ok && len(p.Args) == 1 {
			return paramAt(sig, i, false)
		}
	case *ast.AssignStmt:
		if len(p.Rhs) == 1 && i < len(p.Lhs) {
			return w.c.info.TypeOf(p.Lhs[i])
		}
	case *ast.ValueSpec:
		if p.Type != nil {
			return w.c.info.TypeOf(p.Type)
		}
	}
	return nil
}

// instantiated notes what a generic function or type may change of what it is instantiated with:
// values of it, by pointers to them; and what they point to, by reflection.
func (w *stateWalker) instantiated(id *ast.Ident, obj types.Object) {
	if obj.Pkg() == nil || onlyHolds[obj.Pkg().Path()] {
		return
	}
	for t := range w.c.info.Instances[id].TypeArgs.Types() {
		w.u.wrote(t, true, make(map[types.Type]bool))
	}
}

// onlyHolds has the packages of the standard library whose generic functions and types change
// slices, maps and pointers themselves, at most, none of which is immutable.
var onlyHolds = map[string]bool{
	"sync/atomic": true, "sync": true, "slices": true, "maps": true, "iter": true, "cmp": true,
	"unique": true, "weak": true,
}

// wrote notes that values of t are changed, with all that lies within them; through says that what
// they point to is, too.
func (u *stateUnit) wrote(t types.Type, through bool, seen map[types.Type]bool) {
	t = types.Unalias(t)
	if seen[t] {
		return
	}
	if seen != nil {
		seen[t] = true
	}
	if n, ok := t.(*types.Named); ok {
		u.writes[n.Obj()] = true
	}
	switch x := t.Underlying().(type) {
	case *types.Struct:
		for f := range x.Fields() {
			u.wrote(f.Type(), through, seen)
		}
	case *types.Array:
		u.wrote(x.Elem(), through, seen)
	case *types.Pointer:
		if through {
			u.wrote(x.Elem(), through, seen)
		}
	case *types.Slice:
		if through {
			u.wrote(x.Elem(), through, seen)
		}
	case *types.Map:
		if through {
			u.wrote(x.Key(), through, seen)
			u.wrote(x.Elem(), through, seen)
		}
	case *types.Chan:
		if through {
			u.wrote(x.Elem(), through, seen)
		}
	}
}
