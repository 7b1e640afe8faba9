package instrument

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// narrow finds for each test which parts its executions do without: those that are chosen only
// because of other tests in the binary. A test that compares with tables of a large package does
// not make all others build these tables for each execution.
func (p *packageState) narrow(tests []types.Object) {
	byName := make(map[string][]types.Object) // the external test package may have the same
	for _, t := range tests {
		byName[t.Name()] = append(byName[t.Name()], t)
	}
	p.leftOut = make(map[string][]string)
	for name, roots := range byName {
		if out := p.without(p.choose(roots)); len(out) > 0 {
			p.leftOut[name] = out
		}
	}
}

// without returns the parts of p that q does not have, as hook.LeftOut takes them.
func (p *packageState) without(q *packageState) []string {
	var out []string
	variable := func(v *types.Var) {
		if _, kept := q.kept[v]; !kept && !q.fresh[v] {
			out = append(out, p.pkgs[v.Pkg()].meta.ImportPath+"."+v.Name())
		}
	}
	for v := range p.fresh {
		variable(v)
	}
	for v := range p.kept {
		variable(v)
	}
	for s := range p.again {
		if p.again[s] && !q.again[s] {
			out = append(out, fmt.Sprintf("%s#%d", s.c.meta.ImportPath, s.order))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// leftOutText returns the declarations that tell hook of what the tests do without, in the first
// test file of the package: so other binaries share the rewritten text of its other files.
func (r *rewriter) leftOutText() string {
	p := r.ss.state
	if p == nil || r.src != p.tells {
		return ""
	}
	byParts := make(map[string][]string)
	for test, parts := range p.leftOut {
		key := strings.Join(parts, " ")
		byParts[key] = append(byParts[key], test)
	}
	text := ""
	for _, parts := range slices.Sorted(maps.Keys(byParts)) {
		slices.Sort(byParts[parts])
		text += fmt.Sprintf("\nvar _ = %s(%q, %s)", r.hook("LeftOut"),
			strings.Join(byParts[parts], " "), strconv.Quote(parts))
	}
	return text
}

// roots returns the tests: those named, or all if none is.
func (p *stateFacts) roots(root *listed, pkgs []*checked, names []string) []types.Object {
	want := make(map[string]bool)
	for _, n := range names {
		want[n] = true
	}
	var out []types.Object
	for _, c := range pkgs {
		if !c.tests(root) {
			continue
		}
		for _, f := range c.files {
			if !strings.HasSuffix(f.name, "_test.go") {
				continue
			}
			for _, d := range f.ast.Decls {
				fd, ok := d.(*ast.FuncDecl)
				switch {
				case !ok || fd.Recv != nil || !isTestName(fd.Name.Name):
				case fd.Name.Name == "TestMain":
					p.mains = append(p.mains, c.info.Defs[fd.Name])
				case len(want) == 0 || want[fd.Name.Name]:
					out = append(out, c.info.Defs[fd.Name])
				}
			}
		}
	}
	return out
}

// tests reports whether the package has the tests of root.
func (c *checked) tests(root *listed) bool {
	return c.meta.ImportPath == root.ImportPath || c.meta.ImportPath == root.ImportPath+"_test"
}

// before finds the variables that TestMain, or what it leads to, assigns to or hands on, and the
// initialisers that make closures which it may have called.
func (p *stateFacts) before() {
	p.byMain = make(map[*types.Var]bool)
	read := make(map[*types.Var]bool)
	for u := range p.unitsOfMain() {
		for _, use := range u.uses {
			if use.escape == nil || !p.plain(use.escape) {
				p.byMain[use.v] = true
			}
		}
		for v := range u.reads {
			read[v] = true
		}
	}
	for _, s := range p.steps {
		for _, v := range s.lhs {
			s.called = s.called || s.closes && read[v] && (p.hasFunc(v) || boxes(v.Type()))
		}
	}
}

// boxes reports whether a value of the type holds what may be of any type.
func boxes(t types.Type) bool {
	return leadsTo(t, func(t types.Type) bool { return types.IsInterface(t) })
}

// calledBefore is hook.CalledBefore.
const calledBefore = "TestMain may have called a closure in it"

// unitsOfMain returns TestMain and what it leads to.
func (p *stateFacts) unitsOfMain() map[*stateUnit]bool {
	units := make(map[*stateUnit]bool)
	var visit func(o types.Object)
	visit = func(o types.Object) {
		fn, ok := o.(*types.Func)
		if !ok {
			return
		}
		u := p.unit(fn)
		if u == nil || units[u] {
			return
		}
		units[u] = true
		for _, list := range [][]types.Object{u.calls, u.refs} {
			for _, o := range list {
				visit(o)
			}
		}
	}
	for _, o := range p.mains {
		visit(o)
	}
	return units
}
