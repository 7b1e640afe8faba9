package instrument

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// A value that has become an interface may be changed by code that does not name its type: by
// reflection, as encoding/json does.

// reflected notes what e points to if it is converted, where it stands, to an interface: by that
// reflection changes it, as encoding/json does.
func (w *stateWalker) reflected(e ast.Expr) {
	tv, ok := w.c.info.Types[e]
	if !ok || !tv.IsValue() || tv.Type == nil {
		return
	}
	w.noteTarget(e, tv.Type)
	if w.readsArguments(e) {
		return
	}
	w.conversions(e, tv.Type, w.convertedTo)
}

// conversions calls f for each value of e, of a type, with the type of what that becomes where e
// stands, nil if it stays what it is.
func (w *stateWalker) conversions(e ast.Expr, t types.Type, f func(target, t types.Type)) {
	if results, ok := t.(*types.Tuple); ok {
		for i := range results.Len() {
			f(w.targetOf(e, i), results.At(i).Type())
		}
		return
	}
	r := rewriter{c: w.c, stack: w.stack}
	target, _ := r.target(e)
	if target == nil {
		target = w.targetOf(e, 0)
	}
	f(target, t)
}

// convertedTo notes the conversion of a value to an interface. What is an error is looked at by its
// methods, until it becomes another interface; see changesErrors.
func (w *stateWalker) convertedTo(target, t types.Type) {
	switch {
	case target == nil || !types.IsInterface(target):
		return
	case types.IsInterface(t):
		w.u.reflects = w.u.reflects || implementsError(t) && !implementsError(target)
		return
	case isError(target):
		if _, unnamed := types.Unalias(deref(t)).(*types.Struct); unnamed {
			w.u.reflects = true // its type has no name to be found by
		}
		return
	}
	switch t.Underlying().(type) {
	case *types.Basic, *types.Signature:
		return
	}
	w.u.reflected(t, make(map[types.Type]bool))
}

// reflected notes that reflection may change what a value of t holds or points to: elements, and
// fields that are exported.
func (u *stateUnit) reflected(t types.Type, seen map[types.Type]bool) {
	t = types.Unalias(t)
	if seen[t] {
		return
	}
	seen[t] = true
	if n, ok := t.(*types.Named); ok && hasExported(t) {
		u.writes[n.Obj()] = true
	}
	switch x := t.Underlying().(type) {
	case *types.Struct:
		for f := range x.Fields() {
			if f.Exported() || f.Embedded() {
				u.reflected(f.Type(), seen)
			}
		}
	case *types.Array:
		u.reflected(x.Elem(), seen)
	case *types.Pointer:
		u.reflected(x.Elem(), seen)
	case *types.Slice:
		u.reflected(x.Elem(), seen)
	case *types.Map:
		u.reflected(x.Key(), seen)
		u.reflected(x.Elem(), seen)
	case *types.Chan:
		u.reflected(x.Elem(), seen)
	}
}

// hasExported reports whether reflection may change a part of a value of t.
func hasExported(t types.Type) bool {
	s, ok := t.Underlying().(*types.Struct)
	if !ok {
		return true
	}
	for f := range s.Fields() {
		if f.Exported() || f.Embedded() && hasExported(deref(f.Type())) {
			return true
		}
	}
	return false
}

// onlyRead has packages whose functions and methods only read what they are given as an interface,
// but for those that scan; errors.As sets no more than the variable that it is given.
var onlyRead = map[string]bool{
	"fmt": true, "log": true, "log/slog": true, "testing": true, "errors": true, modelPath: true,
	"github.com/stretchr/testify/assert":  true,
	"github.com/stretchr/testify/require": true,
}

// readsArguments reports whether the call that a value is handed to only reads it.
func (w *stateWalker) readsArguments(e ast.Expr) bool {
	fn := w.calledWith(e)
	return fn != nil && onlyRead[fn.Pkg().Path()] && !strings.Contains(fn.Name(), "can")
}

// calledWith returns the function of a package that e is an argument of, nil if there is none.
func (w *stateWalker) calledWith(e ast.Expr) *types.Func {
	i := len(w.stack) - 1
	for i >= 0 {
		if _, ok := w.stack[i].(*ast.ParenExpr); !ok {
			break
		}
		i--
	}
	if i < 0 {
		return nil
	}
	call, ok := w.stack[i].(*ast.CallExpr)
	if !ok || call.Fun == e {
		return nil
	}
	fn := callee(w.c.info, call)
	if fn == nil || fn.Pkg() == nil {
		return nil
	}
	return fn
}

// setsTarget has the functions of these that set what an argument points to, whatever its fields.
// Where that is the address of a variable, it counts as a write of that.
var setsTarget = map[string]bool{
	"As": true, "ErrorAs": true, "ErrorAsf": true, "NotErrorAs": true, "NotErrorAsf": true,
}

// noteTarget notes the change of what e points to by the call that it is handed to.
func (w *stateWalker) noteTarget(e ast.Expr, t types.Type) {
	if fn := w.calledWith(e); fn == nil || !onlyRead[fn.Pkg().Path()] || !setsTarget[fn.Name()] {
		return
	}
	if p, ok := types.Unalias(t).(*types.Pointer); ok && typeName(p) != nil {
		w.u.writes[typeName(p)] = true
	}
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
		if ok && len(p.Args) == 1 && p.Args[0] == e {
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

// ranged is conversions for what a loop assigns to variables.
func (w *stateWalker) ranged(n *ast.RangeStmt, f func(target, t types.Type)) {
	key, value := n.Key, n.Value
	to := func(e ast.Expr, t types.Type) {
		if e != nil {
			f(w.c.info.TypeOf(e), t)
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
