package instrument

import (
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// A loop that waits for another thread repeats the same reads until one of
// them changes. The engine can leave it asleep until then, and calls it a
// livelock when nobody will change anything, but only if an iteration has no
// effect of its own: an iteration that counts is progress. The engine sees the
// effects of hooked operations when they happen. The analysis below answers
// for all others: a loop gets hook.Spin only if every path back to its head
// leaves everything outside the iteration as it was, except variables of the
// function that hook.Spin is given, so that the engine can compare them.
//
// What leaves the loop may do anything. When in doubt, a loop is not marked:
// it then costs executions, never a bug.

// spins reports whether to mark the loop. One without hooked operations that goes on reads what
// another goroutine writes, in a data race: unmarked, it would never reach a scheduling point.
func (r *rewriter) spins(loop *ast.ForStmt) bool {
	a := r.loopAnalysis(loop)
	if loop.Init != nil || loop.Post != nil {
		return false
	}
	a.fresh = r.assignedFirst(loop)
	if loop.Cond != nil && !a.pureExpr(loop.Cond) {
		return false
	}
	return a.pureList(loop.Body.List, true)
}

// spinsCarrying reports whether to mark the loop as one that has no effect of its own except on
// variables that it carries from one iteration to the next, and which these are:
//
//	v := p.Load()
//	for !v {
//		v = p.Load()
//	}
//
// If all of them are at the head of an iteration what they were at the head of the one before, the
// iteration has left everything as it was. A variable that is computed from itself, as a counter,
// would never be: the loop is then left to waits, whose rule can do without it. Loops that retry a
// CompareAndSwap do not wait.
func (r *rewriter) spinsCarrying(loop *ast.ForStmt) (carried []string, ok bool) {
	a := r.loopAnalysis(loop)
	if a.fn = r.enclosingFunction(); a.fn == nil || a.counts(loop) {
		return nil, false
	}
	vars := r.assigned(loop)
	for _, v := range vars {
		if !r.comparable(loop, v) || !a.onlySet(loop, v, vars) {
			return nil, false
		}
		carried = append(carried, v.Name())
	}
	pure := a.pureStmt(loop.Post, true) && (loop.Cond == nil || a.pureExpr(loop.Cond)) &&
		a.pureList(loop.Body.List, true)
	return carried, pure && a.hooked && !a.writes
}

// onlySet reports whether the loop changes v only by assignments that use none of the variables.
func (a *spinAnalysis) onlySet(loop *ast.ForStmt, v types.Object, vars []types.Object) bool {
	only := true
	is := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && a.c.info.ObjectOf(id) == v
	}
	ast.Inspect(loop, func(n ast.Node) bool {
		if n == loop.Init && n != nil {
			return false
		}
		switch n := n.(type) {
		case *ast.IncDecStmt:
			only = only && !is(n.X)
		case *ast.RangeStmt:
			only = only && !is(n.Key) && !is(n.Value)
		case *ast.AssignStmt:
			if slices.ContainsFunc(n.Lhs, is) {
				only = only && n.Tok == token.ASSIGN && !slices.ContainsFunc(n.Rhs,
					func(e ast.Expr) bool {
						return slices.ContainsFunc(vars,
							func(v types.Object) bool { return a.uses(e, v) })
					})
			}
		}
		return only
	})
	return only
}

// loopAnalysis begins the analysis of a loop.
func (r *rewriter) loopAnalysis(loop *ast.ForStmt) *spinAnalysis {
	a := &spinAnalysis{ss: r.ss, c: r.c, lo: loop.Body.Pos(), hi: loop.Body.End(), loop: true}
	for i := len(r.stack) - 1; i >= 0; i-- {
		switch n := r.stack[i].(type) {
		case *ast.FuncLit, *ast.FuncDecl:
			i = 0
		case *ast.LabeledStmt:
			if n.Stmt == loop {
				a.label = n.Label.Name
			} else {
				a.outer = append(a.outer, n.Label.Name)
			}
		}
	}
	return a
}

// markSpin gives the loop a number for each time it is entered, and tells the
// engine at the head of each iteration:
//
//	for n := hook.SpinStart(); cond; { hook.Spin(n); ... }
func (r *rewriter) markSpin(loop *ast.ForStmt) {
	n := fmt.Sprintf("%sspin%d", r.c.prefix, r.loops)
	r.loops++
	head := r.off(loop.For) + len("for")
	start := " " + n + " := " + r.hook("SpinStart") + "()"
	switch {
	case hasSemicolon(r.src.text[head:r.off(loop.Body.Lbrace)]):
	case loop.Cond != nil:
		start += ";"
		r.ed.behind(r.off(loop.Cond.End()), ";")
	default:
		start += "; ;"
	}
	r.ed.behind(head, start)
	r.ed.front(r.off(loop.Body.Lbrace)+1, " "+r.hook("Spin")+"("+n+");")
}

// hasSemicolon reports whether the head of a loop without init and post
// statements spells out the semicolons, as in for ; cond; {. Comments and the
// condition's own function literals do not count: the first token tells.
func hasSemicolon(head []byte) bool {
	var sc scanner.Scanner
	fset := token.NewFileSet()
	sc.Init(fset.AddFile("", fset.Base(), len(head)), head, nil, 0)
	_, tok, _ := sc.Scan()
	return tok == token.SEMICOLON
}

// spinAnalysis looks at the body of a loop, or of a function called from one.
type spinAnalysis struct {
	ss     *session
	c      *checked
	lo, hi token.Pos // variables declared between these belong to the iteration or call
	loop   bool      // false: a function, from which a return goes on with the loop
	label  string    // of the loop
	outer  []string  // labels around the loop
	hooked bool      // a hooked operation was seen
	writes bool      // one of sync/atomic was that may be a write
	waits  bool      // the loop may wait by any means (rewrite_wait.go)
	unseen bool      // it then calls what may carry something to the next iteration
	fn     ast.Node  // the function around a loop that may change its variables; else nil

	fresh map[types.Object]bool // variables that each iteration assigns before it uses them
}

// pureState is what is known about a called function.
type pureState struct{ pure, hooked, writes bool }

// function analyzes a called function. While that is under way the function
// counts as impure, which settles recursion.
func (ss *session) pureFunction(fn *types.Func) pureState {
	fn = fn.Origin()
	if st, ok := ss.pure[fn]; ok {
		return st
	}
	ss.pure[fn] = pureState{}
	d, ok := ss.decls[fn]
	if !ok || d.decl.Body == nil {
		return pureState{}
	}
	if ok, _ := ss.rewritable(d.pkg.meta); !ok {
		return pureState{}
	}
	a := &spinAnalysis{ss: ss, c: d.pkg, lo: d.decl.Pos(), hi: d.decl.End()}
	if a.pureList(d.decl.Body.List, false) {
		ss.pure[fn] = pureState{true, a.hooked, a.writes}
	}
	return ss.pure[fn]
}

// pureList reports whether every path through the statements that comes back
// to the loop's head is free of effects. brk says that a break without a label
// leaves the loop.
func (a *spinAnalysis) pureList(list []ast.Stmt, brk bool) bool {
	if len(list) > 0 && a.leaves(list[len(list)-1], brk) && !a.jumpsBack(list, brk) {
		return true
	}
	for _, s := range list {
		if !a.pureStmt(s, brk) {
			return false
		}
	}
	return true
}

// leaves reports whether the statement always leaves the loop, or the function
// by a panic.
func (a *spinAnalysis) leaves(s ast.Stmt, brk bool) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt:
		return a.loop
	case *ast.BranchStmt:
		switch s.Tok {
		case token.BREAK:
			return s.Label == nil && brk || s.Label != nil && a.outside(s.Label, true)
		case token.CONTINUE:
			return s.Label != nil && a.outside(s.Label, false)
		}
	case *ast.ExprStmt:
		if call, ok := s.X.(*ast.CallExpr); ok {
			if id, ok := ast.Unparen(call.Fun).(*ast.Ident); ok {
				if b, ok := a.c.info.Uses[id].(*types.Builtin); ok {
					return b.Name() == "panic"
				}
			}
			fn := callee(a.c.info, call)
			return fn != nil && fn.Pkg() != nil && fn.FullName() == "runtime.Goexit"
		}
	case *ast.BlockStmt:
		return len(s.List) > 0 && a.leaves(s.List[len(s.List)-1], brk)
	case *ast.IfStmt:
		return s.Else != nil && a.leaves(s.Body, brk) && a.leaves(s.Else, brk)
	case *ast.LabeledStmt:
		return a.leaves(s.Stmt, brk)
	}
	return false
}

// outside reports whether a jump to the label leaves the loop.
func (a *spinAnalysis) outside(label *ast.Ident, isBreak bool) bool {
	return isBreak && a.loop && label.Name == a.label || slices.Contains(a.outer, label.Name)
}

// jumpsBack reports whether some jump in the statements may lead back to the
// loop's head, although their last one leaves it.
func (a *spinAnalysis) jumpsBack(list []ast.Stmt, brk bool) bool {
	found := false
	// The depths count the statements inside the list to which a break or
	// continue without a label belongs.
	var visit func(n ast.Node, breaks, loops int)
	visit = func(n ast.Node, breaks, loops int) {
		ast.Inspect(n, func(m ast.Node) bool {
			if m == n || m == nil {
				return true
			}
			switch m := m.(type) {
			case *ast.FuncLit:
				return false
			case *ast.ForStmt, *ast.RangeStmt:
				visit(m, breaks+1, loops+1)
				return false
			case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				visit(m, breaks+1, loops)
				return false
			case *ast.BranchStmt:
				switch {
				case m.Tok == token.GOTO:
					found = true
				case m.Label != nil:
					found = found || !a.outside(m.Label, m.Tok == token.BREAK)
				case m.Tok == token.CONTINUE:
					found = found || loops == 0
				case m.Tok == token.BREAK:
					found = found || breaks == 0 && !brk
				}
			}
			return true
		})
	}
	visit(&ast.BlockStmt{List: list}, 0, 0)
	return found
}

// pureStmt judges statements that direct control; pureSimple judges the others.
func (a *spinAnalysis) pureStmt(s ast.Stmt, brk bool) bool {
	switch s := s.(type) {
	case nil, *ast.EmptyStmt:
		return true
	case *ast.BlockStmt:
		return a.pureList(s.List, brk)
	case *ast.LabeledStmt:
		return a.pureStmt(s.Stmt, brk)
	case *ast.BranchStmt:
		return s.Tok != token.GOTO
	case *ast.ReturnStmt:
		return a.loop || a.pureExprs(s.Results)
	case *ast.IfStmt:
		return a.pureStmt(s.Init, brk) && a.pureExpr(s.Cond) &&
			a.pureList(s.Body.List, brk) && a.pureStmt(s.Else, brk)
	case *ast.ForStmt:
		return a.pureStmt(s.Init, false) && (s.Cond == nil || a.pureExpr(s.Cond)) &&
			a.pureStmt(s.Post, false) && a.pureList(s.Body.List, false)
	case *ast.RangeStmt:
		return a.pureRange(s)
	case *ast.SwitchStmt:
		return a.pureStmt(s.Init, false) && (s.Tag == nil || a.pureExpr(s.Tag)) &&
			a.pureClauses(s.Body)
	case *ast.TypeSwitchStmt:
		return a.pureStmt(s.Init, false) && a.pureStmt(s.Assign, false) && a.pureClauses(s.Body)
	}
	return a.pureSimple(s)
}

// pureSimple judges statements without a body, and those that wait.
func (a *spinAnalysis) pureSimple(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ExprStmt:
		return a.pureExpr(s.X)
	case *ast.AssignStmt:
		for _, l := range s.Lhs {
			if !a.local(l) {
				return false
			}
		}
		return a.pureExprs(s.Rhs)
	case *ast.IncDecStmt:
		return a.local(s.X)
	case *ast.DeclStmt:
		for _, spec := range s.Decl.(*ast.GenDecl).Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && !a.pureExprs(v.Values) {
				return false
			}
		}
		return true
	case *ast.DeferStmt:
		return !a.loop && a.pureExpr(s.Call)
	}
	return a.waits && a.waitStmt(s) || a.pollStmt(s)
}

// pureRange refuses loops over channels and functions, whose turns have effects of their own, and
// over maps, which have another order each time: a loop around one may end by that.
func (a *spinAnalysis) pureRange(s *ast.RangeStmt) bool {
	switch a.c.info.TypeOf(s.X).Underlying().(type) {
	case *types.Basic, *types.Slice, *types.Array, *types.Pointer:
	default:
		return false
	}
	return (s.Key == nil || a.local(s.Key)) && (s.Value == nil || a.local(s.Value)) &&
		a.pureExpr(s.X) && a.pureList(s.Body.List, false)
}

// pollStmt is pureStmt for a select with default. It is a read if it takes default; the engine sees
// whether it does.
func (a *spinAnalysis) pollStmt(s ast.Stmt) bool {
	sel, ok := s.(*ast.SelectStmt)
	if !ok || !slices.ContainsFunc(sel.Body.List, func(s ast.Stmt) bool {
		return s.(*ast.CommClause).Comm == nil
	}) {
		return false
	}
	a.hooked = true
	for _, s := range sel.Body.List {
		c := s.(*ast.CommClause)
		if !a.pureComm(c.Comm) || !a.pureList(c.Body, false) {
			return false
		}
	}
	return true
}

// pureComm judges the communication of a case, apart from the operation on the channel.
func (a *spinAnalysis) pureComm(s ast.Stmt) bool {
	var from ast.Expr
	switch s := s.(type) {
	case nil:
		return true
	case *ast.SendStmt:
		return a.pureExpr(s.Chan) && a.pureExpr(s.Value)
	case *ast.ExprStmt:
		from = s.X
	case *ast.AssignStmt:
		if s.Tok != token.DEFINE && slices.ContainsFunc(s.Lhs, func(e ast.Expr) bool {
			return !a.local(e)
		}) {
			return false
		}
		from = s.Rhs[0]
	}
	receive, ok := ast.Unparen(from).(*ast.UnaryExpr)
	return ok && a.pureExpr(receive.X)
}

// looksIntoChannel reports whether the call is len of a channel.
func (a *spinAnalysis) looksIntoChannel(call *ast.CallExpr) bool {
	if !a.c.info.Types[call.Fun].IsBuiltin() || len(call.Args) != 1 {
		return false
	}
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	t := a.c.info.TypeOf(call.Args[0])
	if !ok || id.Name != "len" || t == nil {
		return false
	}
	_, ok = t.Underlying().(*types.Chan)
	return ok
}

func (a *spinAnalysis) pureClauses(body *ast.BlockStmt) bool {
	for _, s := range body.List {
		c := s.(*ast.CaseClause)
		for _, e := range c.List {
			if !a.c.info.Types[e].IsType() && !a.pureExpr(e) {
				return false
			}
		}
		if !a.pureList(c.Body, false) {
			return false
		}
	}
	return true
}

// local reports whether an assignment to e changes only the iteration's own
// variables.
func (a *spinAnalysis) local(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return false
	}
	if id.Name == "_" {
		return true
	}
	obj := a.c.info.ObjectOf(id)
	return obj != nil && (a.lo <= obj.Pos() && obj.Pos() < a.hi || a.fresh[obj] ||
		a.fn != nil && a.private(obj))
}

func (a *spinAnalysis) pureExprs(list []ast.Expr) bool {
	for _, e := range list {
		if !a.pureExpr(e) {
			return false
		}
	}
	return true
}

// pureExpr reports whether evaluating e has no effect besides those of hooked
// operations.
func (a *spinAnalysis) pureExpr(e ast.Expr) bool {
	pure := true
	ast.Inspect(e, func(n ast.Node) bool {
		if !pure {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // made, not called
		case *ast.UnaryExpr:
			pure = n.Op != token.ARROW || a.waits
			a.hooked = a.hooked || n.Op == token.ARROW
		case *ast.CallExpr:
			pure = a.pureCall(n)
		}
		return pure
	})
	return pure
}

// pureMethods are the hooked methods that the engine can take for reads, or
// whose effects it sees.
var pureMethods = map[string]bool{"Mutex": true, "RWMutex": true}

// lockMethods are those methods where they are called through an interface.
var lockMethods = map[string]bool{
	"Lock": true, "Unlock": true, "TryLock": true,
	"RLock": true, "RUnlock": true, "TryRLock": true,
}

// pureFuncs are the hooked functions of other packages of which the same is true.
var pureFuncs = map[string]bool{
	"time.Sleep": true, "time.Now": true, "time.Since": true, "time.Until": true,
	"runtime.Gosched": true, "runtime.NumGoroutine": true,
}

var pureBuiltins = map[string]bool{
	"len": true, "cap": true, "min": true, "max": true, "new": true, "make": true,
	"real": true, "imag": true, "complex": true,
	"Sizeof": true, "Offsetof": true, "Alignof": true, "Add": true,
	"Slice": true, "SliceData": true, "String": true, "StringData": true,
}

// pureBuiltin is pureCall for builtin functions.
func (a *spinAnalysis) pureBuiltin(call *ast.CallExpr) bool {
	a.hooked = a.hooked || a.looksIntoChannel(call)
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return pureBuiltins[f.Name]
	case *ast.SelectorExpr:
		return pureBuiltins[f.Sel.Name]
	}
	return false
}

// hook notes that a hooked function is called.
func (a *spinAnalysis) hook(fn *types.Func) {
	a.hooked = true
	a.writes = a.writes || fn.Pkg().Path() == "sync/atomic" && !strings.HasPrefix(fn.Name(), "Load")
}

// pureCall judges the called function; the arguments are looked at by
// pureExpr.
func (a *spinAnalysis) pureCall(call *ast.CallExpr) bool {
	fun := a.c.info.Types[call.Fun]
	if fun.IsType() {
		return true
	}
	if fun.IsBuiltin() {
		return a.pureBuiltin(call)
	}
	fn := callee(a.c.info, call)
	if fn == nil || fn.Pkg() == nil {
		return fn == nil && a.pureVariable(call)
	}
	if a.waitCall(fn) {
		return true
	}
	if fn.Signature().Recv() == nil {
		switch o := a.ss.function(fn); o.role {
		case hookedOp:
			a.hook(fn)
			return fn.Pkg().Path() == "sync/atomic" || pureFuncs[fn.FullName()]
		case refuseOp:
			return false
		}
	} else {
		switch o := a.ss.method(fn); o.role {
		case hookedOp:
			a.hook(fn)
			tn := typeName(fn.Signature().Recv().Type())
			return fn.Pkg().Path() == "sync/atomic" || pureMethods[tn.Name()] && fn.Name() != "RLocker"
		case dynOp:
			a.hooked = true
			return lockMethods[fn.Name()] // the hook tells the engine if it is no lock of sync
		case checkOp, refuseOp:
			return false
		}
	}
	switch fn.Pkg().Path() {
	case "math", "math/bits":
		return true
	case "time":
		return pureOfTime(fn)
	}
	st := a.ss.pureFunction(fn)
	a.hooked, a.writes = a.hooked || st.hooked, a.writes || st.writes
	return st.pure
}

// pureOfTime is pureCall for the package time, apart from what is hooked: methods of times and
// durations, except those that change the time itself, by a pointer, or append to a slice.
func pureOfTime(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	if recv == nil || strings.HasPrefix(fn.Name(), "Append") {
		return false
	}
	named, ok := types.Unalias(recv.Type()).(*types.Named)
	return ok && (named.Obj().Name() == "Time" || named.Obj().Name() == "Duration")
}
