package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// silent has the packages of the standard library whose calls synchronize nothing that the race
// detector sees: they have no locks, pools, atomics or caches, or the checker has hooks for those
// that they have.
var silent = map[string]bool{
	"bytes": true, "cmp": true, "container/heap": true, "container/list": true,
	"container/ring": true, "context": true, "errors": true, "io": true, "iter": true,
	"maps": true, "math": true, "math/bits": true, "runtime": true, "slices": true, "sort": true,
	"strconv": true, "strings": true, "sync": true, "sync/atomic": true, "unicode": true,
	"unicode/utf16": true, "unicode/utf8": true, "unsafe": true,
}

// usesForeign reports whether a file uses functions or methods that are not rewritten and may
// synchronize: the race detector takes their real locks and pools for an order of what is around
// the calls. Tests run inside a check neither T.Run nor T.Parallel.
func (ss *session) usesForeign(c *checked, f *source) (foreign bool) {
	ast.Inspect(f.ast, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || foreign {
			return !foreign
		}
		fn, ok := c.info.Uses[id].(*types.Func)
		foreign = ok && ss.foreign(fn)
		return !foreign
	})
	return foreign
}

// foreign reports whether fn is not rewritten and may synchronize.
func (ss *session) foreign(fn *types.Func) bool {
	if fn.Pkg() == nil {
		return false
	}
	p := ss.l.pkgs[fn.Pkg().Path()]
	switch path := fn.Pkg().Path(); {
	case p == nil || p.engine():
		return false
	case p.Standard:
		return !silent[path] && !modelledTime(path, fn) && !outsideBody(path, fn)
	}
	return ss.unwritten(fn.Pkg()) != ""
}

// modelledTime reports whether fn is of package time and does not format or load a location.
func modelledTime(path string, fn *types.Func) bool {
	switch fn.Name() {
	case "Format", "AppendFormat", "String", "GoString", "LoadLocation", "Parse", "ParseInLocation",
		"Local", "Date", "Zone":
		return false
	}
	return path == "time"
}

// outsideBody reports whether fn is a method of testing.T that the body of a check cannot call.
func outsideBody(path string, fn *types.Func) bool {
	return path == "testing" && (fn.Name() == "Run" || fn.Name() == "Parallel")
}

// foreignMarks has what a binary with the race detector is to note of the goroutines that may run
// code that is not rewritten.
type foreignMarks struct {
	around  map[ast.Expr]string  // operands that are to be wrapped, with the name of the hook
	begins  map[ast.Node][2]bool // functions that begin with ForeignHere, with ForeignAnywhere
	initial bool                 // a foreign function is a value outside of functions
}

// The hooks that note it.
const (
	foreignHere, foreignAnywhere = "ForeignHere", "ForeignAnywhere"
	calledHere, calledAnywhere   = "CalledHere", "CalledAnywhere"
)

// markForeign wraps e if it is an operand that may hold foreign code. It is called before all other
// edits of e, so that what they make of e is inside.
func (r *rewriter) markForeign(e ast.Expr) {
	if hook := r.foreign.around[e]; hook != "" {
		r.ed.front(r.off(e.Pos()), r.hook(hook)+"(")
		r.ed.behind(r.off(e.End()), ")")
	}
	var id *ast.Ident
	switch x := e.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return
	}
	fn, ok := r.c.info.Uses[id].(*types.Func)
	if !ok || !r.ss.l.race || r.isFun(e) {
		return
	}
	s := r.selection(e)
	if s != nil && overInterface(fn) {
		if s.Kind() == types.MethodVal && types.IsInterface(s.Recv()) {
			r.wrapForeign(e.(*ast.SelectorExpr).X, calledAnywhere)
		} else {
			r.beginForeign(foreignAnywhere)
		}
	} else if r.ss.foreign(fn) && !r.knownByItself(fn, s) {
		r.beginForeign(foreignAnywhere)
	}
}

// knownByItself reports whether foreign code that is not called where it is named shows itself when
// it is called (IsForeign). What is wrapped in a function literal does, too (guardFunc); a method
// that is promoted, or bound in a literal, does not.
func (r *rewriter) knownByItself(fn *types.Func, s *types.Selection) bool {
	if fn.Signature().Recv() == nil {
		return fn.Signature().TypeParams() == nil && generators[fn.Pkg().Path()] == ""
	}
	return s != nil && s.Kind() == types.MethodVal && len(s.Index()) == 1 && r.role(fn) == plainOp
}

func (r *rewriter) selection(e ast.Expr) *types.Selection {
	if sel, ok := e.(*ast.SelectorExpr); ok {
		return r.c.info.Selections[sel]
	}
	return nil
}

// isFun reports whether e, which is being visited, is what a call calls.
func (r *rewriter) isFun(e ast.Expr) bool {
	for i := len(r.stack) - 1; i >= 0; i-- {
		switch p := r.stack[i].(type) {
		case *ast.ParenExpr:
			e = p
			continue
		case *ast.IndexExpr:
			if p.X == e {
				e = p
				continue
			}
		case *ast.IndexListExpr:
			if p.X == e {
				e = p
				continue
			}
		case *ast.CallExpr:
			return p.Fun == e
		}
		return false
	}
	return false
}

// overInterface reports whether fn is a method of an interface or of a type parameter.
func overInterface(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	return recv != nil && types.IsInterface(recv.Type())
}

// wrapForeign has e wrapped when it is visited.
func (r *rewriter) wrapForeign(e ast.Expr, hook string) {
	if r.foreign.around == nil {
		r.foreign.around = make(map[ast.Expr]string)
	}
	if r.foreign.around[e] != calledAnywhere {
		r.foreign.around[e] = hook
	}
}

// beginForeign puts a call of a hook at the beginning of the function that is being visited, where
// foreign code is used in a way that cannot be marked by itself. Outside of functions nothing runs
// beside it.
func (r *rewriter) beginForeign(hook string) {
	for i := len(r.stack) - 1; i >= 0; i-- {
		var body *ast.BlockStmt
		switch f := r.stack[i].(type) {
		case *ast.FuncDecl:
			body = f.Body
		case *ast.FuncLit:
			body = f.Body
		default:
			continue
		}
		if r.foreign.begins == nil {
			r.foreign.begins = make(map[ast.Node][2]bool)
		}
		begins, k := r.foreign.begins[body], 0
		if hook == foreignAnywhere {
			k = 1
		}
		if !begins[k] {
			begins[k] = true
			r.foreign.begins[body] = begins
			r.ed.behind(r.off(body.Lbrace+1), r.hook(hook)+"();")
		}
		return
	}
	r.foreign.initial = r.foreign.initial || hook == foreignAnywhere
}

// foreignRange marks a loop over a function, which calls it.
func (r *rewriter) foreignRange(n *ast.RangeStmt) {
	if r.ss.l.race && isFunc(r.c.info.TypeOf(n.X)) && !r.staysInCall(n.X) {
		r.wrapForeign(n.X, calledHere)
	}
}

// isFunc reports whether a value of type t is a function, possibly behind a type parameter.
func isFunc(t types.Type) bool {
	if tp, ok := types.Unalias(t).(*types.TypeParam); ok {
		found := false
		typeSet(tp, func(u types.Type) { found = found || isFunc(u) })
		return found
	}
	_, ok := t.Underlying().(*types.Signature)
	return ok
}

// foreignCall marks, in a binary with the race detector, a call that may run foreign code.
func (r *rewriter) foreignCall(n *ast.CallExpr) {
	fun := ast.Unparen(n.Fun)
	_, isLit := fun.(*ast.FuncLit)
	if tv := r.c.info.Types[n.Fun]; !r.ss.l.race || isLit || tv.IsType() || tv.IsBuiltin() {
		return
	}
	_, isGo := r.parent().(*ast.GoStmt)
	called, here := calledHere, foreignHere
	if isGo {
		called, here = calledAnywhere, foreignAnywhere
	}
	fn := callee(r.c.info, n)
	switch {
	case fn == nil:
		r.wrapForeign(n.Fun, called)
	case overInterface(fn):
		if r.role(fn) == dynOp { // of package sync, or rewritten
			r.handedOver(n, "", calledAnywhere)
			break
		}
		s := r.selection(fun)
		if s != nil && s.Kind() == types.MethodVal && types.IsInterface(s.Recv()) {
			r.wrapForeign(fun.(*ast.SelectorExpr).X, called)
		} else {
			r.beginForeign(here)
		}
	case r.ss.foreign(fn) || fn.Pkg() != nil && fn.Pkg().Path() == "io":
		if !r.modelled(fn) && (isGo || !r.pausable(fn) || !r.pauseBefore(n)) {
			r.beginForeign(here)
		}
		r.handedOver(n, "", calledAnywhere)
	case r.ss.outside(fn.Pkg()):
		funcs := called
		if p := r.ss.l.pkgs[fn.Pkg().Path()]; p.engine() || r.role(fn) == hookedOp {
			funcs = calledAnywhere // a goroutine that is started, or a timer
		}
		r.handedOver(n, called, funcs)
	}
}

// outside reports whether a package is not rewritten: of the standard library, or of the checker.
func (ss *session) outside(pkg *types.Package) bool {
	if pkg == nil {
		return false
	}
	p := ss.l.pkgs[pkg.Path()]
	return p != nil && (p.Standard || p.engine())
}

// handedOver marks the arguments of a call that is not rewritten: functions with the hook funcs,
// what becomes an interface with the hook values, if that is not "".
func (r *rewriter) handedOver(n *ast.CallExpr, values, funcs string) {
	sig, ok := r.c.info.TypeOf(n.Fun).Underlying().(*types.Signature)
	for i, arg := range n.Args {
		t := r.c.info.TypeOf(arg)
		if several, ok := t.(*types.Tuple); ok && holdsForeign(several, values != "") {
			r.beginForeign(foreignAnywhere)
		}
		if !ok || t == nil || !r.wrappable(arg) {
			continue
		}
		switch {
		case isFunc(t):
			r.wrapForeign(arg, funcs)
		case values != "" && types.IsInterface(parameter(sig, i, n.Ellipsis.IsValid())):
			r.wrapForeign(arg, values)
		}
	}
}

// holdsForeign reports whether a result of a call that gives several is a function, or with values
// an interface.
func holdsForeign(results *types.Tuple, values bool) bool {
	for v := range results.Variables() {
		if isFunc(v.Type()) || values && types.IsInterface(v.Type()) {
			return true
		}
	}
	return false
}

// parameter returns the type that argument i of a call has in it.
func parameter(sig *types.Signature, i int, ellipsis bool) types.Type {
	last := sig.Params().Len() - 1
	if !sig.Variadic() || i < last || ellipsis {
		return sig.Params().At(min(i, last)).Type()
	}
	return sig.Params().At(last).Type().(*types.Slice).Elem()
}

// pauseBefore marks a call that names foreign code: f(a, 1, b) becomes
// f(hook.Evaluated(a), 1, hook.PauseAfter(b)). There the goroutine can be stopped in further orders
// of the steps, when all operands are evaluated and the call has not begun. Without an argument
// that can be wrapped it is the function that is. It reports false if that cannot be wrapped.
func (r *rewriter) pauseBefore(n *ast.CallExpr) bool {
	if _, ok := r.parent().(*ast.DeferStmt); ok {
		r.ed.behind(r.off(n.End()), "; defer "+r.hook("Pause")+"()")
		return true
	}
	var wrapped []ast.Expr
	for _, arg := range n.Args {
		if r.wrappable(arg) {
			wrapped = append(wrapped, arg)
		}
	}
	for i, arg := range wrapped {
		name := "Evaluated"
		if i == len(wrapped)-1 {
			name = "PauseAfter"
		}
		open, closing := r.conversion(arg, r.c.info.TypeOf(arg))
		r.ed.front(r.off(arg.Pos()), r.hook(name)+"("+open)
		r.ed.behind(r.off(arg.End()), closing+")")
	}
	if len(wrapped) == 0 {
		if r.staysInCall(n.Fun) {
			return false
		}
		r.ed.front(r.off(n.Fun.Pos()), r.hook("PauseAfter")+"(")
		r.ed.behind(r.off(n.Fun.End()), ")")
	}
	return true
}

// modelled reports whether fn becomes a hook whose synchronization is that of steps.
func (r *rewriter) modelled(fn *types.Func) bool {
	switch fn.Pkg().Path() {
	case "log", "testing":
		return false
	}
	return r.role(fn) == hookedOp
}

func (r *rewriter) role(fn *types.Func) role {
	if fn.Signature().Recv() != nil {
		return r.ss.method(fn).role
	}
	return r.ss.function(fn).role
}

// pausable reports whether calls of fn are marked. What becomes a hook is not called as it stands,
// and the compiler has rules of its own for the arguments of system calls.
func (r *rewriter) pausable(fn *types.Func) bool {
	path := fn.Pkg().Path()
	if fn.Signature().Recv() == nil &&
		(path == "syscall" || strings.HasPrefix(path, "golang.org/x/sys")) {
		return false
	}
	role := r.role(fn)
	return role == plainOp || role == noteOp
}

// wrappable reports whether an argument can be the operand of a generic function: not what has no
// type of its own, and no function literal, which reads nothing.
func (r *rewriter) wrappable(arg ast.Expr) bool {
	tv := r.c.info.Types[arg]
	if tv.Type == nil || tv.Value != nil || tv.IsNil() || tv.IsType() || r.staysInCall(arg) {
		return false
	}
	switch x := ast.Unparen(arg).(type) {
	case *ast.FuncLit:
		return false
	case *ast.BinaryExpr:
		return r.nameable(tv.Type)
	case *ast.UnaryExpr:
		return x.Op == token.AND || x.Op == token.ARROW || r.nameable(tv.Type)
	}
	_, several := tv.Type.(*types.Tuple)
	return !several
}
