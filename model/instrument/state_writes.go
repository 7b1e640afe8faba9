package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
)

// What a package variable points to can be changed by code that does not mention the variable: by a
// method, or by a function that it is handed to. So the types are noted of whose values some code
// changes a part. A value changes by an assignment to a part of it, or by code that has got hold of
// the place of a part:
//
//   - its address, and that of an array which is sliced; what a method with a pointer receiver does
//     with its own is seen in the method, and assumed of the library's (packageState.written);
//   - a pointer to it that is converted: to another type, to unsafe.Pointer, or to an interface
//     that allows for reflection (state_reflect.go);
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
			w.ranged(n, w.convertedTo)
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			w.writes(n.X)
		}
	case *ast.SliceExpr:
		w.writes(n.X)
	case *ast.CallExpr:
		switch to := w.c.info.Types[n.Fun]; {
		case to.IsType() && len(n.Args) == 1:
			w.converted(to.Type, w.c.info.TypeOf(n.Args[0]))
		case to.IsBuiltin() && len(n.Args) > 0 && w.builtin(n) == "": // of package unsafe
			w.u.wrote(deref(w.c.info.TypeOf(n.Args[0])), false, nil)
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
			if at, ok := w.c.info.TypeOf(x.X).Underlying().(*types.Pointer); ok {
				w.u.wrote(at.Elem(), false, nil)
				return
			}
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
