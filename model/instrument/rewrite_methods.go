package instrument

import (
	"fmt"
	"go/ast"
	"go/types"
	"regexp"
	"strconv"
	"strings"
)

// methodValue rewrites x.M where it is a value, and the receiver of refused
// methods wherever they stand. The receiver is evaluated where it was.
func (r *rewriter) methodValue(n *ast.SelectorExpr, s *types.Selection) {
	o := r.ss.method(s.Obj().(*types.Func))
	if o.role == plainOp {
		o = r.testParam(s)
	}
	o, rv, ok := r.operand(s, n.Pos(), o)
	start := r.off(n.Pos())
	switch o.role {
	case hookedOp, dynOp:
		if !ok {
			r.elsewhere(n, s)
			return
		}
		inst := ""
		if o.role == dynOp {
			inst = "[" + o.iface + "]"
		}
		bind := r.hook(fmt.Sprintf("Bind%d%d", o.args, o.results))
		r.ed.front(start, fmt.Sprintf("%s%s(%s, %s", bind, inst, r.hook(o.hook), rv.amp+rv.star))
		r.closeCall(n.X.End(), n.End(), rv.path)
	case checkOp:
		if !ok {
			r.elsewhere(n, s)
			return
		}
		inst := ""
		if o.iface != "" {
			inst = "[" + o.iface + "]"
		}
		r.ed.front(start, r.hook("Held")+inst+"("+rv.amp)
		what := fmt.Sprintf(heldByInterface, n.Sel.Name)
		r.gap(n.X.End(), n.Sel.Pos(), rv.path+", "+strconv.Quote(n.Sel.Name)+", "+
			r.quoteWhere(n.Sel.Pos(), what)+").")
	case refuseOp, noteOp:
		if !ok && ofTest(s.Obj().(*types.Func)) && r.elsewhere(n, s) {
			return
		}
		if !ok {
			rv = recv{}
			if _, isPtr := s.Recv().Underlying().(*types.Pointer); o.ptr && !isPtr {
				rv.amp = "&"
			}
		}
		if r.guardMethod(n, s, o, rv) {
			return
		}
		before, after := r.guardText(n.Sel.Pos(), o)
		r.ed.front(start, before+rv.amp)
		r.gap(n.X.End(), n.Sel.Pos(), rv.path+after+".")
	}
}

// elsewhere leaves x.M to the explicit method of a type of another package, and refuses it if that
// is withdrawn. It reports whether there is one.
func (r *rewriter) elsewhere(n *ast.SelectorExpr, s *types.Selection) bool {
	explicit, not := r.ss.promotion(s.Recv(), n.Sel.Name)
	if !explicit && not != nil {
		r.refuse(n, n.Sel.Pos(), n.Sel.Name+" comes from a field that has no name here, and "+
			r.ss.inTheWay(not, n.Sel.Name)+": it is not modelled")
	}
	return explicit || not != nil
}

// guardMethod wraps a method that is not called at once, x.M, as a function of its receiver:
//
//	func(r T) func(A) B { return func(a A) B { return hook.Refused(r, "...").M(a) } }(x)
//
// It fails if that cannot be written here.
func (r *rewriter) guardMethod(n *ast.SelectorExpr, s *types.Selection, o op, rv recv) bool {
	sig, isFunc := r.c.info.TypeOf(n).(*types.Signature)
	if r.called(n) || !isFunc {
		return false
	}
	t := s.Recv()
	if _, last, ok := r.fieldPath(s); ok {
		t = last
	}
	if rv.amp != "" {
		t = types.NewPointer(t)
	}
	if !r.writable(t, n.Pos()) || !r.writable(sig, n.Pos()) {
		return false
	}
	recvText, _ := r.typeText(t)
	head, args := r.literal(sig)
	v := r.c.prefix + "r"
	before, after := r.guardText(n.Sel.Pos(), o)
	kind, _, _ := strings.Cut(head, " {")
	r.ed.front(r.off(n.Pos()), "func("+v+" "+recvText+") "+kind+" { return "+
		head+before+v+after+"."+n.Sel.Name+"("+args+") } }("+rv.amp)
	r.closeCall(n.X.End(), n.End(), rv.path)
	return true
}

// methodExpr rewrites T.M where it is a function, and reports whether to look
// at what stands below it.
func (r *rewriter) methodExpr(n *ast.SelectorExpr, s *types.Selection) bool {
	fn := s.Obj().(*types.Func)
	o := r.ss.method(fn)
	if o.role == plainOp {
		return true
	}
	promoted := len(s.Index()) > 1
	if explicit, _ := r.ss.promotion(s.Recv(), fn.Name()); explicit && promoted {
		return false
	}
	if ofTest(fn) {
		return r.testExpr(n, s)
	}
	switch {
	case o.role == refuseOp && o.hook != "": // which judges a receiver
		r.judgedExpr(n, o)
		return false
	case o.role == noteOp || o.role == refuseOp:
		r.guardFunc(n, r.c.info.TypeOf(n).(*types.Signature), o)
		return false
	case o.role == hookedOp && !promoted:
		text := r.hook(o.hook)
		if targs := types.Unalias(deref(s.Recv())).(*types.Named).TypeArgs(); targs != nil {
			arg, ok := r.typeText(targs.At(0))
			if !ok {
				r.refuse(n, n.Pos(), "this method expression is not modelled yet")
				return false
			}
			text += "[" + arg + "]"
		}
		r.gap(n.Pos(), n.End(), text)
		if tn := typeName(s.Recv()); tn != nil && tn.Pkg() != nil {
			r.keepType(n.X)
		}
	case o.role == dynOp && !promoted:
		v := r.c.prefix + "v"
		params, args, ret := "", v, ""
		switch {
		case fn.Name() == "Do" || fn.Name() == "Go":
			params, args = ", "+v+"0 func()", args+", "+v+"0"
		case fn.Name() == "Add":
			params, args = ", "+v+"0 int", args+", "+v+"0"
		case o.results == 1:
			params, ret = "", "return "
		}
		result := ""
		if o.results == 1 {
			result = " bool"
		}
		r.ed.front(r.off(n.Pos()), "func("+v+" ")
		r.gap(n.X.End(), n.End(), params+")"+result+" { "+ret+r.hook(o.hook)+"("+args+") }")
	default:
		reason := o.reason
		if reason == "" {
			reason = "this method expression is not modelled yet"
		}
		r.refuse(n, n.Pos(), reason)
	}
	return false
}

// judgedExpr rewrites T.M, as a function whose first parameter is judged when it is called.
func (r *rewriter) judgedExpr(n *ast.SelectorExpr, o op) {
	sig := r.c.info.TypeOf(n).(*types.Signature)
	if !r.writable(sig, n.Pos()) {
		r.refuse(n, n.Pos(), o.reason)
		return
	}
	head, args := r.literal(sig)
	recv, args, _ := strings.Cut(args, ", ")
	before, after := r.guardText(n.Sel.Pos(), o)
	r.gap(n.Pos(), n.End(), "("+head+before+recv+after+"."+n.Sel.Name+"("+args+") })")
	r.keepType(n.X)
}

// keepType notes the imports that a dropped type expression used.
func (r *rewriter) keepType(e ast.Expr) {
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok {
			return true
		}
		var pkg *types.Package
		switch obj := r.c.info.Uses[id].(type) {
		case *types.PkgName:
			pkg = obj.Imported()
		case *types.TypeName:
			pkg = obj.Pkg()
		}
		if pkg != nil && keepTypes[pkg.Path()] != "" {
			r.keep[pkg.Path()] = true
		}
		return true
	})
}

// typeText writes a type as this file can, adding imports if need be. It fails
// for types that have no name here.
func (r *rewriter) typeText(t types.Type) (string, bool) {
	const mark = "\x00" // before the path of a package of which hook has types, and behind it
	text := types.TypeString(t, func(p *types.Package) string {
		switch {
		case p == r.c.pkg:
			return ""
		case hookedTypes[p.Path()] != nil:
			return mark + p.Path() + mark
		}
		return r.importName(p.Path())
	})
	parts := strings.Split(text, mark)
	for i := 1; i < len(parts); i += 2 {
		name := qualified.FindString(parts[i+1])
		switch {
		case hookedTypes[parts[i]][strings.TrimPrefix(name, ".")]:
			parts[i] = strings.TrimSuffix(r.hook(""), ".")
		default:
			if parts[i] = r.importName(parts[i]); parts[i] == "" {
				parts[i+1] = strings.TrimPrefix(parts[i+1], ".")
			}
		}
	}
	return strings.Join(parts, ""), r.nameable(t)
}

// qualified is a name behind that of its package.
var qualified = regexp.MustCompile(`^\.\w+`)

// nameable reports whether a type can be written in this file.
func (r *rewriter) nameable(t types.Type) bool {
	ok := true
	visitNames(t, func(tn *types.TypeName) {
		if tn.Pkg() == nil || tn.Pkg() == r.c.pkg {
			return
		}
		if !tn.Exported() || tn.Parent() != tn.Pkg().Scope() {
			ok = false
		}
	})
	return ok
}

// importName returns the name under which this file imports a package, adding
// the import if need be; "" for an import whose names stand alone.
func (r *rewriter) importName(path string) string {
	for _, spec := range r.src.ast.Imports {
		if spec.Path.Value != `"`+path+`"` && spec.Path.Value != "`"+path+"`" {
			continue
		}
		obj := r.c.info.Implicits[spec]
		if spec.Name != nil {
			if spec.Name.Name == "_" {
				continue
			}
			if spec.Name.Name == "." {
				return ""
			}
			obj = r.c.info.Defs[spec.Name]
		}
		if obj != nil {
			return obj.Name()
		}
	}
	name := r.imports[path]
	if name == "" {
		name = fmt.Sprintf("%si%d", r.c.prefix, len(r.imports))
		r.imports[path] = name
	}
	return name
}

// visitNames calls f for every defined type that is part of t's text.
func visitNames(t types.Type, f func(*types.TypeName)) {
	switch t := t.(type) {
	case *types.Alias:
		f(t.Obj())
		for a := range listTypes(t.TypeArgs()) {
			visitNames(a, f)
		}
	case *types.Named:
		f(t.Obj())
		for a := range listTypes(t.TypeArgs()) {
			visitNames(a, f)
		}
	case interface{ Elem() types.Type }: // pointer, slice, array, channel, map
		if m, ok := t.(*types.Map); ok {
			visitNames(m.Key(), f)
		}
		visitNames(t.Elem(), f)
	case *types.Signature:
		visitNames(t.Params(), f)
		visitNames(t.Results(), f)
	case *types.Tuple:
		for v := range t.Variables() {
			visitNames(v.Type(), f)
		}
	case *types.Struct:
		for v := range t.Fields() {
			visitNames(v.Type(), f)
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			visitNames(m.Type(), f)
		}
		for e := range t.EmbeddedTypes() {
			visitNames(e, f)
		}
	}
}

func listTypes(l *types.TypeList) func(func(types.Type) bool) {
	return func(yield func(types.Type) bool) {
		if l == nil {
			return
		}
		for t := range l.Types() {
			if !yield(t) {
				return
			}
		}
	}
}
