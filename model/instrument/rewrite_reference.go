package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"github.com/surewake/surewake/model/stdlib"
)

// selector rewrites what is not the function of a call: references to
// functions of packages, method values and method expressions.
func (r *rewriter) selector(n *ast.SelectorExpr) bool {
	if id, ok := n.X.(*ast.Ident); ok {
		if _, ok := r.c.info.Uses[id].(*types.PkgName); ok {
			r.done[id] = true
			switch obj := r.c.info.Uses[n.Sel].(type) {
			case *types.Func:
				r.funcRef(n, id, obj)
			case *types.Var:
				r.libraryVar(n, obj)
			case *types.TypeName:
				r.typeRef(id, n.Sel, obj)
			}
			return true
		}
	}
	s := r.c.info.Selections[n]
	if s == nil {
		return true
	}
	switch s.Kind() {
	case types.MethodVal:
		r.methodValue(n, s)
	case types.MethodExpr:
		return r.methodExpr(n, s)
	}
	return true
}

// funcRef rewrites a reference to a function: e is the whole expression, qual
// the package's name in it, nil for an identifier on its own.
func (r *rewriter) funcRef(e ast.Expr, qual *ast.Ident, fn *types.Func) {
	o := r.ss.function(fn)
	switch o.role {
	case hookedOp:
		// hook has the function, as a rule under the same name: then only
		// the package changes.
		switch {
		case o.hook != fn.Name():
			r.gap(e.Pos(), e.End(), r.hook(o.hook))
			r.done[e] = true
		case qual != nil:
			r.ed.replace(r.off(qual.Pos()), r.off(qual.End()), strings.TrimSuffix(r.hook(""), "."))
		default:
			r.ed.front(r.off(e.Pos()), r.hook(""))
		}
		r.keep[fn.Pkg().Path()] = true
	case refuseOp, noteOp:
		if hook := generators[fn.Pkg().Path()]; hook != "" && o.class == stdlib.Random &&
			fn.Signature().TypeParams() == nil {
			o.hook = hook
			before, after := r.guardText(e.Pos(), o)
			r.ed.front(r.off(e.Pos()), before)
			r.ed.behind(r.off(e.End()), after+"."+fn.Name())
			return
		}
		if fn.Signature().TypeParams() == nil {
			r.guardFunc(e, fn.Signature(), o)
			return
		}
		r.guardGeneric(e, o)
	}
}

// typeRef rewrites the name of a type that hook has instead: qual is the package's name in it, nil
// for an identifier on its own.
func (r *rewriter) typeRef(qual, id *ast.Ident, tn *types.TypeName) {
	if !isHookedType(tn) {
		return
	}
	r.keep[tn.Pkg().Path()] = true
	if qual != nil {
		r.gap(qual.Pos(), qual.End(), strings.TrimSuffix(r.hook(""), "."))
	} else {
		r.ed.front(r.off(id.Pos()), r.hook(""))
	}
}

// guardGeneric refuses or notes a reference to a generic function, which is no value until it is
// instantiated. If it is called there, the first argument is wrapped instead; else it is wrapped
// with its types.
func (r *rewriter) guardGeneric(e ast.Expr, o op) {
	i := len(r.stack) - 1
	fun := e
	for ; i >= 0; i-- {
		switch p := r.stack[i].(type) {
		case *ast.ParenExpr, *ast.IndexExpr, *ast.IndexListExpr:
			fun = p.(ast.Expr)
			continue
		case *ast.CallExpr:
			if p.Fun == fun && len(p.Args) > 0 {
				switch {
				case o.hook == "NoCleanup":
					r.calledWith(e, p, o.hook, o)
				case o.hook != "Ranged":
					r.guard(p.Args[0], e.Pos(), o)
				case !r.sortedAtOnce(p) && !r.callbackOrderFree(p): // maps.Keys: hook.MapKeys
					r.calledWith(e, p, "Map"+strings.TrimPrefix(o.name, "maps."), o)
				}
				return
			}
		}
		break
	}
	switch o.hook {
	case "Ranged":
		o.hook = "Outside" // there is no map yet whose size would count
	case "NoCleanup":
		reason := o.name + " is modelled where it is called only"
		o = op{role: refuseOp, name: o.name, reason: reason}
	}
	inst, ok := r.instance(e)
	if !ok {
		r.fail(e.Pos(), "%s, with types that have no name here, is used other than in a call", o.name)
		return
	}
	before, after := r.guardText(e.Pos(), o)
	r.ed.front(r.off(e.Pos()), before)
	if fun == e {
		after = inst + after
	}
	r.ed.behind(r.off(fun.End()), after)
}

// calledWith replaces the function of a call by a hook that is also told an assumption and a site.
func (r *rewriter) calledWith(fun ast.Expr, call *ast.CallExpr, hook string, o op) {
	_, after := r.guardText(fun.Pos(), o)
	r.gap(fun.Pos(), fun.End(), r.hook(hook))
	r.done[fun] = true
	path, _, _ := strings.Cut(o.name, ".")
	r.keep[path] = true
	last := call.Args[len(call.Args)-1]
	r.ed.behind(r.off(last.End()), strings.TrimSuffix(after, ")"))
}

// instance writes the types that the generic function e stands for here, in brackets.
func (r *rewriter) instance(e ast.Expr) (string, bool) {
	id, ok := e.(*ast.Ident)
	if sel, isSel := e.(*ast.SelectorExpr); isSel {
		id, ok = sel.Sel, true
	}
	if !ok {
		return "", false
	}
	var texts []string
	for t := range r.c.info.Instances[id].TypeArgs.Types() {
		text, ok := r.typeText(t)
		if !ok || !r.writable(t, e.Pos()) {
			return "", false
		}
		texts = append(texts, text)
	}
	return "[" + strings.Join(texts, ", ") + "]", true
}

// A recv is the receiver of a method as an explicit operand.
type recv struct {
	amp  string // "&" in front if the operand is a variable and a pointer is wanted
	star string // "*" in front if it is the other way round
	path string // the embedded fields behind it
}

// receiver spells out the embedded fields through which a method is promoted.
// It fails if they cannot be named here; the type that has them is then in
// another package, and has an explicit method in its place if none was withdrawn.
func (r *rewriter) receiver(s *types.Selection, ptr bool) (recv, bool) {
	path, last, ok := r.fieldPath(s)
	if !ok {
		return recv{}, false
	}
	rv := recv{path: path}
	switch _, isPtr := last.Underlying().(*types.Pointer); {
	case ptr && !isPtr:
		rv.amp = "&"
	case !ptr && isPtr:
		rv.star = "*"
	}
	return rv, true
}

// operand gives the receiver of a method and what becomes of it there. If the fields cannot be
// named and no explicit method is in their place, hook finds them as it does behind an interface.
func (r *rewriter) operand(s *types.Selection, at token.Pos, o op) (op, recv, bool) {
	rv, ok := r.receiver(s, o.ptr)
	if ok || o.role != hookedOp && o.role != dynOp && o.role != checkOp {
		return o, rv, ok
	}
	fn := s.Obj().(*types.Func)
	if explicit, not := r.ss.promotion(s.Recv(), fn.Name()); explicit || not == nil {
		return o, rv, false
	}
	found := interfaceMethod(fn, fn.Signature())
	switch {
	case found.role == checkOp && r.writable(s.Type(), at):
		sig, _ := r.typeText(s.Type())
		found.iface = "interface{ " + fn.Name() + strings.TrimPrefix(sig, "func") + " }"
	case found.role != dynOp:
		return o, rv, false
	}
	if types.NewMethodSet(s.Recv()).Lookup(fn.Pkg(), fn.Name()) == nil {
		rv.amp = "&"
	}
	return found, rv, true
}

// fieldPath returns the selectors of the embedded fields that lead to the
// method, and the type at their end.
func (r *rewriter) fieldPath(s *types.Selection) (path string, last types.Type, ok bool) {
	return fieldPath(s, r.c.pkg)
}

// fieldPath is that for any package.
func fieldPath(s *types.Selection, pkg *types.Package) (path string, last types.Type, ok bool) {
	last = s.Recv()
	index := s.Index()
	for _, i := range index[:len(index)-1] {
		if isTest(last) {
			break // what it embeds has no name here
		}
		st, isStruct := deref(last).Underlying().(*types.Struct)
		if !isStruct {
			return "", nil, false
		}
		f := st.Field(i)
		if !f.Exported() && f.Pkg() != pkg {
			return "", nil, false
		}
		path += "." + f.Name()
		last = f.Type()
	}
	return path, last, true
}

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}
