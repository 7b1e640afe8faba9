package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

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
	reflection := reflects(pkgs)
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
		noteInterfaces(uses, c, reflection)
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

// noteInterfaces notes the types of which values become an interface, where anybody may ask for
// their methods; with reflection, those of what values that become an any lead to, too.
func noteInterfaces(uses map[*types.TypeName]bool, c *checked, reflection bool) {
	seen := make(map[types.Type]bool) // as an any
	note := func(target, t types.Type) {
		if target == nil || !types.IsInterface(target) || types.IsInterface(t) || seen[t] {
			return
		}
		if i, _ := target.Underlying().(*types.Interface); !reflection || i.NumMethods() > 0 {
			noteValue(uses, t)
			return
		}
		seen[t] = true
		leadsTo(t, func(t types.Type) bool {
			if n, ok := t.(*types.Named); ok && holdsEmbedded(t) {
				noteValue(uses, n)
			}
			return false
		})
	}
	for _, f := range c.files {
		for _, d := range f.ast.Decls {
			w := stateWalker{c: c}
			ast.Inspect(d, func(n ast.Node) bool {
				if n == nil {
					w.stack = w.stack[:len(w.stack)-1]
					return true
				}
				if e, ok := n.(ast.Expr); ok {
					if tv := c.info.Types[e]; tv.IsValue() && (reflection || mayEmbed(tv.Type)) {
						w.conversions(e, tv.Type, note)
					}
				}
				if loop, ok := n.(*ast.RangeStmt); ok && loop.Tok == token.ASSIGN {
					w.ranged(loop, note)
				}
				w.stack = append(w.stack, n)
				return true
			})
		}
	}
}

// reflects reports whether one of the packages looks at values by reflection itself.
func reflects(pkgs []*checked) bool {
	return slices.ContainsFunc(pkgs, func(c *checked) bool {
		return slices.ContainsFunc(c.pkg.Imports(), func(p *types.Package) bool {
			return p.Path() == "reflect"
		})
	})
}

// mayEmbed reports whether a value, or one of several, is of a type that embeds others.
func mayEmbed(t types.Type) bool {
	_, several := t.(*types.Tuple)
	return several || t != nil && holdsEmbedded(t)
}

// holdsEmbedded reports whether values of a type embed others.
func holdsEmbedded(t types.Type) bool {
	st, ok := t.Underlying().(*types.Struct)
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
