package instrument

import (
	"go/ast"
	"go/types"
)

// A sentinel is a package variable with an error that nobody can change, as nearly all errors are
// that programs compare by identity. It is not made anew where errors of other types have a state:
// a table of wanted errors that stands outside of the body would hold another one.

// isSentinel reports whether v is one.
func (p *packageState) isSentinel(v *types.Var) bool {
	if !isError(v.Type()) {
		return false
	}
	known, ok := p.sentinels[v]
	if !ok {
		s := p.first[v]
		known = !p.assigned[v] && (s == nil || len(s.lhs) == 1 && p.unchanging(s.c, s.rhs))
		p.sentinels[v] = known
	}
	return known
}

// unchanging reports whether the value of an expression is an error that nobody can change, or
// none.
func (p *packageState) unchanging(c *checked, e ast.Expr) bool {
	e = ast.Unparen(e)
	tv := c.info.Types[e]
	switch {
	case tv.IsNil():
		return true
	case tv.Type == nil:
		return false
	case !types.IsInterface(tv.Type):
		return p.immutable(tv.Type) && !hasFunc(tv.Type)
	}
	switch e := e.(type) {
	case *ast.Ident:
		return p.unchangingVar(c.info.Uses[e])
	case *ast.SelectorExpr:
		return p.unchangingVar(c.info.Uses[e.Sel])
	case *ast.CallExpr:
		if c.info.Types[e.Fun].IsType() {
			return p.unchanging(c, e.Args[0])
		}
		return p.unchangingCall(c, e)
	}
	return false
}

func (p *packageState) unchangingVar(o types.Object) bool {
	v := packageVar(o)
	if v == nil {
		return false
	}
	if p.pkgs[v.Pkg()] == nil {
		l := p.ss.l.pkgs[v.Pkg().Path()]
		return l != nil && l.Standard
	}
	return p.isSentinel(v)
}

// unchangingCall is unchanging for a call: of a function of the library that makes errors, or of
// one that returns nothing else.
func (p *packageState) unchangingCall(c *checked, call *ast.CallExpr) bool {
	fn := callee(c.info, call)
	if fn == nil || call.Ellipsis.IsValid() {
		return false
	}
	switch fn.FullName() {
	case "errors.New":
		return true
	case "errors.Join", "fmt.Errorf":
		is := types.Universe.Lookup("error").Type().Underlying().(*types.Interface)
		for _, arg := range call.Args {
			t := c.info.TypeOf(arg)
			holds := types.IsInterface(t) || types.Implements(t, is)
			if holds && !p.unchanging(c, arg) {
				return false
			}
		}
		return true
	}
	return p.returnsUnchanging(fn.Origin())
}

// returnsUnchanging reports whether a function returns one error, which nobody can change.
func (p *packageState) returnsUnchanging(fn *types.Func) bool {
	known, ok := p.makes[fn]
	d, has := p.ss.decls[fn]
	if ok || !has || p.pkgs[d.pkg.pkg] != d.pkg || d.decl.Body == nil {
		return known
	}
	p.makes[fn] = false // if it calls itself
	results := d.decl.Type.Results
	known = results.NumFields() == 1 && len(results.List[0].Names) == 0
	ast.Inspect(d.decl.Body, func(n ast.Node) bool {
		if ret, ok := n.(*ast.ReturnStmt); ok && known {
			known = p.unchanging(d.pkg, ret.Results[0])
		}
		_, lit := n.(*ast.FuncLit)
		return !lit
	})
	p.makes[fn] = known
	return known
}
