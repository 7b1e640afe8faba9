package instrument

import (
	"fmt"
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
