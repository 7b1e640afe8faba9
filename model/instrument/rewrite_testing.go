package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A *testing.T outlives an execution of the body in which it is used. So t.Errorf becomes
// hook.TB(t).Errorf, and t becomes hook.TestT(t) where it becomes an interface: see there.

// exploredTest has the function of an ordinary test hand itself to the checker, which runs it as
// the body of executions:
//
//	func TestX(t *testing.T) { if hook.Whole(t, TestX) { return }; ...
func (r *rewriter) exploredTest(n *ast.FuncDecl) {
	name := n.Name.Name
	if !r.ss.set.cfg.Tests || n.Recv != nil || n.Body == nil ||
		!strings.HasSuffix(r.src.name, "_test.go") ||
		!slices.Contains(r.ss.set.checksOf(r.c.meta.ForTest), name) {
		return
	}
	param := n.Type.Params.List[0]
	t := r.c.prefix + "t"
	switch {
	case len(param.Names) == 0:
		r.ed.front(r.off(param.Type.Pos()), t+" ")
	case param.Names[0].Name == "_":
		id := param.Names[0]
		r.ed.replace(r.off(id.Pos()), r.off(id.End()), t)
	default:
		t = param.Names[0].Name
	}
	r.imports[modelPath] = "_"
	r.ed.front(r.off(n.Body.Lbrace)+1, " if "+r.hook("Whole")+"("+t+", "+name+") { return };")
}

// isTest reports whether t is testing.T or a pointer to it.
func isTest(t types.Type) bool { return isTesting(deref(types.Unalias(t)), "T") }

func isTesting(t types.Type, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "testing"
}

// testMethod gives what becomes of a method of testing.T or testing.TB.
func testMethod(fn *types.Func, recv types.Type, ptr bool) op {
	if fn.Pkg() == nil || fn.Pkg().Path() != "testing" || !fn.Exported() {
		return op{}
	}
	switch {
	case isTest(recv):
		return op{role: noteOp, hook: "TestT", ptr: ptr}
	case isTesting(recv, "TB"), isTesting(deref(recv), "common"):
		return op{role: noteOp, hook: "TB", ptr: ptr}
	}
	return op{}
}

// ofTest reports whether fn is a method of which testMethod says something.
func ofTest(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	return recv != nil && testMethod(fn, recv.Type(), false).role != plainOp
}

// testExpr rewrites (*testing.T).M: its first argument is no interface, so that it becomes no
// hook.Test by itself, as that of testing.TB.M does. It reports whether to look at what stands
// below it.
func (r *rewriter) testExpr(n *ast.SelectorExpr, s *types.Selection) bool {
	path, last, ok := r.fieldPath(s)
	if !ok || !isTest(last) {
		return true
	}
	sig := r.c.info.TypeOf(n).(*types.Signature)
	params, args, named := r.paramText(sig)
	results, ret := "", ""
	if sig.Results().Len() > 0 {
		results, _ = r.typeText(sig.Results())
		ret = "return "
	}
	if !named || !r.writable(sig, n.Pos()) {
		r.refuse(n, n.Pos(), "this method expression is not modelled yet")
		return false
	}
	amp := ""
	if _, isPtr := last.Underlying().(*types.Pointer); !isPtr {
		amp = "&"
	}
	r.gap(n.Pos(), n.End(), "(func("+params+") "+results+" { "+ret+r.hook("TestT")+"("+
		amp+args[0]+path+")."+n.Sel.Name+"("+variadic(args[1:], sig)+") })")
	return false
}

// testParam gives what becomes of a method of a type parameter that may stand for *testing.T.
func (r *rewriter) testParam(s *types.Selection) op {
	p, ok := types.Unalias(s.Recv()).(*types.TypeParam)
	if !ok {
		return op{}
	}
	constraint, ok := p.Constraint().Underlying().(*types.Interface)
	real := r.ss.testPointer()
	if !ok || real == nil || !types.Satisfies(real, constraint) {
		return op{}
	}
	sig, ok := r.typeText(s.Obj().Type())
	if !ok {
		return op{}
	}
	method := s.Obj().Name() + strings.TrimPrefix(sig, "func")
	return op{role: noteOp, hook: "TestAs[interface{ " + method + " }]"}
}

// testPointer gives the type *testing.T, nil if there is none.
func (ss *session) testPointer() types.Type {
	pkg, err := ss.export.Import("testing")
	if err != nil {
		return nil
	}
	return types.NewPointer(pkg.Scope().Lookup("T").Type())
}

// testConversion wraps e if it is a *testing.T, or may hold one, and becomes an interface.
func (r *rewriter) testConversion(e ast.Expr) {
	if a, ok := e.(*ast.TypeAssertExpr); ok {
		defer r.testAssertion(a) // inside of what wraps it
	}
	tv, ok := r.c.info.Types[e]
	if !ok || !tv.IsValue() || tv.Type == nil || tv.IsNil() {
		return
	}
	if r.isCaseOfTest(e) {
		r.ed.front(r.off(e.Pos()), r.hook("RealTest")+"(")
		r.ed.behind(r.off(e.End()), ")")
		return
	}
	t := types.Unalias(tv.Type)
	_, isPointer := t.(*types.Pointer)
	_, isParam := t.(*types.TypeParam)
	hook := ""
	switch {
	case isPointer && isTest(t) && r.reflected():
		return // hook knows it by its type
	case isPointer && isTest(t):
		hook = "TestT"
	case isTesting(t, "TB"), isParam && isTesting(t.(*types.TypeParam).Constraint(), "TB"):
		hook = "TB"
	default:
		return
	}
	if _, ok := r.parent().(*ast.ParenExpr); ok {
		return // the parentheses are wrapped
	}
	if recv, ok := ast.Unparen(e).(*ast.UnaryExpr); ok && r.comms[recv] {
		return // of a select, where it has to stay; its methods are called by way of TB
	}
	target, constraint := r.target(e)
	if target == nil {
		target = r.compared(e)
	}
	if target == nil || constraint || !types.IsInterface(target) || types.Identical(target, t) {
		return
	}
	if _, ok := types.Unalias(target).(*types.TypeParam); ok {
		return
	}
	r.ed.front(r.off(e.Pos()), r.hook(hook)+"(")
	r.ed.behind(r.off(e.End()), ")")
}

// reflected reports whether the expression being visited is an argument of reflect.ValueOf or of
// reflect.TypeOf.
func (r *rewriter) reflected() bool {
	call, ok := r.parent().(*ast.CallExpr)
	if !ok {
		return false
	}
	fn := callee(r.c.info, call)
	return fn != nil && (fn.FullName() == "reflect.ValueOf" || fn.FullName() == "reflect.TypeOf")
}

// compared gives the interface type to which ==, != or a case converts e, or a map to look e up,
// nil if none does.
func (r *rewriter) compared(e ast.Expr) types.Type {
	var t types.Type
	switch p := r.parent().(type) {
	case *ast.BinaryExpr:
		if p.Op != token.EQL && p.Op != token.NEQ {
			return nil
		}
		other := p.X
		if other == e {
			other = p.Y
		}
		t = r.c.info.TypeOf(other)
	case *ast.IndexExpr:
		if m := r.c.info.TypeOf(p.X); p.Index == e && m != nil {
			t = mapKey(m)
		}
	case *ast.CallExpr: // delete
		if fun := r.c.info.Types[p.Fun]; fun.IsBuiltin() && len(p.Args) == 2 && p.Args[1] == e {
			t = mapKey(r.c.info.TypeOf(p.Args[0]))
		}
	case *ast.CaseClause:
		t = r.tag()
	}
	if t != nil && types.IsInterface(t) {
		return t
	}
	return nil
}

// tag gives the type of what a switch compares the cases with of which one is being visited, nil if
// there is none.
func (r *rewriter) tag() types.Type {
	if len(r.stack) < 3 {
		return nil
	}
	sw, ok := r.stack[len(r.stack)-3].(*ast.SwitchStmt)
	if !ok || sw.Tag == nil {
		return nil
	}
	return r.c.info.TypeOf(sw.Tag)
}

// isCaseOfTest reports whether e is an interface that is compared with the *testing.T of a switch.
func (r *rewriter) isCaseOfTest(e ast.Expr) bool {
	if _, ok := r.parent().(*ast.CaseClause); !ok || !types.IsInterface(r.c.info.TypeOf(e)) {
		return false
	}
	tag := r.tag()
	return tag != nil && isTestPointer(tag)
}

// testAssertion unwraps the operand of an assertion that may find a *testing.T.
func (r *rewriter) testAssertion(a *ast.TypeAssertExpr) {
	if a.Type != nil && !isTestPointer(r.c.info.TypeOf(a.Type)) {
		return
	}
	if a.Type == nil && !r.switchesOnTest() {
		return
	}
	r.ed.front(r.off(a.X.Pos()), r.hook("RealTest")+"(")
	r.ed.behind(r.off(a.X.End()), ")")
}

func isTestPointer(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Pointer)
	return ok && isTest(t)
}

// switchesOnTest reports whether the type switch being visited has a case for *testing.T.
func (r *rewriter) switchesOnTest() bool {
	if len(r.stack) < 2 {
		return false
	}
	sw, ok := r.stack[len(r.stack)-2].(*ast.TypeSwitchStmt)
	if !ok {
		return false
	}
	for _, c := range sw.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			if isTestPointer(r.c.info.TypeOf(e)) {
				return true
			}
		}
	}
	return false
}
