package instrument

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"hash/fnv"
	"path/filepath"
)

// A loop that is not free of effects can wait as well: it counts, it sleeps longer each time, it
// looks into channels, it takes back what it did. Such a loop gets hook.Turn at its head, and the
// engine compares its iterations by their hooked operations. So the rest of an iteration must be
// nothing that another goroutine could see or that could carry work: apart from hooked operations
// it changes only plain variables of the function that no other function uses. Loops that count
// are not marked: they end.

// waits reports whether to mark a loop that spins does not.
func (r *rewriter) waits(loop *ast.ForStmt) bool {
	a := r.loopAnalysis(loop)
	if a.fn = r.enclosingFunction(); a.fn == nil || counts(loop.Post) && !a.hooks(loop.Cond) {
		return false
	}
	return a.pureStmt(loop.Post, true) && (loop.Cond == nil || a.pureExpr(loop.Cond)) &&
		a.pureList(loop.Body.List, true) && a.hooked
}

// counts reports whether a loop with this post statement ends by it.
func counts(post ast.Stmt) bool {
	_, call := post.(*ast.ExprStmt)
	return post != nil && !call
}

// markTurn gives the loop a number and tells the engine at the head of each iteration.
func (r *rewriter) markTurn(loop *ast.ForStmt) {
	h := fnv.New32a()
	fmt.Fprint(h, r.c.meta.ImportPath, filepath.Base(r.src.name), r.off(loop.For))
	mark := fmt.Sprintf(" %s(%d);", r.hook("Turn"), 1<<32|uint64(h.Sum32()))
	r.ed.front(r.off(loop.Body.Lbrace)+1, mark)
}

// hooks reports whether the condition contains a call or a receive.
func (a *spinAnalysis) hooks(cond ast.Expr) (found bool) {
	if cond == nil {
		return true
	}
	ast.Inspect(cond, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			found = found || !a.c.info.Types[n.Fun].IsType() && !a.c.info.Types[n.Fun].IsBuiltin()
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

// private reports whether v is a variable of a basic type, or an error, that only a.fn itself uses,
// by its name.
func (a *spinAnalysis) private(v types.Object) bool {
	switch v.Type().Underlying().(type) {
	case *types.Basic:
	case *types.Interface:
		if v.Type() != types.Universe.Lookup("error").Type() {
			return false
		}
	default:
		return false
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

// waitCall is pureCall for what looks at contexts, which is made of hooked operations.
func (a *spinAnalysis) waitCall(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	switch {
	case a.fn == nil:
		return false
	case recv == nil:
		cause := fn.FullName() == "context.Cause"
		a.hooked = a.hooked || cause
		return cause
	}
	tn := typeName(recv.Type())
	if tn == nil || tn.Pkg() == nil || tn.Pkg().Path() != "context" || tn.Name() != "Context" {
		return false
	}
	a.hooked = true
	return true
}
