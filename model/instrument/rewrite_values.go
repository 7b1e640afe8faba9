package instrument

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/refactor/satisfy"
)

// A type that embeds a *pointer* to a sync type, or an interface, has the
// promoted methods as a value too. An explicit method with a value receiver
// would copy the whole struct when it is called through a pointer, and the
// race detector would see that copy read fields which another goroutine
// writes: a race that the program does not have. So the receiver is a pointer
// unless the program needs the methods of the value.

// valueUses returns the named types of which the packages use the value as an
// interface, or as a type argument with methods.
func valueUses(pkgs []*checked) map[*types.TypeName]bool {
	uses := make(map[*types.TypeName]bool)
	for _, c := range pkgs {
		constraints, ok := implements(c)
		if !ok {
			// A value receiver always compiles.
			for _, obj := range c.info.Defs {
				if tn, ok := obj.(*types.TypeName); ok {
					uses[tn] = true
				}
			}
		}
		for con := range constraints {
			noteValue(uses, con.RHS)
		}
		noteEmpty(uses, c)
		for _, inst := range c.info.Instances {
			for t := range listTypes(inst.TypeArgs) {
				noteValue(uses, t)
			}
		}
		for sel, s := range c.info.Selections {
			if s.Kind() == types.MethodExpr && c.info.Types[sel.X].IsType() {
				noteValue(uses, s.Recv())
			}
		}
	}
	return uses
}

// noteEmpty notes the types of which values become an empty interface, where anybody may ask for
// their methods.
func noteEmpty(uses map[*types.TypeName]bool, c *checked) {
	for _, f := range c.files {
		r := rewriter{c: c}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if n == nil {
				r.stack = r.stack[:len(r.stack)-1]
				return true
			}
			if e, ok := n.(ast.Expr); ok && holdsEmbedded(c.info.Types[e]) {
				if target, _ := r.target(e); target != nil && types.IsInterface(target) {
					noteValue(uses, c.info.TypeOf(e))
				}
			}
			r.stack = append(r.stack, n)
			return true
		})
	}
}

// holdsEmbedded reports whether an expression is a value of a type that embeds others.
func holdsEmbedded(tv types.TypeAndValue) bool {
	if !tv.IsValue() || tv.Type == nil {
		return false
	}
	st, ok := tv.Type.Underlying().(*types.Struct)
	return ok && embeds(st)
}

// implements returns which types the package uses as which interfaces. It
// fails on constructs newer than the library that finds them.
func implements(c *checked) (found map[satisfy.Constraint]bool, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	files := make([]*ast.File, len(c.files))
	for i, s := range c.files {
		files[i] = s.ast
	}
	var f satisfy.Finder
	f.Find(c.info, files)
	return f.Result, true
}

// noteValue notes a type whose values are used, and what it embeds if it
// cannot have methods of its own.
func noteValue(uses map[*types.TypeName]bool, t types.Type) {
	t = types.Unalias(t)
	if n, ok := t.(*types.Named); ok {
		if uses[n.Obj()] {
			return
		}
		uses[n.Obj()] = true
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for f := range st.Fields() {
		if f.Embedded() {
			noteValue(uses, f.Type())
		}
	}
}
