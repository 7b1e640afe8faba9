package instrument

import (
	"context"
	"errors"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// checks returns the tests of a package that can reach model.Check by the
// functions and variables which they mention, in any rewritten package. With
// Config.Tests it returns the others. Those that replay a schedule of one of
// them are returned by themselves.
func (s *Set) checks(ctx context.Context, root *listed) ([]string, []Replay, error) {
	if root.engine() || s.plain.testmain(root) == nil {
		return nil, nil, nil
	}
	if !s.plain.usesModel(root) && !s.cfg.Tests {
		return nil, nil, nil
	}
	if s.race != nil {
		// What is learned of these types is what Build needs first.
		same, err := s.sameFiles(ctx, root.ImportPath)
		if err != nil {
			return nil, nil, err
		}
		if same {
			names, replays, err := s.checksIn(ctx, s.race, s.race.root(root.ImportPath))
			var build *BuildError
			if !errors.As(err, &build) {
				return names, replays, err
			}
		}
	}
	return s.checksIn(ctx, s.plain, root)
}

// checksIn is checks by the types of a listing.
func (s *Set) checksIn(
	ctx context.Context, l *listing, root *listed,
) ([]string, []Replay, error) {
	closure := l.closure(root)
	ss := s.session(ctx, l, root)
	var names []string
	others := slices.Clone(s.leftOut[root.ImportPath])
	var replays []Replay
	reach := &reachability{ss: ss, assigned: make(map[types.Object][]assigned)}
	var own []*checked
	for _, p := range closure {
		is := p.ImportPath == root.ImportPath || p.ImportPath == root.ImportPath+"_test"
		if !is || ss.excluded[p.ID] {
			continue
		}
		c, err := ss.load(p.ID)
		if err != nil {
			return nil, nil, err
		}
		own = append(own, c)
		reach.noteAssigned(c)
	}
	for _, c := range own {
		for _, f := range c.files {
			if !strings.HasSuffix(f.name, "_test.go") {
				continue
			}
			for _, d := range f.ast.Decls {
				fd, ok := d.(*ast.FuncDecl)
				if !ok || fd.Recv != nil || !isTestName(fd.Name.Name) {
					continue
				}
				fn, ok := c.info.Defs[fd.Name].(*types.Func)
				if !ok || !isTestSignature(fn.Signature()) {
					continue
				}
				if r := replayOf(ss.fset, fd); r != nil {
					replays = append(replays, *r)
				} else if reach.reaches(fn) != s.cfg.Tests {
					names = append(names, fn.Name())
				} else {
					others = append(others, fn.Name())
				}
			}
		}
	}
	sort.Strings(names)
	names = slices.Compact(names) // the external test package may have one of the same name
	return names, replaysOf(replays, names, others), nil
}

// isTestName reports whether go test runs a function of that name.
func isTestName(name string) bool {
	rest, ok := strings.CutPrefix(name, "Test")
	first, _ := utf8.DecodeRuneInString(rest)
	return ok && (rest == "" || !unicode.IsLower(first))
}

func isTestSignature(sig *types.Signature) bool {
	if sig.Params().Len() != 1 || sig.Results().Len() != 0 || sig.TypeParams() != nil {
		return false
	}
	tn := typeName(sig.Params().At(0).Type())
	return tn != nil && tn.Pkg() != nil && tn.Pkg().Path() == "testing" && tn.Name() == "T"
}

// reachability follows references of functions and package-level variables: static ones, and by
// interfaces. A type that is mentioned has those of its methods called that share their names with
// methods that are called by an interface; if anything is called by reflection, all exported ones.
type reachability struct {
	ss      *session
	seen    map[types.Object]bool
	types   []*types.Named  // that are mentioned
	called  map[string]bool // methods of interfaces
	reflect bool

	assigned map[types.Object][]assigned // to package-level variables
}

// assigned is what a function of the package itself, or of its tests, assigns to a variable.
type assigned struct {
	in    *checked
	value ast.Expr
}

// noteAssigned notes what the functions of a package assign to package-level variables, or to what
// these contain.
func (v *reachability) noteAssigned(c *checked) {
	for _, f := range c.files {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			a, ok := n.(*ast.AssignStmt)
			if !ok || a.Tok == token.DEFINE {
				return true
			}
			for _, to := range a.Lhs {
				to, ok := c.info.Uses[c.assignee(to)].(*types.Var)
				if !ok || to.Parent() != to.Pkg().Scope() {
					continue
				}
				for _, value := range a.Rhs {
					v.assigned[to] = append(v.assigned[to], assigned{c, value})
				}
			}
			return true
		})
	}
}

// assignee returns the name of the variable that is assigned to, or that contains what is; nil if
// there is none.
func (c *checked) assignee(e ast.Expr) *ast.Ident {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return x
		case *ast.ParenExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			if id, ok := x.X.(*ast.Ident); ok {
				if _, ok := c.info.Uses[id].(*types.PkgName); ok {
					return x.Sel
				}
			}
			e = x.X
		default:
			return nil
		}
	}
}

func (v *reachability) reaches(from types.Object) bool {
	v.seen, v.called = make(map[types.Object]bool), make(map[string]bool)
	v.types, v.reflect = v.types[:0], false
	return v.visit(from)
}

func (v *reachability) visit(obj types.Object) bool {
	switch o := obj.(type) {
	case *types.Func:
		obj = o.Origin()
	case *types.Var:
		obj = o.Origin()
	case *types.TypeName:
	default:
		return false
	}
	if obj.Pkg() == nil || v.seen[obj] {
		return false
	}
	v.seen[obj] = true
	if obj.Pkg().Path() == modelPath {
		return obj.Name() == "Check"
	}
	switch o := obj.(type) {
	case *types.Func:
		if v.calls(o) {
			return true
		}
		d, ok := v.ss.decls[o]
		if !ok || d.decl.Body == nil {
			return false
		}
		return v.mentions(d.pkg, d.decl.Body)
	case *types.Var:
		if o.IsField() || o.Parent() != o.Pkg().Scope() {
			return false
		}
		c, value := v.ss.initializer(o)
		return v.has(o.Type()) || value != nil && v.mentions(c, value) ||
			slices.ContainsFunc(v.assigned[o], func(a assigned) bool {
				return v.mentions(a.in, a.value)
			})
	case *types.TypeName:
		return v.has(o.Type())
	}
	return false
}

// calls is visit for what a function is called by, other than its name.
func (v *reachability) calls(o *types.Func) bool {
	recv := o.Signature().Recv()
	switch {
	case recv == nil || v.called[o.Name()]:
		return false
	case types.IsInterface(recv.Type()):
		v.called[o.Name()] = true
	case o.Pkg().Path() == "reflect" && (o.Name() == "Call" || o.Name() == "CallSlice"):
		v.reflect = true
	default:
		return false
	}
	return slices.ContainsFunc(slices.Clone(v.types), v.dynamic)
}

// has is visit for a type that is mentioned, and those that it contains.
func (v *reachability) has(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		t = t.Origin()
		if name := t.Obj(); name.Pkg() == nil || slices.Contains(v.types, t) {
			return false
		}
		v.types = append(v.types, t)
		return v.dynamic(t) || v.has(t.Underlying())
	case *types.Struct:
		for f := range t.Fields() {
			if f.Embedded() && v.has(f.Type()) {
				return true
			}
		}
	case *types.Pointer:
		return v.has(t.Elem())
	case *types.Slice:
		return v.has(t.Elem())
	case *types.Array:
		return v.has(t.Elem())
	case *types.Map:
		return v.has(t.Key()) || v.has(t.Elem())
	}
	return false
}

// dynamic visits those methods of a type that may be called by other than their names.
func (v *reachability) dynamic(t *types.Named) bool {
	for m := range t.Methods() {
		if (v.called[m.Name()] || v.reflect && m.Exported()) && v.visit(m) {
			return true
		}
	}
	return false
}

// mentions reports whether something named below n reaches model.Check.
func (v *reachability) mentions(c *checked, n ast.Node) bool {
	found := false
	ast.Inspect(n, func(m ast.Node) bool {
		if id, ok := m.(*ast.Ident); ok && !found {
			found = v.visit(c.info.Uses[id])
		}
		return !found
	})
	return found
}

// initializer returns the expression that a package-level variable starts
// with.
func (ss *session) initializer(v *types.Var) (*checked, ast.Expr) {
	for _, c := range ss.pkgs {
		if c.pkg != v.Pkg() {
			continue
		}
		for _, init := range c.info.InitOrder {
			for _, l := range init.Lhs {
				if l == v {
					return c, init.Rhs
				}
			}
		}
	}
	return nil, nil
}
