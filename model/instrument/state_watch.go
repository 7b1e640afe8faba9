package instrument

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Nobody has to find out what changes a variable that is watched: if an execution does, it is put
// back (model/state.go). Watched are the variables of the rewritten packages that lead to other
// memory, and some of the standard library.

// watched returns the variables of a file that lead to other memory, whatever the tests can reach:
// so its text is the same for other binaries.
func (p *packageState) watched(c *checked, f *source) []*types.Var {
	var out []*types.Var
	for _, name := range c.pkg.Scope().Names() {
		v := packageVar(c.pkg.Scope().Lookup(name))
		if v != nil && !p.linked[v] && f.ast.FileStart <= v.Pos() && v.Pos() < f.ast.FileEnd &&
			leads(v.Type()) {
			out = append(out, v)
		}
	}
	return out
}

// libraryState has variables of the standard library that functions of their package change, and
// pointers to what they change.
var libraryState = map[string][]string{
	"flag":     {"&%s.CommandLine"},
	"log":      {"%s.Default()"},
	"net/http": {"&%s.DefaultServeMux"},
}

// watchedLibrary returns what is watched of packages that are not rewritten: the variables that the
// program mentions, and those of libraryState of packages that it imports.
func (p *packageState) watchedLibrary() map[string][]string {
	out := make(map[string][]string)
	for pkg, c := range p.pkgs {
		for _, i := range pkg.Imports() {
			out[i.Path()] = append(out[i.Path()], libraryState[i.Path()]...)
		}
		for _, o := range c.info.Uses {
			v := packageVar(o)
			if v != nil && v.Exported() && p.pkgs[v.Pkg()] == nil && isLibrary(v.Pkg().Path()) {
				out[v.Pkg().Path()] = append(out[v.Pkg().Path()], "&%s."+v.Name())
			}
		}
	}
	for path, vars := range out {
		if slices.Sort(vars); len(vars) == 0 {
			delete(out, path)
			continue
		}
		out[path] = slices.Compact(vars)
	}
	return out
}

// isLibrary reports whether a package is one of the standard library that all may import.
func isLibrary(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".") && first != "internal" && first != "vendor" &&
		!strings.Contains(path, "/internal/") && !strings.HasSuffix(path, "/internal")
}

// initialisedText returns the declarations that tell of the variables of the library, and the init
// function that ends the initialisation of a package with tests, in its last file.
func (r *rewriter) initialisedText() string {
	p := r.ss.state
	if p == nil || !slices.Contains(p.last, r.src) {
		return ""
	}
	text := ""
	library := p.watchedLibrary()
	for _, path := range slices.Sorted(maps.Keys(library)) {
		name := r.imports[path]
		if name == "" {
			name = r.c.prefix + "of_" + strings.ReplaceAll(path, "/", "_")
			r.imports[path] = name
		}
		var parts []string
		for _, v := range library[path] {
			at := fmt.Sprintf(v, name)
			shown := strings.TrimPrefix(strings.TrimPrefix(at, "&"), name+".")
			parts = append(parts, fmt.Sprintf("%s(%q, \"\", %s)", r.hook("Watched"), shown, at))
		}
		text += fmt.Sprintf("\nvar _ = %s(%s, %s)",
			r.hook("State"), strconv.Quote(path), strings.Join(parts, ", "))
	}
	return text + fmt.Sprintf("\nfunc init() { %s() }", r.hook("Initialised"))
}
