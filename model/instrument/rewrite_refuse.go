package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// What is not modelled, by name. An operation is here because it waits, is
// woken, or runs code on a real goroutine behind the checker's back, or
// because it ends or leaves the process.

// refusedFuncs has functions, "path.*" all of a package (methods too), and
// "path.Name*" those with a prefix.
var refusedFuncs = []string{
	"runtime.LockOSThread", "runtime.UnlockOSThread", "runtime.SetFinalizer", "runtime.AddCleanup",
	"os.Exit", "os.Pipe", "os.StartProcess",
	"log.Fatal*",
	"syscall.Exit", "syscall.Kill", "syscall.ForkExec", "syscall.StartProcess", "syscall.Syscall*", "syscall.RawSyscall*",
	"runtime/trace.Start", "runtime/pprof.StartCPUProfile",
	"io.Pipe",
	"testing.Benchmark", "testing.RunTests", "testing.RunBenchmarks", "testing.Main", "testing.MainStart",
	"reflect.Select",
	"net.*", "net/http.*", "net/http/httptest.*", "net/rpc.*", "net/rpc/jsonrpc.*", "net/smtp.*", "crypto/tls.*",
	"os/exec.*", "os/signal.*", "database/sql.*", "testing/synctest.*", "plugin.*", "expvar.*", "log/syslog.*",
}

// refusedMethods has "path.Type.Method"; a star stands for every method, or for
// the rest of its name.
var refusedMethods = []string{
	"sync.Map.*", "sync.Pool.*",
	"log.Logger.Fatal*",
	"testing.T.Run", "testing.T.Parallel", "testing.B.Run", "testing.B.RunParallel", "testing.F.Fuzz", "testing.PB.*", "testing.M.*",
	"reflect.Value.Send", "reflect.Value.TrySend", "reflect.Value.Recv", "reflect.Value.TryRecv", "reflect.Value.Close",
	"reflect.Value.Method", "reflect.Value.MethodByName", "reflect.Type.Method", "reflect.Type.MethodByName", "reflect.Value.Seq", "reflect.Value.Seq2",
	"os.Process.*",
	"runtime/trace.FlightRecorder.Start",
}

func matchName(patterns []string, name string) bool {
	for _, p := range patterns {
		if prefix, ok := strings.CutSuffix(p, "*"); ok && strings.HasPrefix(name, prefix) || p == name {
			return true
		}
	}
	return false
}

func (ss *session) refusedMethod(fn *types.Func, recv string, ptr bool) op {
	pkg := fn.Pkg()
	if pkg == nil {
		return op{} // error.Error
	}
	name := pkg.Path() + "." + recv + "." + fn.Name()
	if recv != "" && matchName(refusedMethods, name) || matchName(refusedFuncs, pkg.Path()+".") {
		return op{role: refuseOp, ptr: ptr, reason: fmt.Sprintf("%s is not modelled", shortName(name))}
	}
	if why := ss.unwritten(pkg); why != "" {
		return op{role: refuseOp, ptr: ptr, reason: fmt.Sprintf("%s is in a package that is not rewritten: %s", shortName(name), why)}
	}
	return ss.bodyless(fn, name, ptr)
}

func (ss *session) refusedFunc(fn *types.Func) op {
	name := fn.Pkg().Path() + "." + fn.Name()
	if matchName(refusedFuncs, name) {
		return op{role: refuseOp, reason: fmt.Sprintf("%s is not modelled", shortName(name))}
	}
	if why := ss.unwritten(fn.Pkg()); why != "" {
		return op{role: refuseOp, reason: fmt.Sprintf("%s is in a package that is not rewritten: %s", shortName(name), why)}
	}
	return ss.bodyless(fn, name, false)
}

// bodyless refuses a function written in assembly or linked from elsewhere: it
// may wait or touch shared memory, and nothing can be put inside.
func (ss *session) bodyless(fn *types.Func, name string, ptr bool) op {
	if d, ok := ss.decls[fn.Origin()]; ok && d.decl.Body == nil {
		return op{role: refuseOp, ptr: ptr, reason: fmt.Sprintf("%s has no body in Go", shortName(name))}
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

// shortName drops the directories of an import path.
func shortName(name string) string {
	return strings.Replace(name[strings.LastIndexByte(name, '/')+1:], "..", ".", 1)
}

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
	r.ed.front(r.off(e.Pos()), r.hook("Refused")+"(")
	r.ed.behind(r.off(e.End()), ", "+r.quoteWhere(at, reason)+")")
}

// refuseChan refuses an operation on channel ch.
func (r *rewriter) refuseChan(ch ast.Expr, at token.Pos, what string) {
	r.refuse(ch, at, what+" is not modelled")
}
