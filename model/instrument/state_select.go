package instrument

import (
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"sort"
	"strings"
)

// Package variables and the initialisation of packages are part of each
// execution (model/state.go). What takes part is chosen here, for a test binary
// and then for each test of it (state_narrow.go), so that a check pays only for
// what its test can change:
//
//   - live is what the tests can reach by what they mention, all methods of
//     each type that they mention included, as values of it may stand behind
//     an interface;
//   - a live variable is fresh in each execution if live code writes it, or
//     hands on something of it through which it can be changed
//     (state_writes.go), or if its initialiser reads the clock, or a variable
//     whose initialiser does;
//   - so is one that holds functions, if a step that sets it makes some with
//     variables of their own: closures, and methods of a value;
//   - so is what is changed by a step that must run again: an initialiser of a
//     fresh variable, or an initialiser or init function which changes one or
//     begins a goroutine that shares live variables; and the initialiser of a
//     variable that may hold a pointer to a fresh one.
//
// What a step changes is what it says, with all that it calls, also by a name
// that is not there (state_closure.go).
//
// A step that calls a function of the standard library which may be called once
// only is not repeated: what it changes keeps its value, and a check says so.

// A stateStep is an initialiser, or an init function.
type stateStep struct {
	c     *checked
	file  *source
	unit  *stateUnit
	lhs   []*types.Var // of an initialiser
	rhs   ast.Expr
	decl  *ast.FuncDecl // an init function
	order int           // in the initialisation of its package

	mutates  map[*types.Var]bool // by what it calls too
	known    map[*types.Var]bool // of these, true what it need not be guessed to do
	mentions map[*types.Var]bool
	looks    map[*types.Var]bool // of these, true what it looks at as it runs
	clock    bool                // what it leaves behind depends on the clock
	starts   bool
	closes   bool // see stateUnit
	once     string
	called   bool // TestMain may have called a closure that it makes
}

func (s *stateStep) unitPos() token.Pos {
	if s.decl != nil {
		return s.decl.Pos()
	}
	return s.rhs.Pos()
}

// acts reports whether a step does something to variables other than those it initialises. A table
// of function literals does not: they run if live code calls them, by the table.
func (s *stateStep) acts() bool { return s.decl != nil || s.unit.runs }

// packageState is what was chosen for a test binary, or for one test of it.
type packageState struct {
	*stateFacts

	live   map[types.Object]bool
	early  map[types.Object]bool // run while packages are initialised
	took   map[*stateStep]bool   // steps whose mentions are live
	writes map[*types.TypeName]bool
	// reflects is as in stateUnit.
	reflects bool
	// changed variables are assigned to by live code, or have their address taken.
	changed map[*types.Var]bool
	frozen  map[types.Type]bool // memo of immutable

	freezing []types.Type // of which that is being asked, and what they are made of

	errors *bool // memo of changesErrors
	// assigned variables get their value by more than their initialiser.
	assigned  map[*types.Var]bool
	sentinels map[*types.Var]bool // memo of isSentinel
	makes     map[madeError]bool  // memo of returnsUnchanging

	fresh map[*types.Var]bool
	kept  map[*types.Var]string // could be changed and keep their value: why
	lost  map[*types.Var]bool   // kept, and goroutines belong to them
	again map[*stateStep]bool   // run in each execution

	tells   *source             // where it stands what single tests do without
	last    []*source           // of the packages that have tests
	leftOut map[string][]string // by test: parts that its executions do without
}

// stateFacts is what the packages of a test binary declare, whatever its tests reach.
type stateFacts struct {
	ss     *session
	pkgs   map[*types.Package]*checked
	units  map[*types.Func]*stateUnit
	steps  []*stateStep
	first  map[*types.Var]*stateStep // the initialiser of a variable
	specs  map[types.Object]ast.Node // declarations of variables and types
	linked map[*types.Var]bool       // their values come from the linker
	funcs  map[*types.Var]bool       // memo of hasFunc
	mains  []types.Object            // TestMain, which runs before each test
	byMain map[*types.Var]bool       // see before
}

// choose finds the variables and steps that take part in each execution of the
// checks in root's test binary, which consists of pkgs.
func (ss *session) choose(root *listed, pkgs []*checked, tests []string) *packageState {
	p := &stateFacts{
		ss:     ss,
		pkgs:   make(map[*types.Package]*checked),
		units:  make(map[*types.Func]*stateUnit),
		first:  make(map[*types.Var]*stateStep),
		specs:  make(map[types.Object]ast.Node),
		linked: make(map[*types.Var]bool),
		funcs:  make(map[*types.Var]bool),
	}
	for _, c := range pkgs {
		p.pkgs[c.pkg] = c
	}
	for _, c := range pkgs {
		p.collect(c)
	}
	p.closures()
	p.timed()
	roots := p.roots(root, pkgs, tests)
	p.before()
	all := p.choose(roots)
	all.narrow(roots)
	if len(roots) > 0 {
		all.tells = fileOf(pkgs, roots[0].Pos())
	}
	for _, c := range pkgs {
		n := len(c.files)
		if c.tests(root) && n > 0 && strings.HasSuffix(c.files[n-1].name, "_test.go") {
			all.last = append(all.last, c.files[n-1])
		}
	}
	return all
}

func fileOf(pkgs []*checked, pos token.Pos) *source {
	for _, c := range pkgs {
		for _, f := range c.files {
			if f.ast.FileStart <= pos && pos < f.ast.FileEnd {
				return f
			}
		}
	}
	return nil
}

// choose finds what takes part in each execution of tests.
func (p *stateFacts) choose(tests []types.Object) *packageState {
	q := &packageState{
		stateFacts: p,
		live:       make(map[types.Object]bool),
		early:      make(map[types.Object]bool),
		took:       make(map[*stateStep]bool),
		writes:     make(map[*types.TypeName]bool),
		changed:    make(map[*types.Var]bool),
		frozen:     make(map[types.Type]bool),
		assigned:   make(map[*types.Var]bool),
		sentinels:  make(map[*types.Var]bool),
		makes:      make(map[madeError]bool),
		fresh:      make(map[*types.Var]bool),
		kept:       make(map[*types.Var]string),
		lost:       make(map[*types.Var]bool),
		again:      make(map[*stateStep]bool),
	}
	q.reach(tests)
	q.mutable()
	q.close()
	return q
}

// collect finds the declarations and the steps of a package.
func (p *stateFacts) collect(c *checked) {
	for _, f := range c.files {
		for _, d := range f.ast.Decls {
			d, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					p.specs[c.info.Defs[spec.Name]] = spec
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						p.specs[c.info.Defs[name]] = spec
						v := packageVar(c.info.Defs[name])
						if v != nil && linked(f, d, spec, v.Name()) {
							p.linked[v] = true
						}
					}
				}
			}
		}
	}
	for i, init := range c.info.InitOrder {
		s := &stateStep{
			c: c, file: fileOf([]*checked{c}, init.Rhs.Pos()), unit: stateUnitOf(c, init.Rhs),
			lhs: init.Lhs, rhs: init.Rhs, order: i,
		}
		p.steps = append(p.steps, s)
		for _, v := range init.Lhs {
			p.first[v] = s
		}
	}
	n := len(c.info.InitOrder)
	for _, f := range c.files {
		for _, d := range f.ast.Decls {
			fd, ok := d.(*ast.FuncDecl)
			if ok && fd.Recv == nil && fd.Name.Name == "init" && fd.Body != nil {
				s := &stateStep{c: c, file: f, unit: stateUnitOf(c, fd.Body), decl: fd, order: n}
				p.steps = append(p.steps, s)
				n++
			}
		}
	}
}

// linked reports whether a directive gives the variable its value.
func linked(f *source, d *ast.GenDecl, spec *ast.ValueSpec, name string) bool {
	for _, doc := range []*ast.CommentGroup{d.Doc, spec.Doc} {
		if doc == nil {
			continue
		}
		for _, line := range doc.List {
			if strings.HasPrefix(line.Text, "//go:embed ") {
				return true
			}
		}
	}
	return strings.Contains(string(f.text), "//go:linkname "+name+" ")
}

// unit returns the facts of a function of a rewritten package.
func (p *stateFacts) unit(fn *types.Func) *stateUnit {
	u, ok := p.units[fn]
	if !ok {
		if d, has := p.ss.decls[fn]; has && p.pkgs[d.pkg.pkg] == d.pkg {
			nodes := []ast.Node{d.decl.Type}
			if d.decl.Recv != nil {
				nodes = append(nodes, d.decl.Recv)
			}
			if d.decl.Body != nil {
				nodes = append(nodes, d.decl.Body)
			}
			u = stateUnitOfFunc(d.pkg, fn.Signature(), nodes...)
			if d.decl.Body == nil { // it may change all that it is given
				for v := range fn.Signature().Params().Variables() {
					u.wrote(v.Type(), true, make(map[types.Type]bool))
				}
			}
		}
		p.units[fn] = u
	}
	return u
}

// timed finds the steps that depend on the clock by variables that do.
func (p *stateFacts) timed() {
	timed := make(map[*types.Var]bool)
	for more := true; more; {
		more = false
		for _, s := range p.steps {
			for v, now := range s.looks {
				s.clock = s.clock || now && timed[v]
			}
			if !s.clock {
				continue
			}
			leaves := s.lhs
			if s.decl != nil {
				leaves = slices.Collect(maps.Keys(s.mutates))
			}
			for _, v := range leaves {
				more = more || !timed[v]
				timed[v] = true
			}
		}
	}
}

// reach finds what is live.
func (p *packageState) reach(roots []types.Object) {
	for _, o := range roots {
		p.visit(o, true)
	}
	for _, o := range p.mains {
		p.visit(o, false) // what it leaves stays, and may be called
	}
	for more := true; more; {
		more = false
		for _, s := range p.steps {
			if !p.took[s] && p.concerns(s) {
				p.take(s)
				more = true
			}
		}
	}
}

// concerns reports whether a step changes live variables other than its own,
// or begins goroutines that share some.
func (p *packageState) concerns(s *stateStep) bool {
	if !s.acts() {
		return false
	}
	for v := range s.mutates {
		if p.live[v] {
			return true
		}
	}
	for v := range s.mentions {
		if s.starts && p.live[v] && (p.changed[v] || !p.plain(v.Type())) {
			return true
		}
	}
	return false
}

// take makes live what a step leaves behind.
func (p *packageState) take(s *stateStep) {
	if p.took[s] {
		return
	}
	p.took[s] = true
	p.enter(s.unit, false)
}

// enter visits what a unit mentions. What is called while packages are
// initialised is over when a body runs; what is mentioned otherwise may be
// called later.
func (p *packageState) enter(u *stateUnit, live bool) {
	for tn := range u.writes {
		p.writes[tn] = true
	}
	p.reflects = p.reflects || u.reflects
	for _, use := range u.uses {
		if use.escape == nil && (live || use.later) {
			p.changed[use.v] = true
		}
	}
	for _, o := range u.calls {
		p.visit(o, live)
	}
	for _, o := range u.refs {
		p.visit(o, true)
	}
}

func (p *packageState) visit(o types.Object, live bool) {
	if o == nil || o.Pkg() == nil || p.pkgs[o.Pkg()] == nil || p.live[o] || !live && p.early[o] {
		return
	}
	switch o := o.(type) {
	case *types.Func:
		if live {
			p.live[o] = true
		} else {
			p.early[o] = true
		}
		if u := p.unit(o); u != nil {
			p.enter(u, live)
		}
	case *types.Var:
		if packageVar(o) == nil {
			return
		}
		p.live[o] = true
		if spec, ok := p.specs[o].(*ast.ValueSpec); ok && spec.Type != nil {
			p.enter(stateUnitOf(p.pkgs[o.Pkg()], spec.Type), true)
		}
		if s := p.first[o]; s != nil {
			p.take(s)
		}
	case *types.TypeName:
		p.live[o] = true
		if spec := p.specs[o]; spec != nil {
			p.enter(stateUnitOf(p.pkgs[o.Pkg()], spec), true)
		}
		if n, ok := o.Type().(*types.Named); ok {
			for m := range n.Methods() {
				p.visit(m.Origin(), true)
			}
		}
	}
}

// mutable finds the variables that live code can change, and those that read
// the clock.
func (p *packageState) mutable() {
	units := make(map[*stateUnit]bool) // true if live
	for _, known := range []map[types.Object]bool{p.early, p.live} {
		for o := range known {
			if fn, ok := o.(*types.Func); ok {
				if u := p.unit(fn); u != nil {
					units[u] = p.live[o]
				}
			}
		}
	}
	for s := range p.took {
		units[s.unit] = false
	}
	for u := range units {
		for _, use := range u.uses {
			if use.escape == nil {
				p.assigned[use.v] = true
			}
		}
	}
	for u, live := range units {
		p.changes(u, live)
	}
	p.setBefore()
	for s := range p.took {
		for _, v := range s.lhs {
			if p.live[v] && (s.clock || s.closes && p.hasFunc(v)) {
				p.fresh[v] = true
			}
		}
		clock, closes := s.clock && s.decl != nil, s.closes && s.acts()
		if !clock && !closes {
			continue
		}
		for v := range s.mutates {
			if p.live[v] && !p.fresh[v] && (clock || p.hasFunc(v)) {
				p.fresh[v] = true
			}
		}
	}
}

// setBefore adds what TestMain sets: it may hold what a fresh variable does, and has to be looked
// at with those.
func (p *packageState) setBefore() {
	for v := range p.byMain {
		if p.live[v] && (refers(v.Type()) || p.hasFunc(v)) {
			p.fresh[v] = true
		}
	}
}

// changes takes over the uses of a unit. Writes of code that runs while
// packages are initialised do not count: nothing repeats them.
func (p *packageState) changes(u *stateUnit, live bool) {
	for _, use := range u.uses {
		if !p.live[use.v] {
			continue
		}
		if use.escape == nil && (live || use.later) ||
			use.escape != nil && !p.immutable(use.escape) && !p.isSentinel(use.v, use.escape) {
			p.fresh[use.v] = true
		}
	}
}

// close adds what has to be repeated with the variables chosen so far.
func (p *packageState) close() {
	for more := true; more; {
		more = false
		for _, s := range p.steps {
			if !p.again[s] && p.repeats(s) {
				p.again[s], more = true, true
				for v := range s.mutates {
					p.add(v)
				}
				for _, v := range s.lhs {
					if v.Name() != "_" {
						p.add(v)
					}
				}
			}
		}
	}
	for _, s := range p.steps {
		if p.again[s] && (s.once != "" || s.called) {
			p.notAgain(s)
		}
	}
	for v := range p.fresh {
		if p.linked[v] {
			p.kept[v] = "the linker sets it"
		}
		if p.kept[v] != "" {
			delete(p.fresh, v)
		}
	}
}

// notAgain has a step left out that was chosen. What it sets keeps its value, if executions can
// come to that at all.
func (p *packageState) notAgain(s *stateStep) {
	p.again[s] = false
	why := calledBefore
	if s.once != "" {
		why = "its initialisation calls " + s.once
	}
	keep := func(v *types.Var) {
		switch {
		case !p.fresh[v]:
		case p.live[v]:
			p.kept[v] = why
			p.lost[v] = p.lost[v] || s.starts
		case slices.Contains(s.lhs, v):
			delete(p.fresh, v)
		}
	}
	for _, v := range s.lhs {
		keep(v)
	}
	if s.acts() {
		for v := range s.mutates {
			keep(v)
		}
	}
}

func (p *packageState) add(v *types.Var) {
	if p.pkgs[v.Pkg()] != nil {
		p.fresh[v] = true
	}
}

// repeats reports whether a step belongs to each execution.
func (p *packageState) repeats(s *stateStep) bool {
	for _, v := range s.lhs {
		if p.fresh[v] {
			return true
		}
	}
	for v := range s.mutates {
		if p.fresh[v] && s.acts() {
			return true
		}
	}
	if s.starts && p.took[s] {
		return true
	}
	for v := range s.mentions {
		if p.fresh[v] && p.keepsOld(s, v) {
			return true
		}
	}
	return false
}

// keepsOld reports whether a step may leave in a live variable what a fresh one, which it mentions,
// holds before it is made anew.
func (p *packageState) keepsOld(s *stateStep, fresh *types.Var) bool {
	function := s.closes || p.hasFunc(fresh)
	if !refers(fresh.Type()) && !function {
		return false
	}
	leaves := s.lhs
	if s.decl != nil {
		leaves = slices.Collect(maps.Keys(s.mutates))
	}
	return slices.ContainsFunc(leaves, func(v *types.Var) bool {
		return v != fresh && p.live[v] && (refers(v.Type()) || function && p.hasFunc(v))
	})
}

// inFile returns what was chosen that a file declares, in the order of the text.
func (p *packageState) inFile(c *checked, f *source) (vars []*types.Var, steps []*stateStep) {
	in := func(n ast.Node) bool { return f.ast.FileStart <= n.Pos() && n.Pos() < f.ast.FileEnd }
	for v := range p.fresh {
		if p.pkgs[v.Pkg()] == c && in(p.specs[v]) {
			vars = append(vars, v)
		}
	}
	for v := range p.kept {
		if p.pkgs[v.Pkg()] == c && in(p.specs[v]) {
			vars = append(vars, v)
		}
	}
	sort.Slice(vars, func(i, j int) bool { return vars[i].Pos() < vars[j].Pos() })
	for _, s := range p.steps {
		if p.again[s] && s.file == f {
			steps = append(steps, s)
		}
	}
	return vars, steps
}
