package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// reachability follows references of functions and package-level variables: static ones, and by
// interfaces. A type that is mentioned, or that a value has, has those of its methods called that
// share their names with methods that are called by an interface; if anything is called by
// reflection, all exported ones. A variable has what is assigned to it; and, if the look is wide,
// functions of its type may be put into it by code that does not mention it, if they are handed to
// a function, or stored where a pointer leads.
type reachability struct {
	ss        *session
	wide      bool
	seen      map[types.Object]bool
	known     map[types.Type]bool   // has was asked about it
	types     []*types.Named        // that are mentioned
	mentioned map[*types.Named]bool // likewise
	called    map[string]bool       // methods of interfaces
	reflect   bool

	assigned map[types.Object][]assigned // to package-level variables
	handed   []assigned                  // to whom, nobody knows
	below    map[ast.Node]*mention       // what code mentions
	fitting  map[types.Type][]int        // of handed: what may be part of a value of the type
	took     map[int]bool                // of handed: what was visited
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
			switch n := n.(type) {
			case *ast.AssignStmt:
				if n.Tok != token.DEFINE {
					v.assigns(c, n)
				}
			case *ast.CallExpr:
				if _, own := v.ss.decls[origin(callee(c.info, n))]; own {
					for _, value := range n.Args {
						v.hand(c, value)
					}
				}
			}
			return true
		})
	}
}

func (v *reachability) assigns(c *checked, a *ast.AssignStmt) {
	for _, l := range a.Lhs {
		id := c.assignee(l)
		to, ok := c.info.Uses[id].(*types.Var)
		for _, value := range a.Rhs {
			switch {
			case ok && to.Parent() == to.Pkg().Scope():
				v.assigned[to] = append(v.assigned[to], assigned{c, value})
			case ast.Unparen(l) != ast.Expr(id):
				v.hand(c, value)
			}
		}
	}
}

// hand notes a function, or a value with methods, that is stored who knows where.
func (v *reachability) hand(c *checked, value ast.Expr) {
	t := c.info.TypeOf(value)
	if t == nil || types.IsInterface(t) {
		return
	}
	if _, ok := t.Underlying().(*types.Basic); !ok {
		v.handed = append(v.handed, assigned{c, value})
	}
}

func origin(fn *types.Func) *types.Func {
	if fn == nil {
		return nil
	}
	return fn.Origin()
}

// taken visits what may have been put into a variable of the type by code that does not mention it.
func (v *reachability) taken(t types.Type) bool {
	fits, known := v.fitting[t]
	if !known {
		fits = v.fit(t)
		v.fitting[t] = fits
	}
	for _, i := range fits {
		if v.took[i] {
			continue
		}
		v.took[i] = true
		h := v.handed[i]
		if v.has(h.in.info.TypeOf(h.value)) || v.mentions(h.in, h.value) {
			return true
		}
	}
	return false
}

// fit returns the indices of what was handed on and may be part of a value of the type.
func (v *reachability) fit(t types.Type) (indices []int) {
	held := make(map[types.Type]bool) // functions and interfaces
	leadsTo(t, func(t types.Type) bool {
		switch u := t.Underlying().(type) {
		case *types.Signature:
			held[u] = true
		case *types.Interface:
			if u.NumMethods() > 0 { // all is any
				held[u] = true
			}
		}
		return false
	})
	for i, h := range v.handed {
		value := h.in.info.TypeOf(h.value)
		for t := range held {
			fits := types.Identical(t, value.Underlying())
			if of, ok := t.(*types.Interface); ok {
				fits = types.Implements(value, of)
			}
			if fits {
				indices = append(indices, i)
				break
			}
		}
	}
	return indices
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
	v.types, v.reflect, v.took = v.types[:0], false, make(map[int]bool)
	v.known, v.mentioned = make(map[types.Type]bool), make(map[*types.Named]bool)
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
			}) || v.wide && v.taken(o.Type())
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
	case o.Pkg().Path() == "reflect" && callsAny[o.Name()]:
		v.reflect = true
	default:
		return false
	}
	return slices.ContainsFunc(slices.Clone(v.types), v.dynamic)
}

// has is visit for a type that is mentioned, and those that it contains.
func (v *reachability) has(t types.Type) bool {
	if t == nil || v.known[t] {
		return false
	}
	v.known[t] = true
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if v.has(arg) {
				return true
			}
		}
		t = t.Origin()
		if name := t.Obj(); name.Pkg() == nil || v.mentioned[t] ||
			v.ss.l.isStandard(name.Pkg()) {
			return false
		}
		v.mentioned[t] = true
		v.types = append(v.types, t)
		return v.dynamic(t) || v.has(t.Underlying())
	case *types.Tuple:
		for x := range t.Variables() {
			if v.has(x.Type()) {
				return true
			}
		}
	case *types.Struct:
		for f := range t.Fields() {
			if v.has(f.Type()) {
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

// isStandard reports whether a package is one of the standard library, none of which checks.
func (l *listing) isStandard(pkg *types.Package) bool {
	p := l.pkgs[pkg.Path()]
	return p != nil && p.Standard
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
	m := v.below[n]
	if m == nil {
		m = mentionedBelow(c, n)
		v.below[n] = m
	}
	return slices.ContainsFunc(m.objects, v.visit) || slices.ContainsFunc(m.results, v.has)
}

// A mention is what code below a node names, and the types of what its calls return, which need not
// be named.
type mention struct {
	objects []types.Object
	results []types.Type
}

func mentionedBelow(c *checked, n ast.Node) *mention {
	m := new(mention)
	objects, results := make(map[types.Object]bool), make(map[types.Type]bool)
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if o := c.info.Uses[n]; o != nil && !objects[o] {
				objects[o] = true
				m.objects = append(m.objects, o)
			}
		case *ast.CallExpr:
			if t := c.info.TypeOf(n); t != nil && !results[t] {
				results[t] = true
				m.results = append(m.results, t)
			}
		}
		return true
	})
	return m
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
