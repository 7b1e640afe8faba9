package instrument

import (
	"go/ast"
	"go/types"
	"slices"
)

// A sentinel is a package variable with an error that nobody can change, as nearly all errors are
// that programs compare by identity. It is not made anew where errors of other types have a state:
// a table of wanted errors that stands outside of the body would hold another one.

// isSentinel reports whether v is one, or holds such errors in a literal, of which nothing but one
// is handed on.
func (p *packageState) isSentinel(v *types.Var, handsOn types.Type) bool {
	if !isError(handsOn) {
		return false
	}
	known, ok := p.sentinels[v]
	if !ok {
		p.sentinels[v] = false // if it is its own initialiser
		known = !p.assigned[v] && p.beginsAsSentinel(v)
		p.sentinels[v] = known
	}
	return known
}

func (p *packageState) beginsAsSentinel(v *types.Var) bool {
	s := p.first[v]
	switch {
	case s == nil:
		return true
	case len(s.lhs) > 1:
		call, ok := ast.Unparen(s.rhs).(*ast.CallExpr)
		if !ok {
			return false
		}
		fn := callee(s.c.info, call)
		return fn != nil && p.returnsUnchanging(fn.Origin(), slices.Index(s.lhs, v))
	case isError(v.Type()):
		return p.unchanging(s.c, s.rhs)
	}
	return p.holdsUnchanging(s.c, s.rhs)
}

// holdsUnchanging reports whether an expression is a literal of which all errors are such as nobody
// can change.
func (p *packageState) holdsUnchanging(c *checked, e ast.Expr) bool {
	lit, ok := ast.Unparen(e).(*ast.CompositeLit)
	if !ok {
		return false
	}
	for _, part := range lit.Elts {
		if kv, ok := part.(*ast.KeyValueExpr); ok {
			part = kv.Value
		}
		t := c.info.TypeOf(part)
		switch {
		case p.unchanging(c, part):
		case p.holdsUnchanging(c, part):
		case t != nil && !types.IsInterface(t) && p.immutable(t):
		default:
			return false
		}
	}
	return true
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
		return !hasFunc(tv.Type) && (p.immutable(tv.Type) || p.madeOfUnchanging(c, e))
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

// madeOfUnchanging reports whether an expression is the address of a literal that nobody changes,
// in which all errors are such ones.
func (p *packageState) madeOfUnchanging(c *checked, e ast.Expr) bool {
	at, ok := e.(*ast.UnaryExpr)
	if !ok || !p.keeps(c.info.TypeOf(at.X)) {
		return false
	}
	_, isStruct := c.info.TypeOf(at.X).Underlying().(*types.Struct)
	return isStruct && p.holdsUnchanging(c, at.X)
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
	return p.isSentinel(v, v.Type())
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
	case "fmt.Errorf":
		is := types.Universe.Lookup("error").Type().Underlying().(*types.Interface)
		wrapped := 0 // of several, anybody can have the slice
		for _, arg := range call.Args {
			t := c.info.TypeOf(arg)
			_, several := t.(*types.Tuple)
			if several || types.IsInterface(t) || types.Implements(t, is) {
				wrapped++
				if several || !p.unchanging(c, arg) {
					return false
				}
			}
		}
		return wrapped < 2
	}
	return p.returnsUnchanging(fn.Origin(), 0)
}

// A madeError is a result of a function.
type madeError struct {
	fn     *types.Func
	result int
}

// returnsUnchanging reports whether a result of a function is an error that nobody can change.
func (p *packageState) returnsUnchanging(fn *types.Func, result int) bool {
	of := madeError{fn, result}
	known, ok := p.makes[of]
	d, has := p.ss.decls[fn]
	if ok || !has || p.pkgs[d.pkg.pkg] != d.pkg || d.decl.Body == nil {
		return known
	}
	p.makes[of] = false // if it calls itself
	results := d.decl.Type.Results
	known = results.NumFields() > result && len(results.List[0].Names) == 0
	ast.Inspect(d.decl.Body, func(n ast.Node) bool {
		if ret, ok := n.(*ast.ReturnStmt); ok && known {
			known = len(ret.Results) > result && p.unchanging(d.pkg, ret.Results[result])
		}
		_, lit := n.(*ast.FuncLit)
		return !lit
	})
	p.makes[of] = known
	return known
}
