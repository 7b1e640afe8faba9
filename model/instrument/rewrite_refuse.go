package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/surewake/surewake/model/stdlib"
)

// classified gives what becomes of a function or method that no hook stands for: name is
// Function or Type.Method.
func (ss *session) classified(fn *types.Func, name string, ptr bool) op {
	pkg := fn.Pkg()
	if p := ss.l.pkgs[pkg.Path()]; p != nil && p.Standard {
		return library(pkg.Path(), name, ptr)
	}
	full := pkg.Path() + "." + name
	if why := ss.unwritten(pkg); why != "" {
		return op{role: refuseOp, ptr: ptr,
			reason: shortName(full) + " is in a package that is not rewritten: " + why}
	}
	return ss.bodyless(fn, full, ptr)
}

// finders has the methods that find methods, and the hooks that judge what they find.
var finders = map[string]string{
	"reflect.Value.Method": "ReflectedValue", "reflect.Value.MethodByName": "ReflectedValue",
	"reflect.Value.Methods": "ReflectedValue",
	"reflect.Type.Method":   "ReflectedType", "reflect.Type.MethodByName": "ReflectedType",
	"reflect.Type.Methods": "ReflectedType",
}

// library gives what becomes of what the standard library declares as pkg.name.
func library(pkg, name string, ptr bool) op {
	full := pkg + "." + name
	class := stdlib.Lookup(full)
	text := class.Assumed()
	switch {
	case class == stdlib.Own:
		return op{role: refuseOp, ptr: ptr, hook: "RefusedOfLibrary",
			reason: shortName(full) + " is not modelled"}
	case finders[full] != "":
		return op{role: refuseOp, hook: finders[full],
			reason: "what " + full + " finds here is not modelled"}
	case class == stdlib.Refuse || class == stdlib.Model:
		return op{role: refuseOp, ptr: ptr, reason: shortName(full) + " is not modelled"}
	case text == "":
		return op{}
	}
	o := op{
		role: noteOp, ptr: ptr, hook: "Outside",
		reason: text, name: shortName(full), class: class,
	}
	switch {
	case class == stdlib.Process:
		o.hook = "Process"
	case class == stdlib.Env || class == stdlib.Global:
		o.hook = "Global"
	case class.Concurrent():
		o.hook = "Shared"
	case class == stdlib.Order && pkg == "maps":
		o.hook = "Ranged" // the argument is the map
	}
	return o
}

// libraryVar refuses or notes the use of a variable of the standard library. One that is assigned
// to, or of which the address is taken, is left alone.
func (r *rewriter) libraryVar(n *ast.SelectorExpr, v *types.Var) {
	if !r.ofLibrary(v) || r.changed[n] {
		return
	}
	o := library(v.Pkg().Path(), v.Name(), false)
	if o.role == plainOp {
		return
	}
	if p, ok := r.parent().(*ast.UnaryExpr); ok && p.Op == token.AND {
		return
	}
	r.guard(n, n.Pos(), o)
}

// ofLibrary reports whether v is a variable of a package of the standard library.
func (r *rewriter) ofLibrary(v *types.Var) bool {
	if v == nil || v.IsField() || v.Pkg() == nil || v.Pkg() == r.c.pkg {
		return false
	}
	p := r.ss.l.pkgs[v.Pkg().Path()]
	return p != nil && p.Standard
}

// libraryAssign notes what changes variables of the standard library, which outlive the execution:
// os.Args[0] = "" becomes (*hook.Global(&os.Args, ...))[0] = "".
func (r *rewriter) libraryAssign(places ...ast.Expr) {
	for _, e := range places {
		root, v := r.root(e)
		if !r.ofLibrary(v) {
			continue
		}
		if root != e && refusedVar(v) {
			continue // libraryVar refuses what is done with it
		}
		r.changed[root] = true
		before, after := r.guardText(root.Pos(), r.changes(v))
		r.ed.front(r.off(root.Pos()), "(*"+before+"&")
		r.ed.behind(r.off(root.End()), after+")")
	}
}

// libraryAddress notes that a variable of the standard library may be changed by its address.
func (r *rewriter) libraryAddress(n *ast.UnaryExpr) {
	root, v := r.root(n.X)
	if n.Op == token.AND && r.ofLibrary(v) && (root == n.X || !refusedVar(v)) {
		r.changed[root] = true
		r.guard(n, n.Pos(), r.changes(v))
	}
}

func refusedVar(v *types.Var) bool {
	return library(v.Pkg().Path(), v.Name(), false).role == refuseOp
}

// libraryBuiltin notes that a builtin function changes what a variable of the standard library
// holds.
func (r *rewriter) libraryBuiltin(n *ast.CallExpr) {
	id, ok := ast.Unparen(n.Fun).(*ast.Ident)
	if !ok {
		return
	}
	b, ok := r.c.info.Uses[id].(*types.Builtin)
	if !ok || len(n.Args) == 0 {
		return
	}
	if s, ok := ast.Unparen(n.Args[0]).(*ast.SliceExpr); changing[b.Name()] ||
		b.Name() == "append" && ok && s.High != nil { // else the rest of its memory is nobody's
		r.libraryAssign(n.Args[0])
	}
}

var changing = map[string]bool{"clear": true, "copy": true, "delete": true}

func (r *rewriter) changes(v *types.Var) op {
	return op{role: noteOp, hook: "Global", reason: stdlib.Global.Assumed(),
		name: shortName(v.Pkg().Path() + "." + v.Name())}
}

// root returns the variable whose value a place lies in or is reached from, and where it stands.
func (r *rewriter) root(place ast.Expr) (ast.Expr, *types.Var) {
	for {
		switch e := place.(type) {
		case *ast.ParenExpr:
			place = e.X
		case *ast.IndexExpr:
			place = e.X
		case *ast.SliceExpr:
			place = e.X
		case *ast.StarExpr:
			place = e.X
		case *ast.CallExpr: // a conversion
			if !r.c.info.Types[e.Fun].IsType() || len(e.Args) != 1 {
				return nil, nil
			}
			place = e.Args[0]
		case *ast.SelectorExpr:
			if v, ok := r.c.info.Uses[e.Sel].(*types.Var); ok && !v.IsField() {
				return e, v
			}
			place = e.X
		case *ast.Ident:
			v, _ := r.c.info.Uses[e].(*types.Var)
			return e, v
		default:
			return nil, nil
		}
	}
}

// bodyless refuses a function written in assembly or linked from elsewhere, but for what is
// modelled: it may wait or touch shared memory, and nothing can be put inside.
func (ss *session) bodyless(fn *types.Func, name string, ptr bool) op {
	if d, ok := ss.decls[fn.Origin()]; ok && d.decl.Body == nil {
		if o := ss.linked(fn, d); o.role != plainOp {
			return o
		}
		return op{role: refuseOp, ptr: ptr, reason: shortName(name) + " has no body in Go"}
	}
	return op{}
}

// unwritten says why calls into a package outside the standard library are
// refused, "" if they are not: the checker's own packages may be called, they
// know where they run.
func (ss *session) unwritten(pkg *types.Package) string {
	p := ss.l.pkgs[pkg.Path()]
	if p == nil || p.Standard || p.engine() {
		return ""
	}
	if ok, why := ss.rewritable(p); !ok {
		return why
	}
	return ""
}

// shortName drops the directories of an import path, and a version at its end.
func shortName(name string) string {
	dir, base := path.Split(name)
	if _, rest, ok := strings.Cut(base, "."); ok && majorVersion.MatchString(base) {
		base = path.Base(dir) + "." + rest
	}
	return base
}

var majorVersion = regexp.MustCompile(`^v[0-9]+\.`)

// isChan reports whether e is a channel, possibly behind a type parameter.
func (r *rewriter) isChan(e ast.Expr) bool {
	t := r.c.info.TypeOf(e)
	if t == nil {
		return false
	}
	if _, ok := t.Underlying().(*types.Chan); ok {
		return true
	}
	tp, ok := types.Unalias(t).(*types.TypeParam)
	if !ok {
		return false
	}
	found := false
	typeSet(tp, func(u types.Type) {
		_, isChan := u.Underlying().(*types.Chan)
		found = found || isChan
	})
	return found
}

// typeSet calls f for each term of a type parameter's constraint.
func typeSet(tp *types.TypeParam, f func(types.Type)) {
	iface, ok := tp.Constraint().Underlying().(*types.Interface)
	if !ok {
		return
	}
	var visit func(t types.Type)
	visit = func(t types.Type) {
		switch t := t.(type) {
		case *types.Union:
			for i := range t.Len() {
				visit(t.Term(i).Type())
			}
		default:
			if it, ok := t.Underlying().(*types.Interface); ok {
				for i := range it.NumEmbeddeds() {
					visit(it.EmbeddedType(i))
				}
				return
			}
			f(t)
		}
	}
	visit(iface)
}

// refuse wraps an expression so that evaluating it inside a check fails the
// check.
func (r *rewriter) refuse(e ast.Expr, at token.Pos, reason string) {
	r.guard(e, at, op{role: refuseOp, reason: reason})
}

// guard wraps an expression so that evaluating it inside a check is refused, or noted.
func (r *rewriter) guard(e ast.Expr, at token.Pos, o op) {
	before, after := r.guardText(at, o)
	r.ed.front(r.off(e.Pos()), before)
	r.ed.behind(r.off(e.End()), after)
}

// called reports whether e, which is being visited, is called where it stands. The function of a
// go or defer statement is called later than it is evaluated.
func (r *rewriter) called(e ast.Expr) bool {
	call, ok := r.parent().(*ast.CallExpr)
	if !ok || call.Fun != e {
		return false
	}
	switch r.stack[len(r.stack)-2].(type) {
	case *ast.GoStmt, *ast.DeferStmt:
		return false
	}
	return true
}

// guardFunc wraps a function. One that is not called at once, os.Exit say, becomes
// func(code int) { hook.Refused(os.Exit, "...")(code) }: what counts is where it is called.
func (r *rewriter) guardFunc(e ast.Expr, sig *types.Signature, o op) {
	if r.called(e) || !r.writable(sig, e.Pos()) {
		r.guard(e, e.Pos(), o)
		return
	}
	head, args := r.literal(sig)
	before, after := r.guardText(e.Pos(), o)
	if r.ss.l.race {
		before, after = r.hook(calledHere)+"("+before, after+")"
	}
	r.ed.front(r.off(e.Pos()), head+before)
	r.ed.behind(r.off(e.End()), after+"("+args+") }")
}

// writable reports whether a type can be written at a position: its packages can be imported, and
// their names there are no variables.
func (r *rewriter) writable(t types.Type, pos token.Pos) bool {
	ok := r.nameable(t)
	visitNames(t, func(tn *types.TypeName) {
		if tn.Pkg() == nil || tn.Pkg() == r.c.pkg || !ok {
			return
		}
		path := tn.Pkg().Path()
		if strings.HasPrefix(path, "internal/") || strings.Contains(path, "/internal") {
			ok = false
			return
		}
		for _, spec := range r.src.ast.Imports {
			if spec.Path.Value != strconv.Quote(path) {
				continue
			}
			name := r.importName(path)
			_, obj := r.c.info.Scopes[r.src.ast].Innermost(pos).LookupParent(name, pos)
			if _, isPkg := obj.(*types.PkgName); !isPkg && name != "" {
				ok = false
			}
		}
	})
	return ok
}

// literal gives the beginning of a function literal that calls a function of a signature, and the
// arguments of that call.
func (r *rewriter) literal(sig *types.Signature) (head, args string) {
	params, names, _ := r.paramText(sig)
	results, ret := "", " "
	if sig.Results().Len() > 0 {
		results, _ = r.typeText(sig.Results())
		ret = " return "
	}
	return "func(" + params + ") " + results + " {" + ret, variadic(names, sig)
}

// guardText gives what stands before and after a wrapped expression.
func (r *rewriter) guardText(at token.Pos, o op) (before, after string) {
	if o.role == refuseOp {
		name := "Refused"
		if o.hook != "" {
			name = o.hook
		}
		return r.hook(name) + "(", ", " + r.quoteWhere(at, o.reason) + ")"
	}
	if o.reason == "" {
		return r.hook(o.hook) + "(", ")"
	}
	site := r.ss.where(r.c, at)
	site = site[:strings.LastIndexByte(site, ':')] // without the column
	after = ", " + strconv.Quote(o.reason) + ", " + strconv.Quote(o.name+" "+site) + ")"
	return r.hook(o.hook) + "(", after
}

// refuseChan refuses an operation on channel ch.
func (r *rewriter) refuseChan(ch ast.Expr, at token.Pos, what string) {
	r.refuse(ch, at, what+" is not modelled")
}
