package instrument

import "go/types"

// plain reports whether a value has nothing in it through which something else
// can be changed, whatever the program does.
func (p *stateFacts) plain(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.UnsafePointer
	case *types.Signature:
		return true
	}
	return sealed(t)
}

// sealedTypes are types of the standard library whose values nothing changes,
// though they hold pointers; true: nor does anybody assign to what a pointer to one points to.
var sealedTypes = map[string]bool{
	"time.Time": false, "time.Location": true, "reflect.Type": false, "regexp.Regexp": true,
	"strings.Replacer": true, "embed.FS": false, "hash/maphash.Seed": false,
	"hash/crc32.Table": true, "hash/crc64.Table": true,
	"unicode.RangeTable": true, "os.File": true,
}

// sealed reports whether the type is one of those, a pointer to one that is used by pointers, or
// error.
func sealed(t types.Type) bool {
	tn := typeName(t)
	if tn == nil {
		return false
	}
	_, pointer := types.Unalias(t).(*types.Pointer)
	if tn.Pkg() == nil {
		return tn.Name() == "error" && !pointer
	}
	byPointer, ok := sealedTypes[tn.Pkg().Path()+"."+tn.Name()]
	return ok && (byPointer || !pointer)
}

// refers reports whether a value of the type may hold a pointer to what another variable points to,
// such as an error that wraps another one.
func refers(t types.Type) bool { return holdsPointer(t, sealed) }

// leads is that of whatever is pointed to, sealed or not.
func leads(t types.Type) bool { return holdsPointer(t, func(types.Type) bool { return false }) }

func holdsPointer(t types.Type, sealed func(types.Type) bool) bool {
	if sealed(t) {
		return isError(t)
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Signature:
		return false // see hasFunc
	case *types.Array:
		return holdsPointer(u.Elem(), sealed)
	case *types.Struct:
		for f := range u.Fields() {
			if holdsPointer(f.Type(), sealed) {
				return true
			}
		}
		return false
	}
	return true
}

func isError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// implementsError reports whether a value of the type, or a pointer to one, is an error.
func implementsError(t types.Type) bool {
	is := types.Universe.Lookup("error").Type().Underlying().(*types.Interface)
	return types.Implements(t, is) || types.Implements(types.NewPointer(t), is)
}

// changesErrors reports whether live code may change what is an error: there is a type of errors
// that are not immutable, a field of an error of the library is written, or reflection may do it.
// Then nobody knows which of all are.
func (p *packageState) changesErrors() bool {
	if p.errors != nil {
		return *p.errors
	}
	p.errors = new(bool) // of an error in an error
	*p.errors = p.reflects
	for tn := range p.writes {
		*p.errors = *p.errors || p.pkgs[tn.Pkg()] == nil && implementsError(tn.Type())
	}
	if *p.errors {
		return true
	}
	is := types.Universe.Lookup("error").Type().Underlying().(*types.Interface)
	for o := range p.live {
		tn, ok := o.(*types.TypeName)
		if !ok || types.IsInterface(tn.Type()) {
			continue
		}
		pointer := types.NewPointer(tn.Type())
		switch {
		case types.Implements(tn.Type(), is):
			*p.errors = hasFunc(tn.Type()) || !p.immutable(tn.Type())
		case types.Implements(pointer, is):
			*p.errors = hasFunc(tn.Type()) || !p.immutable(pointer)
		}
		if *p.errors {
			break
		}
	}
	clear(p.frozen) // what was found out meanwhile
	return *p.errors
}

// hasFunc reports whether a value of the type holds functions, or points to some.
func hasFunc(t types.Type) bool {
	return leadsTo(t, func(t types.Type) bool {
		_, ok := t.Underlying().(*types.Signature)
		return ok
	})
}

// hasFunc is that for the type of a variable, once.
func (p *stateFacts) hasFunc(v *types.Var) bool {
	known, ok := p.funcs[v]
	if !ok {
		known = hasFunc(v.Type())
		p.funcs[v] = known
	}
	return known
}

// leadsTo reports whether is holds for the type, or for one of which its values consist or to which
// they lead. Nothing is seen in what is sealed, or behind an interface.
func leadsTo(t types.Type, is func(types.Type) bool) bool {
	seen := make(map[types.Type]bool)
	var visit func(t types.Type) bool
	visit = func(t types.Type) bool {
		if t = types.Unalias(t); t == nil || seen[t] || sealed(t) {
			return false
		}
		seen[t] = true
		if is(t) {
			return true
		}
		switch u := t.Underlying().(type) {
		case *types.Pointer:
			return visit(u.Elem())
		case *types.Slice:
			return visit(u.Elem())
		case *types.Array:
			return visit(u.Elem())
		case *types.Chan:
			return visit(u.Elem())
		case *types.Map:
			return visit(u.Key()) || visit(u.Elem())
		case *types.Struct:
			for f := range u.Fields() {
				if visit(f.Type()) {
					return true
				}
			}
		case *types.Tuple:
			for v := range u.Variables() {
				if visit(v.Type()) {
					return true
				}
			}
		}
		return false
	}
	return visit(t)
}

// immutable reports whether nothing can be changed through a value of the type,
// given what the live code does.
func (p *packageState) immutable(t types.Type) bool {
	t = types.Unalias(t)
	known, ok := p.frozen[t]
	if ok {
		return known
	}
	outermost := len(p.freezing) == 0
	p.freezing = append(p.freezing, t)
	p.frozen[t] = true // of a type within itself
	known = p.immutableType(t)
	p.frozen[t] = known
	if outermost {
		for _, within := range p.freezing {
			if !known && p.frozen[within] {
				delete(p.frozen, within) // it may lead back to what is not
			}
		}
		p.freezing = p.freezing[:0]
	}
	return known
}

func (p *packageState) immutableType(t types.Type) bool {
	if isError(t) {
		return !p.changesErrors()
	}
	if p.plain(t) {
		return true
	}
	if tn := typeName(t); tn != nil && tn.Pkg() != nil {
		if path := tn.Pkg().Path(); path == "sync" || path == "sync/atomic" {
			return false
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return p.immutable(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if !p.immutable(f.Type()) {
				return false
			}
		}
		return true
	case *types.Pointer:
		_, isStruct := u.Elem().Underlying().(*types.Struct)
		return isStruct && p.keeps(u.Elem()) && p.immutable(u.Elem())
	}
	return false
}

// keeps reports whether nothing changes what a value of a type holds, to which others have a
// pointer.
func (p *packageState) keeps(t types.Type) bool {
	tn := typeName(t)
	if tn == nil || tn.Pkg() == nil || p.pkgs[tn.Pkg()] == nil || p.written(t) {
		return false
	}
	return !p.reflects || !implementsError(t) || !hasExported(t)
}

// written reports whether live code changes values of the type, or what lies within them: what is
// of a type of the library, its methods may change.
func (p *packageState) written(t types.Type) bool {
	tn := typeName(t)
	if tn != nil && (p.writes[tn] || tn.Pkg() != nil && p.pkgs[tn.Pkg()] == nil &&
		!sealed(t) && hasPointerMethods(tn)) {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		return p.written(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if p.written(f.Type()) {
				return true
			}
		}
	}
	return false
}

func hasPointerMethods(tn *types.TypeName) bool {
	n, ok := tn.Type().(*types.Named)
	return ok && types.NewMethodSet(types.NewPointer(n)).Len() > types.NewMethodSet(n).Len()
}
