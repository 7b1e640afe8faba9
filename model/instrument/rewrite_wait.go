package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"hash/fnv"
	"path/filepath"
	"slices"
)

// A loop that is not free of effects can wait as well: it counts, it sleeps longer each time, it
// looks into channels, it takes back what it did. Such a loop gets hook.Turn at its head, and the
// engine compares its iterations by their hooked operations. So the rest of an iteration must be
// nothing that another goroutine could see or that could carry work: apart from hooked operations
// it changes only variables of the function that no other function uses. hook.Turn is given those
// of them that can decide what a later iteration does: only if they are equal at the heads of two
// iterations is the thread in the same state. Loops that count are not marked: they end.
//
// Every other loop that a scheduling point may be in gets hook.Loop at its head. The engine
// compares its iterations only after an execution did not end.

// forStmt marks a loop by the first rule that it satisfies.
func (r *rewriter) forStmt(loop *ast.ForStmt) {
	if r.spins(loop) {
		r.markSpin(loop)
		return
	}
	if carried, ok := r.spinsCarrying(loop); ok && r.markHead(loop, "Spin", carried) {
		return
	}
	carried, ok := r.waits(loop)
	if !ok || !r.markHead(loop, "Turn", carried) {
		r.markLoop(loop, loop.Body)
	}
}

// waits reports whether to mark a loop that spins does not, and what it carries.
func (r *rewriter) waits(loop *ast.ForStmt) (carried []string, ok bool) {
	a := r.loopAnalysis(loop)
	a.waits = true
	if a.fn = r.enclosingFunction(); a.fn == nil || a.counts(loop) {
		return nil, false
	}
	ok = a.pureStmt(loop.Post, true) && (loop.Cond == nil || a.pureExpr(loop.Cond)) &&
		a.pureList(loop.Body.List, true) && a.hooked && !a.retries(loop)
	carried = r.carried(loop)
	if a.unseen {
		carried = append(carried, r.hook("Changing")+"()")
	}
	return carried, ok
}

// retries reports whether the post statement loads anew what the body, judged before, tries to
// change. Such a loop goes on only because others have changed it: it does not wait.
//
//	for old := p.Load(); old < limit; old = p.Load() {
//		if p.CompareAndSwap(old, old+1) {
//			return true
//		}
//	}
func (a *spinAnalysis) retries(loop *ast.ForStmt) bool {
	_, loads := loop.Post.(*ast.AssignStmt)
	return loads && loop.Cond != nil && !a.hooks(loop.Cond) && a.writes
}

// counts reports whether the loop ends by its post statement: the condition has something that it
// has, too.
func (a *spinAnalysis) counts(loop *ast.ForStmt) bool {
	if loop.Post == nil || loop.Cond == nil || a.hooks(loop.Cond) || a.hooks(loop.Post) {
		return false
	}
	both := false
	ast.Inspect(loop.Post, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			v := a.c.info.ObjectOf(id)
			both = both || v != nil && a.uses(loop.Cond, v)
		}
		return !both
	})
	return both
}

// markHead gives the loop a number for each time it is entered, and tells the engine at the head of
// each iteration, by Turn or Spin, what it carries. It reports false if there is no room for the
// number.
//
//	for i, n := 0, hook.SpinStart(); cond; post { hook.Turn(n, i); ... }
func (r *rewriter) markHead(loop *ast.ForStmt, hook string, carried []string) bool {
	n := fmt.Sprintf("%sspin%d", r.c.prefix, r.loops)
	start := r.hook("SpinStart") + "()"
	head := r.off(loop.For) + len("for")
	switch init := loop.Init.(type) {
	case nil:
		start = " " + n + " := " + start
		switch {
		case hasSemicolon(r.src.text[head:r.off(loop.Body.Lbrace)]):
		case loop.Cond != nil:
			start += ";"
			r.ed.behind(r.off(loop.Cond.End()), ";")
		default:
			start += "; ;"
		}
		r.ed.behind(head, start)
	case *ast.AssignStmt:
		if init.Tok != token.DEFINE || len(init.Lhs) != len(init.Rhs) {
			return false
		}
		r.ed.front(r.off(init.Lhs[0].Pos()), n+", ")
		r.ed.front(r.off(init.Rhs[0].Pos()), start+", ")
	default:
		return false
	}
	r.loops++
	mark := " " + r.hook(hook) + "(" + n
	for _, v := range carried {
		mark += ", " + v
	}
	r.ed.front(r.off(loop.Body.Lbrace)+1, mark+");")
	return true
}

// markLoop tells the engine at the head of each iteration of another loop, if it contains a call or
// an operation on channels.
func (r *rewriter) markLoop(loop ast.Node, body *ast.BlockStmt) {
	a := &spinAnalysis{ss: r.ss, c: r.c}
	if a.mayWait(loop) {
		r.ed.front(r.off(body.Lbrace)+1, " "+r.loop(loop.Pos()))
	}
}

// loop is the call of hook.Loop for the loop at a position.
func (r *rewriter) loop(at token.Pos) string {
	h := fnv.New32a()
	fmt.Fprint(h, r.c.meta.ImportPath, filepath.Base(r.src.name), r.off(at))
	return fmt.Sprintf("%s(%d);", r.hook("Loop"), 1<<32|uint64(h.Sum32()))
}

// markLabel does what markLoop does for a statement to which a later goto goes back.
func (r *rewriter) markLabel(n *ast.LabeledStmt) {
	switch n.Stmt.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt,
		*ast.EmptyStmt, *ast.LabeledStmt, *ast.DeclStmt:
		return // the label must stay where it is
	}
	fn := r.enclosingFunction()
	if fn == nil {
		return
	}
	label, found := r.c.info.Defs[n.Label], false
	ast.Inspect(fn, func(m ast.Node) bool {
		b, ok := m.(*ast.BranchStmt)
		found = found || ok && b.Tok == token.GOTO && b.Pos() > n.Pos() &&
			r.c.info.Uses[b.Label] == label
		return !found
	})
	if found {
		r.ed.front(r.off(n.Stmt.Pos()), r.loop(n.Pos())+" ")
	}
}

// markRecursion does what markLoop does for a function that calls itself.
func (r *rewriter) markRecursion(n *ast.FuncDecl) {
	if n.Body == nil {
		return
	}
	self, found := r.c.info.Defs[n.Name], false
	ast.Inspect(n.Body, func(m ast.Node) bool {
		if call, ok := m.(*ast.CallExpr); ok {
			fn := callee(r.c.info, call)
			found = found || fn != nil && fn.Origin() == self
		}
		return !found
	})
	if found {
		r.markLoop(n, n.Body)
	}
}

// mayWait reports whether the statements contain an operation on channels, or a call that may lead
// to a hooked operation.
func (a *spinAnalysis) mayWait(body ast.Node) (found bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SendStmt, *ast.SelectStmt:
			found = true
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.CallExpr:
			fun := a.c.info.Types[n.Fun]
			found = found || a.looksIntoChannel(n) ||
				!fun.IsType() && !fun.IsBuiltin() && a.mayHook(callee(a.c.info, n))
		}
		return !found
	})
	return found
}

// mayHook reports whether a function is hooked, or one that the checker rewrites; nil is unknown.
func (a *spinAnalysis) mayHook(fn *types.Func) bool {
	switch {
	case fn == nil || fn.Pkg() == nil:
		return true
	case fn.Signature().Recv() == nil && a.ss.function(fn).role == hookedOp,
		fn.Signature().Recv() != nil && a.ss.method(fn).role == hookedOp:
		return true
	}
	p := a.ss.l.pkgs[fn.Pkg().Path()]
	return p == nil || !p.Standard
}

// assignedFirst returns the variables of the function that each iteration of the loop assigns, in a
// statement of its body, before it uses them: they carry nothing from one iteration to the next.
func (r *rewriter) assignedFirst(loop *ast.ForStmt) map[types.Object]bool {
	fn := r.enclosingFunction()
	if fn == nil {
		return nil
	}
	a := &spinAnalysis{ss: r.ss, c: r.c, fn: fn}
	fresh := map[types.Object]bool{}
	var before []ast.Node
	if loop.Cond != nil {
		before = append(before, loop.Cond)
	}
	for _, s := range loop.Body.List {
		init := s
		switch s := s.(type) {
		case *ast.IfStmt:
			init = s.Init
		case *ast.SwitchStmt:
			init = s.Init
		}
		if as, ok := init.(*ast.AssignStmt); ok && as.Tok == token.ASSIGN {
			for _, e := range as.Rhs {
				before = append(before, e)
			}
			for _, l := range as.Lhs {
				id, ok := l.(*ast.Ident)
				if !ok {
					continue
				}
				v := a.c.info.ObjectOf(id)
				used := func(n ast.Node) bool { return a.uses(n, v) }
				first := !slices.ContainsFunc(before, used)
				if v != nil && id.Name != "_" && a.private(v) && first {
					fresh[v] = true
				}
			}
		}
		before = append(before, s)
	}
	return fresh
}

// assigned returns the variables from outside the loop's body that an iteration assigns, without
// those that each iteration assigns before it uses them.
func (r *rewriter) assigned(loop *ast.ForStmt) (vars []types.Object) {
	info := r.c.info
	fresh := r.assignedFirst(loop)
	assigned := func(e ast.Expr) {
		id, ok := ast.Unparen(e).(*ast.Ident)
		if !ok || id.Name == "_" {
			return
		}
		v := info.ObjectOf(id)
		if v != nil && (v.Pos() < loop.Body.Pos() || v.Pos() >= loop.Body.End()) && !fresh[v] &&
			!slices.Contains(vars, v) {
			vars = append(vars, v)
		}
	}
	ast.Inspect(loop, func(n ast.Node) bool {
		if n == loop.Init && n != nil {
			return false
		}
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				assigned(l)
			}
		case *ast.IncDecStmt:
			assigned(n.X)
		case *ast.RangeStmt:
			assigned(n.Key)
			assigned(n.Value)
		}
		return true
	})
	return vars
}

// carried returns, as arguments of hook.Turn, the variables from outside the loop's body that an
// iteration assigns and that can decide what a later one does.
func (r *rewriter) carried(loop *ast.ForStmt) (args []string) {
	for _, v := range r.assigned(loop) {
		switch {
		case !r.decides(loop, v):
		case r.comparable(loop, v):
			args = append(args, v.Name())
		default:
			args = append(args, r.hook("Changing")+"()")
		}
	}
	return args
}

// comparable reports whether the engine can be given v at the head of the loop, and compare it.
func (r *rewriter) comparable(loop *ast.ForStmt, v types.Object) bool {
	scope := r.c.info.Scopes[loop.Body]
	if scope == nil {
		return false
	}
	if _, seen := scope.LookupParent(v.Name(), loop.Body.Lbrace); seen != v {
		return false
	}
	switch v.Type().Underlying().(type) {
	case *types.Basic, *types.Pointer, *types.Chan, *types.Interface:
		return true
	}
	return false
}

// harmless are the assignments that cannot panic.
var harmless = []token.Token{
	token.ADD_ASSIGN, token.SUB_ASSIGN, token.MUL_ASSIGN,
	token.AND_ASSIGN, token.OR_ASSIGN, token.XOR_ASSIGN,
}

// decides reports whether the loop uses v other than to change v itself.
func (r *rewriter) decides(loop *ast.ForStmt, v types.Object) bool {
	info := r.c.info
	is := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && info.ObjectOf(id) == v
	}
	found := false
	ast.Inspect(loop, func(n ast.Node) bool {
		if n == loop.Init && n != nil {
			return false
		}
		switch n := n.(type) {
		case *ast.IncDecStmt:
			return !is(n.X)
		case *ast.AssignStmt:
			return len(n.Lhs) != 1 || !is(n.Lhs[0]) || !slices.Contains(harmless, n.Tok)
		case *ast.Ident:
			found = found || info.ObjectOf(n) == v
		}
		return !found
	})
	return found
}

// pureVariable is pureCall for a variable of a function literal that nothing else is assigned to.
func (a *spinAnalysis) pureVariable(call *ast.CallExpr) bool {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := a.c.info.ObjectOf(id).(*types.Var)
	if !ok {
		return false
	}
	lit := a.onlyLiteral(v)
	if lit == nil || lit.Pos() <= call.Pos() && call.Pos() < lit.End() {
		return false
	}
	in := &spinAnalysis{ss: a.ss, c: a.c, lo: lit.Pos(), hi: lit.End()}
	pure := in.pureList(lit.Body.List, false)
	a.hooked, a.writes = a.hooked || in.hooked, a.writes || in.writes
	return pure
}

// onlyLiteral returns the function literal that v is declared with, nil if there is none or if v
// can have another value: f, err := g() may assign to an f that was there before, as may a loop.
func (a *spinAnalysis) onlyLiteral(v *types.Var) (lit *ast.FuncLit) {
	names := func(e ast.Expr) (id *ast.Ident, ok bool) {
		id, ok = ast.Unparen(e).(*ast.Ident)
		return id, ok && a.c.info.ObjectOf(id) == v
	}
	changed := false
	assigns := func(e ast.Expr) {
		id, ok := names(e)
		changed = changed || ok && a.c.info.Defs[id] == nil
	}
	for _, f := range a.c.files {
		if v.Pos() < f.ast.Pos() || v.Pos() >= f.ast.End() {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, l := range n.Lhs {
					assigns(l)
					if _, ok := names(l); ok && len(n.Lhs) == len(n.Rhs) && lit == nil {
						lit, _ = n.Rhs[i].(*ast.FuncLit)
					}
				}
			case *ast.RangeStmt:
				assigns(n.Key)
				assigns(n.Value)
			case *ast.UnaryExpr:
				_, ok := names(n.X)
				changed = changed || n.Op == token.AND && ok
			}
			return !changed
		})
	}
	if changed || v.Parent() == a.c.pkg.Scope() {
		return nil
	}
	return lit
}

// hooks reports whether a condition or a post statement contains a call or a channel operation.
func (a *spinAnalysis) hooks(n ast.Node) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			fun := a.c.info.Types[n.Fun]
			found = found || !fun.IsType() && !fun.IsBuiltin() || a.looksIntoChannel(n)
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		}
		return true
	})
	return found
}

// enclosingFunction returns the innermost function around the statement that is visited.
func (r *rewriter) enclosingFunction() ast.Node {
	for i := len(r.stack) - 1; i >= 0; i-- {
		switch n := r.stack[i].(type) {
		case *ast.FuncLit, *ast.FuncDecl:
			return n
		}
	}
	return nil
}

// private reports whether v is a variable that only a.fn itself uses, by its name.
func (a *spinAnalysis) private(v types.Object) bool {
	switch types.Unalias(v.Type()).Underlying().(type) {
	case *types.Basic, *types.Interface, *types.Pointer, *types.Chan, *types.Slice, *types.Map,
		*types.Signature:
		if t, ok := types.Unalias(v.Type()).(*types.Named); ok && hasPointerMethods(t.Obj()) {
			return false // a call of a method may take its address
		}
	default:
		return false // so may slicing an array, or a method of a field
	}
	if v.Pos() < a.fn.Pos() || v.Pos() >= a.fn.End() {
		return false
	}
	private := true
	ast.Inspect(a.fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			if n != a.fn && a.uses(n, v) {
				private = false
			}
		case *ast.UnaryExpr:
			if id, ok := ast.Unparen(n.X).(*ast.Ident); ok && n.Op == token.AND &&
				a.c.info.ObjectOf(id) == v {
				private = false
			}
		}
		return private
	})
	return private
}

func (a *spinAnalysis) uses(in ast.Node, v types.Object) (found bool) {
	ast.Inspect(in, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && a.c.info.ObjectOf(id) == v {
			found = true
		}
		return !found
	})
	return found
}

// waitStmt is pureStmt for what only a loop that waits may contain.
func (a *spinAnalysis) waitStmt(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.SendStmt:
		a.hooked = true
		return a.pureExpr(s.Chan) && a.pureExpr(s.Value)
	case *ast.SelectStmt:
		a.hooked = true
		for _, c := range s.Body.List {
			c := c.(*ast.CommClause)
			if !a.pureStmt(c.Comm, false) || !a.pureList(c.Body, false) {
				return false
			}
		}
		return true
	}
	return false
}

// waitCall is pureCall for what looks at contexts, which is made of hooked operations, and for
// timers that each iteration makes anew.
func (a *spinAnalysis) waitCall(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	switch {
	case !a.waits && (recv == nil || a.ss.ownContexts()):
		return false
	case recv == nil:
		name := fn.FullName()
		known := name == "context.Cause" || name == "time.After" || name == "time.NewTimer"
		a.hooked = a.hooked || known
		return known
	}
	tn := typeName(recv.Type())
	if tn == nil || tn.Pkg() == nil || tn.Pkg().Path() != "context" || tn.Name() != "Context" {
		return false
	}
	a.hooked, a.unseen = true, a.unseen || a.ss.ownContexts()
	return true
}

// ownContexts reports whether a checked package declares a method that a context.Context has: a
// context may then have effects that are not seen.
func (ss *session) ownContexts() bool {
	if ss.contexts == nil {
		found := false
		for fn := range ss.decls {
			found = found || isContextMethod(fn)
		}
		ss.contexts = &found
	}
	return *ss.contexts
}

// isContextMethod reports whether fn is a method with the name and the result of one of a
// context.Context.
func isContextMethod(fn *types.Func) bool {
	sig := fn.Signature()
	if sig.Recv() == nil || sig.Results().Len() == 0 {
		return false
	}
	result := sig.Results().At(0).Type()
	switch fn.Name() {
	case "Err":
		return types.Identical(result, types.Universe.Lookup("error").Type())
	case "Done":
		_, channel := result.Underlying().(*types.Chan)
		return channel
	case "Value":
		return sig.Params().Len() == 1 && sig.Results().Len() == 1
	case "Deadline":
		return sig.Results().Len() == 2
	}
	return false
}
