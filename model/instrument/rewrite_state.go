package instrument

import (
	"fmt"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// stateText returns the declarations that tell hook of the package variables
// and steps of initialisation in the file that take part in each execution
// (state_select.go). An initialiser stands in a function a second time, with a
// line directive that names the place of the first:
//
//	var pool = newPool(4)
//	func sw_init0() { pool = /*line :7:12*/newPool(4) }
//
// An init function gets a name, so that it can be called again:
//
//	func init() { sw_init1() }; func sw_init1() {
func (r *rewriter) stateText() string {
	if r.ss.state == nil {
		return ""
	}
	vars, steps := r.ss.state.inFile(r.c, r.src)
	text := ""
	var parts []string
	for _, v := range r.ss.state.watched(r.c, r.src) {
		parts = append(parts, fmt.Sprintf("%s(%q, %q, &%s)",
			r.hook("Watched"), v.Name(), r.ss.where(r.c, v.Pos()), v.Name()))
	}
	if len(vars)+len(steps)+len(parts) == 0 {
		return ""
	}
	for _, v := range vars {
		args := fmt.Sprintf("%q, %q, &%s", v.Name(), r.ss.where(r.c, v.Pos()), v.Name())
		why, kept := r.ss.state.kept[v]
		switch {
		case !kept:
			parts = append(parts, r.hook("Variable")+"("+args+")")
		case r.ss.state.lost[v]:
			args += ", " + strconv.Quote(why)
			parts = append(parts, r.hook("LostVariable")+"("+args+")")
		default:
			args += ", " + strconv.Quote(why)
			parts = append(parts, r.hook("KeptVariable")+"("+args+")")
		}
	}
	for _, s := range steps {
		name := fmt.Sprintf("%sinit%d", r.c.prefix, s.order)
		at := s.unitPos()
		where := r.ss.where(r.c, at)
		parts = append(parts, fmt.Sprintf("%s(%d, %q, %s%s)%s",
			r.hook("Step"), s.order, where, name, s.setsText(), r.ss.state.withText(s)))
		if s.decl != nil {
			id := s.decl.Name
			r.ed.replace(r.off(id.Pos()), r.off(id.End()), "init() { "+name+"() }; func "+name)
			continue
		}
		pos := r.ss.fset.PositionFor(at, false)
		from, to := r.off(s.rhs.Pos()), r.off(s.rhs.End())
		text += fmt.Sprintf("\nfunc %s() { %s = /*line :%d:%d*/%s\n}", name, lhsText(s.lhs),
			pos.Line, pos.Column, r.ed.within(r.src.text, from, to))
	}
	return fmt.Sprintf("%s\nvar _ = %s(%q, %s)",
		text, r.hook("State"), r.c.meta.ImportPath, strings.Join(parts, ", "))
}

// setsText names what an initialiser sets, if it changes nothing else.
func (s *stateStep) setsText() string {
	text := ""
	others := len(s.mutates)
	for _, v := range s.lhs {
		text += fmt.Sprintf(", %q", v.Name())
		if s.mutates[v] {
			others--
		}
	}
	if others > 0 || s.starts {
		return ""
	}
	return text
}

// withText names the variables that a step sets or changes, if there are several that take part, or
// if goroutines may belong to them.
func (p *packageState) withText(s *stateStep) string {
	var names []string
	add := func(v *types.Var) {
		if _, kept := p.kept[v]; kept || p.fresh[v] {
			names = append(names, p.pkgs[v.Pkg()].meta.ImportPath+"."+v.Name())
		}
	}
	for _, v := range s.lhs {
		add(v)
	}
	if s.acts() {
		for v, known := range s.known {
			if known {
				add(v)
			}
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	switch {
	case s.starts:
		return fmt.Sprintf(".Starting(%q)", strings.Join(names, " "))
	case len(names) > 1:
		return fmt.Sprintf(".Setting(%q)", strings.Join(names, " "))
	}
	return ""
}

func lhsText(lhs []*types.Var) string {
	names := make([]string, len(lhs))
	for i, v := range lhs {
		names[i] = v.Name()
	}
	return strings.Join(names, ", ")
}
