package instrument

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
)

// An explicit method stands above the promoted one that it hides. In a struct that embeds its type
// it can win, or tie, where in Go another method or field wins, or none does. Such a method is
// withdrawn: the type is then treated as one declared in a function is. Whether a struct has a
// method of its own in the end changes what those around it have, and what is withdrawn never
// comes back, so all are looked at until none changes.

// An embedding is a struct in the program that embeds others.
type embedding struct {
	t     types.Type
	name  string  // for messages
	names nameSet // of explicit methods of what it embeds, at any depth
}

type nameSet map[string]bool

// withdraw decides which explicit methods the types of the packages cannot have.
func (ss *session) withdraw(pkgs []*checked) error {
	ss.withdrawn = make(map[*types.TypeName]map[string]string)
	all := ss.embeddings(pkgs)
	for changed := true; changed; {
		changed = false
		for _, e := range all {
			for _, name := range sortedKeys(e.names) {
				did, err := ss.keepDepth(e, name)
				if err != nil {
					return err
				}
				changed = changed || did
			}
		}
	}
	return nil
}

// keepDepth withdraws what changes which method or field of that name a struct has.
func (ss *session) keepDepth(e *embedding, name string) (changed bool, err error) {
	original := lookUp(e.t, name, func(*types.TypeName) bool { return false })
	for {
		now := lookUp(e.t, name, func(tn *types.TypeName) bool { return ss.explicitly(tn, name) })
		if now.sameAs(original) {
			return changed, nil
		}
		did := false
		for _, f := range now.found {
			if f.explicit != nil && !original.passes(f.path) {
				if ss.withdrawn[f.explicit] == nil {
					ss.withdrawn[f.explicit] = make(map[string]string)
				}
				ss.withdrawn[f.explicit][name] = e.name
				did, changed = true, true
			}
		}
		if !did {
			return changed, &refusedError{fmt.Sprintf(
				"%s: which %s it has from what it embeds is not modelled", e.name, name)}
		}
	}
}

// embeddings gives the structs of the packages that embed types with explicit methods: the types
// that have a name, and the struct types that have none.
func (ss *session) embeddings(pkgs []*checked) []*embedding {
	var all []*embedding
	add := func(c *checked, t types.Type, at ast.Node, name string) {
		st, ok := t.Underlying().(*types.Struct)
		if !ok || !embeds(st) {
			return
		}
		e := &embedding{t: t, names: make(nameSet)}
		ss.explicitWithin(t, e.names, make(map[types.Type]bool))
		if len(e.names) > 0 {
			e.name = name + " (" + ss.where(c, at.Pos()) + ")"
			all = append(all, e)
		}
	}
	for _, c := range pkgs {
		for _, f := range c.files {
			named := make(map[ast.Expr]bool)
			ast.Inspect(f.ast, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.TypeSpec:
					if tn, ok := c.info.Defs[n.Name].(*types.TypeName); ok && !tn.IsAlias() {
						named[ast.Unparen(n.Type)] = true
						add(c, tn.Type(), n, tn.Name())
					}
				case *ast.StructType:
					if t := c.info.TypeOf(n); t != nil && !named[n] {
						add(c, t, n, "a struct without a name")
					}
				}
				return true
			})
		}
	}
	return all
}

// explicitWithin adds the names of the explicit methods of what t embeds, and of t.
func (ss *session) explicitWithin(t types.Type, names nameSet, seen map[types.Type]bool) {
	t = deref(types.Unalias(t))
	if seen[t] {
		return
	}
	seen[t] = true
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return
	}
	if tn := typeName(t); tn != nil {
		for name := range ss.explicitNames(tn) {
			names[name] = true
		}
	}
	for f := range st.Fields() {
		if f.Embedded() {
			ss.explicitWithin(f.Type(), names, seen)
		}
	}
}

// promotion says of a method that t has from what it embeds whether an explicit method of a type on
// the way calls it, else the first type on the way of which that is withdrawn.
func (ss *session) promotion(t types.Type, method string) (explicit bool, not *types.TypeName) {
	obj, index, _ := types.LookupFieldOrMethod(t, true, nil, method)
	if _, ok := obj.(*types.Func); !ok {
		return false, nil
	}
	for i := 0; ; i++ {
		if tn := typeName(t); tn != nil {
			if ss.explicitly(tn, method) {
				return true, nil
			}
			if _, ok := ss.withdrawn[tn][method]; ok && not == nil {
				not = tn
			}
		}
		st, ok := deref(t).Underlying().(*types.Struct)
		if !ok || i == len(index)-1 {
			return false, not
		}
		t = st.Field(index[i]).Type()
	}
}

// explicitly reports whether a type gets an explicit method of that name.
func (ss *session) explicitly(tn *types.TypeName, name string) bool {
	_, withdrawn := ss.withdrawn[tn][name]
	return !withdrawn && ss.explicitNames(tn)[name]
}

// explicitNames has the names of the explicit methods of a type, with those that are withdrawn.
func (ss *session) explicitNames(tn *types.TypeName) nameSet {
	names, ok := ss.explicit[tn]
	if ok {
		return names
	}
	if ss.definesMethods(tn) {
		for _, m := range promotedOps(ss, tn) {
			if _, _, ok := fieldPath(m, tn.Pkg()); ok {
				if names == nil {
					names = make(nameSet)
				}
				names[m.Obj().Name()] = true
			}
		}
	}
	ss.explicit[tn] = names
	return names
}

// A lookup is what a name stands for in a struct: what is found at the least depth at which
// anything is. If that is more than one, it stands for nothing.
type lookup struct{ found []foundName }

// A foundName is a field or a method, by the fields that lead to it.
type foundName struct {
	path     []int
	explicit *types.TypeName // the type whose explicit method it is, nil for others
	several  bool            // more than one path of the same length leads there
}

// unique gives the one that the name stands for.
func (l lookup) unique() (foundName, bool) {
	if len(l.found) != 1 || l.found[0].several {
		return foundName{}, false
	}
	return l.found[0], true
}

// passes reports whether what the name stands for is reached by way of the type at the path.
func (l lookup) passes(path []int) bool {
	f, ok := l.unique()
	return ok && len(path) <= len(f.path) && slices.Equal(path, f.path[:len(path)])
}

// sameAs reports whether the name stands for what it does in the original, or for an explicit
// method that calls that.
func (l lookup) sameAs(original lookup) bool {
	f, ok := l.unique()
	if !ok {
		_, ok = original.unique()
		return !ok
	}
	o, ok := original.unique()
	return ok && (f.explicit != nil && original.passes(f.path) || slices.Equal(f.path, o.path))
}

// lookUp looks for an exported name in t as Go does, where types for which explicit holds have a
// method of that name.
func lookUp(t types.Type, name string, explicit func(*types.TypeName) bool) lookup {
	type embedded struct {
		t types.Type
		foundName
	}
	var l lookup
	var seen []types.Type
	for level := []embedded{{t: t}}; len(level) > 0 && l.found == nil; {
		var next []embedded
		for _, e := range level {
			add := func(path []int, explicit *types.TypeName) {
				l.found = append(l.found, foundName{path, explicit, e.several})
			}
			if named, ok := e.t.(*types.Named); ok {
				before := func(t types.Type) bool { return types.Identical(t, e.t) }
				if slices.ContainsFunc(seen, before) {
					continue
				}
				seen = append(seen, e.t)
				if declares(named, name) {
					add(e.path, nil)
					continue
				}
				if explicit(named.Obj()) {
					add(e.path, named.Obj())
					continue
				}
			}
			switch u := e.t.Underlying().(type) {
			case *types.Interface:
				if obj, _, _ := types.LookupFieldOrMethod(u, false, nil, name); obj != nil {
					add(e.path, nil)
				}
			case *types.Struct:
				for i := range u.NumFields() {
					f := u.Field(i)
					path := append(slices.Clone(e.path), i)
					if f.Name() == name {
						add(path, nil)
					} else if f.Embedded() {
						t := types.Unalias(deref(types.Unalias(f.Type())))
						next = append(next, embedded{t, foundName{path, nil, e.several}})
					}
				}
			}
		}
		level = level[:0]
		for _, e := range next {
			same := func(o embedded) bool { return types.Identical(o.t, e.t) }
			if at := slices.IndexFunc(level, same); at >= 0 {
				level[at].several = true
				continue
			}
			level = append(level, e)
		}
	}
	return l
}

// declares reports whether a method is declared with the type as its receiver.
func declares(named *types.Named, name string) bool {
	for m := range named.Methods() {
		if m.Name() == name {
			return true
		}
	}
	return false
}
