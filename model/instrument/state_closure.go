package instrument

import (
	"go/types"
	"slices"
)

// What a step does is what it says, and what all does that it mentions, or calls: by name, by a
// method of an interface, or by the value of a function. Whom a call leads to that names nobody is
// not known: it may be any method of that name, of a type that some step mentions, and any function
// of that type that some step mentions, or that stands in one.

// A stateClosure sums up what a step does.
type stateClosure struct {
	of     *initUniverse
	step   *stateStep
	funcs  map[*types.Func]int // 1: mentioned, 2: called
	units  map[*stateUnit]bool
	method map[string]bool // of interfaces, that are called
	values []*types.Signature
	any    bool // calls by reflection

	guesses bool // what it visits is not what it names
}

// An initUniverse is what the steps of a binary mention.
type initUniverse struct {
	facts    *stateFacts
	funcs    []*types.Func
	methods  map[string][]*types.Func // of types, by name
	literals []*stateUnit
	knows    map[types.Object]bool
	has      map[*stateUnit]bool
}

// closures finds what each step does.
func (p *stateFacts) closures() {
	u := &initUniverse{facts: p, methods: make(map[string][]*types.Func),
		knows: make(map[types.Object]bool), has: make(map[*stateUnit]bool)}
	var all []*stateClosure
	for _, s := range p.steps {
		s.mutates, s.mentions = make(map[*types.Var]bool), make(map[*types.Var]bool)
		s.looks, s.known = make(map[*types.Var]bool), make(map[*types.Var]bool)
		c := &stateClosure{of: u, step: s, funcs: make(map[*types.Func]int),
			units: make(map[*stateUnit]bool), method: make(map[string]bool)}
		c.visit(s.unit, true)
		all = append(all, c)
	}
	for more := true; more; {
		more = false
		for _, c := range all {
			c.guesses = true
			more = c.guess() || more
		}
	}
}

func (c *stateClosure) visit(u *stateUnit, called bool) {
	s, p := c.step, c.of.facts
	c.units[u] = true
	for v, now := range u.reads {
		c.of.know(v)
		s.mentions[v] = true
		s.looks[v] = s.looks[v] || called && now
	}
	for _, use := range u.uses {
		if use.escape == nil || !p.plain(use.escape) {
			s.mutates[use.v] = true
			s.known[use.v] = s.known[use.v] || !c.guesses
		}
	}
	s.starts, s.closes = s.starts || u.starts, s.closes || u.closes
	if called {
		s.clock = s.clock || u.clock
		if s.once == "" {
			s.once = u.once
		}
	}
	c.values = append(c.values, u.values...)
	if len(u.lits) > 0 && !c.of.has[u] {
		c.of.has[u] = true
		c.of.literals = append(c.of.literals, u)
	}
	c.follow(u.calls, called)
	c.follow(u.refs, false)
}

func (c *stateClosure) follow(list []types.Object, called bool) {
	how := 1
	if called {
		how = 2
	}
	for _, o := range list {
		c.of.know(o)
		fn, ok := o.(*types.Func)
		if !ok || c.funcs[fn] >= how {
			continue
		}
		c.funcs[fn] = how
		c.byInterface(fn)
		c.any = c.any || fn.Pkg() != nil && fn.Pkg().Path() == "reflect" && callsAny[fn.Name()]
		if next := c.of.facts.unit(fn); next != nil {
			c.visit(next, called)
		}
	}
}

// byInterface notes the call of a method of an interface, and reports whether that is new.
func (c *stateClosure) byInterface(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	if recv == nil || !types.IsInterface(recv.Type()) || c.method[fn.Name()] {
		return false
	}
	c.method[fn.Name()] = true
	return true
}

// know notes what a step mentions.
func (u *initUniverse) know(o types.Object) {
	if o.Pkg() == nil || u.facts.pkgs[o.Pkg()] == nil || u.knows[o] {
		return
	}
	u.knows[o] = true
	switch o := o.(type) {
	case *types.Var:
		u.knowParts(o.Type())
	case *types.Func:
		u.funcs = append(u.funcs, o)
	case *types.TypeName:
		if types.IsInterface(o.Type()) {
			return
		}
		u.knowParts(o.Type())
		for m := range types.NewMethodSet(types.NewPointer(o.Type())).Methods() {
			if fn, ok := m.Obj().(*types.Func); ok {
				u.methods[fn.Name()] = append(u.methods[fn.Name()], fn.Origin())
			}
		}
	}
}

// knowParts notes the types of what a value holds: no step need mention them.
func (u *initUniverse) knowParts(t types.Type) {
	leadsTo(t, func(t types.Type) bool {
		if n, ok := t.(*types.Named); ok {
			u.know(n.Obj())
		}
		return false
	})
}

// guess visits what calls may lead to that name nobody, and reports whether that was anything new.
func (c *stateClosure) guess() (more bool) {
	call := func(fn *types.Func) {
		if c.funcs[fn] == 2 {
			return
		}
		c.funcs[fn] = 2
		if u := c.of.facts.unit(fn); u != nil {
			more = true
			c.visit(u, true)
		}
		more = c.byInterface(fn) || more
	}
	for name, methods := range c.of.methods {
		if c.method[name] || c.any {
			for _, fn := range methods {
				call(fn)
			}
		}
	}
	for _, fn := range c.of.funcs {
		if c.callsFunc(fn) {
			call(fn)
		}
	}
	for _, u := range c.of.literals {
		if c.units[u] {
			continue
		}
		for _, sig := range u.lits {
			if c.callsValue(sig) {
				more = true
				c.visit(u, true)
				break
			}
		}
	}
	return more
}

// callsFunc reports whether the step calls a value that may be the function, a method with its
// receiver before the other parameters, or an instance of a generic one.
func (c *stateClosure) callsFunc(fn *types.Func) bool {
	sig := fn.Signature()
	if sig.TypeParams() != nil || sig.RecvTypeParams() != nil {
		for _, v := range c.values {
			more := v.Params().Len() - sig.Params().Len()
			fits := more == 0 || more == 1 && sig.Recv() != nil
			if fits && v.Results().Len() == sig.Results().Len() {
				return true
			}
		}
		return c.any
	}
	if c.callsValue(sig) || sig.Recv() == nil {
		return c.callsValue(sig)
	}
	params := append([]*types.Var{sig.Recv()}, slices.Collect(sig.Params().Variables())...)
	return c.callsValue(types.NewSignatureType(nil, nil, nil, types.NewTuple(params...),
		sig.Results(), sig.Variadic()))
}

// callsValue reports whether the step calls a value of the type.
func (c *stateClosure) callsValue(sig *types.Signature) bool {
	plain := types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())
	return c.any || slices.ContainsFunc(c.values, func(v *types.Signature) bool {
		return types.Identical(v, plain)
	})
}
