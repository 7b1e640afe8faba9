package instrument

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"sort"
	"strings"
	"testing"
)

// survivors type-checks the rewritten text of pkg's test binary and returns
// the operations in it that reach neither a hook nor a refusal.
func survivors(t testing.TB, set *Set, pkg string) []string {
	t.Helper()
	replace := make(map[string][]byte)
	for name, text := range rewrittenFiles(t, set, pkg, false) {
		replace[name] = []byte(text)
	}
	cfg := set.cfg
	cfg.Replace = replace
	again, err := Rewrite(context.Background(), cfg)
	if err != nil {
		t.Fatalf("the rewritten text does not compile: %v", err)
	}
	again.mu.Lock()
	defer again.mu.Unlock()
	var root *listed
	for _, p := range again.plain.roots {
		if p.ImportPath == pkg {
			root = p
		}
	}
	ss := again.session(context.Background(), again.plain, root)
	var found []string
	for _, p := range again.plain.closure(root) {
		if ok, _ := ss.rewritable(p); !ok || again.inModuleCache(p) {
			continue
		}
		c, err := ss.load(p.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range c.files {
			v := &verifier{ss: ss, c: c}
			v.file(f)
			found = append(found, v.found...)
		}
		for _, name := range c.pkg.Scope().Names() {
			if tn, ok := c.pkg.Scope().Lookup(name).(*types.TypeName); ok && !tn.IsAlias() {
				for _, m := range promotedOps(ss, tn) {
					found = append(found, fmt.Sprintf("%s: type %s has %s from an embedded field",
						ss.where(c, tn.Pos()), name, m.Obj().Name()))
				}
			}
		}
	}
	sort.Strings(found)
	return found
}

type verifier struct {
	ss    *session
	c     *checked
	stack []ast.Node
	found []string
}

func (v *verifier) file(f *source) {
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if n == nil {
			v.stack = v.stack[:len(v.stack)-1]
			return true
		}
		if keepsImport(n) {
			return false
		}
		v.node(n)
		v.stack = append(v.stack, n)
		return true
	})
}

// keepsImport reports whether n is the value of a declaration for which keepTypes has a function.
func keepsImport(n ast.Node) bool {
	spec, ok := n.(*ast.ValueSpec)
	return ok && len(spec.Names) == 1 && spec.Names[0].Name == "_" && spec.Type == nil
}

func (v *verifier) bad(n ast.Node, what string) {
	v.found = append(v.found, v.ss.where(v.c, n.Pos())+": "+what)
}

// hookCall reports whether e is a call of the hook function.
func (v *verifier) hookCall(e ast.Node, name string) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	fn := callee(v.c.info, call)
	return fn != nil && fn.Pkg() != nil && fn.Pkg().Path() == hookPath && fn.Name() == name
}

// guarded reports whether e is a call of hook.Refused or of what notes an operation.
func (v *verifier) guarded(e ast.Node) bool {
	for _, name := range []string{
		"Refused", "Shared", "Global", "Outside", "Process", "NoFinalizer", "NewHandler",
		"NewLogLogger",
		"SetDefault", "TB", "TestT",
	} {
		if v.hookCall(e, name) {
			return true
		}
	}
	return false
}

// refusedAbove reports whether one of the nodes around guards an operation.
func (v *verifier) refusedAbove() bool {
	for i := len(v.stack) - 1; i >= 0; i-- {
		switch n := v.stack[i].(type) {
		case *ast.CallExpr:
			if v.guarded(n) {
				return true
			}
		case ast.Stmt:
			return false
		}
	}
	return false
}

func (v *verifier) node(n ast.Node) {
	info := v.c.info
	r := &rewriter{ss: v.ss, c: v.c}
	operand := func(e ast.Expr, what string) {
		if id, ok := e.(*ast.Ident); ok && strings.HasPrefix(id.Name, "sw_") {
			return // an argument of a go statement, refused where it was evaluated
		}
		e = ast.Unparen(e)
		if r.isChan(e) && !v.hookCall(e, "Refused") &&
			!v.hookCall(e, "SelectRecv") && !v.hookCall(e, "SelectAwait") &&
			!v.hookCall(e, "SelectSend") {
			v.bad(n, what)
		}
	}
	switch n := n.(type) {
	case *ast.GoStmt:
		v.bad(n, "go statement")
	case *ast.SendStmt:
		operand(n.Chan, "send")
	case *ast.UnaryExpr:
		if n.Op == token.ARROW {
			operand(n.X, "receive")
		}
	case *ast.RangeStmt:
		operand(n.X, "range over a channel")
	case *ast.CallExpr:
		if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok {
			if b, ok := info.Uses[id].(*types.Builtin); ok {
				switch b.Name() {
				case "close", "len":
					operand(n.Args[0], b.Name())
				case "make":
					if r.isChan(n) && !v.hookCall(v.stack[len(v.stack)-1], "MadeChan") {
						v.bad(n, "make")
					}
				case "recover":
					p := v.stack[len(v.stack)-1]
					d, ok := p.(*ast.DeferStmt)
					if !(ok && d.Call == n) && !v.hookCall(p, "Recover") {
						v.bad(n, "recover")
					}
				}
			}
		}
	case *ast.SelectorExpr:
		s := info.Selections[n]
		if s == nil || s.Kind() == types.FieldVal {
			return
		}
		if s.Kind() == types.MethodExpr && v.guarded(v.stack[len(v.stack)-1]) {
			return
		}
		switch o := v.ss.method(s.Obj().(*types.Func)); o.role {
		case hookedOp, dynOp:
			v.bad(n, "call of "+s.Obj().(*types.Func).FullName())
		case checkOp:
			if !v.hookCall(n.X, "Held") {
				v.bad(n, "call of "+s.Obj().(*types.Func).FullName())
			}
		case refuseOp, noteOp:
			if !v.guarded(n.X) && !v.refusedAbove() {
				v.bad(n, "call of "+s.Obj().(*types.Func).FullName())
			}
		}
	case *ast.Ident:
		fn, ok := info.Uses[n].(*types.Func)
		if !ok || fn.Signature().Recv() != nil {
			return
		}
		switch o := v.ss.function(fn); o.role {
		case hookedOp:
			v.bad(n, "use of "+fn.FullName())
		case refuseOp, noteOp:
			if fn.Signature().TypeParams() == nil && !v.refusedAbove() {
				v.bad(n, "use of "+fn.FullName())
			}
		}
	}
}
