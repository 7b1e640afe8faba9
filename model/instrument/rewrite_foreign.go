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

// pauseBefore marks, in a binary with the race detector, a call of code that is not rewritten and
// may synchronize: f(a, 1, b) becomes f(hook.Evaluated(a), 1, hook.PauseAfter(b)). There the
// goroutine can be stopped in further orders of the steps, when all operands are evaluated and the
// call has not begun. Without an argument that can be wrapped it is the function that is.
func (r *rewriter) pauseBefore(n *ast.CallExpr) {
	fn := callee(r.c.info, n)
	if !r.ss.l.race || fn == nil || !r.pausable(fn) {
		return
	}
	switch r.parent().(type) {
	case *ast.GoStmt:
		return // the goroutine has done nothing before
	case *ast.DeferStmt:
		r.ed.behind(r.off(n.End()), "; defer "+r.hook("Pause")+"()")
		return
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
	if len(wrapped) == 0 && !r.staysInCall(n.Fun) {
		r.ed.front(r.off(n.Fun.Pos()), r.hook("PauseAfter")+"(")
		r.ed.behind(r.off(n.Fun.End()), ")")
	}
}

// pausable reports whether calls of fn are marked. What becomes a hook is not called as it stands,
// and the compiler has rules of its own for the arguments of system calls.
func (r *rewriter) pausable(fn *types.Func) bool {
	path := ""
	if fn.Pkg() != nil {
		path = fn.Pkg().Path()
	}
	if !r.ss.foreign(fn) && path != "io" || path == "syscall" ||
		strings.HasPrefix(path, "golang.org/x/sys") {
		return false
	}
	o := r.ss.function(fn)
	if fn.Signature().Recv() != nil {
		o = r.ss.method(fn)
	}
	return o.role == plainOp || o.role == noteOp
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
