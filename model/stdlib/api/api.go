// Package api lists what the standard library exports.
package api

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

// A Set has names by import path: Func, Var, Type.Method.
type Set map[string]map[string]bool

func (s Set) add(path, name string) {
	if s[path] == nil {
		s[path] = make(map[string]bool)
	}
	s[path][name] = true
}

// Names gives the names of a package in order.
func (s Set) Names(path string) []string {
	names := make([]string, 0, len(s[path]))
	for n := range s[path] {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// Paths gives the packages in order.
func (s Set) Paths() []string {
	paths := make([]string, 0, len(s))
	for p := range s {
		paths = append(paths, p)
	}
	sort.Strings(paths)
	return paths
}

// Installed lists the functions, variables and methods that programs can name or reach in the
// standard library of the go command: methods also of unexported types that an exported
// declaration leads to, by embedding or as the type of a result, a variable or a field.
func Installed() (Set, error) {
	// Dependencies first: a package that is met before it is imported would lack methods.
	out, err := exec.Command("go", "list", "-deps", "-export", "-f",
		"{{.ImportPath}} {{.Export}}", "std").Output()
	if err != nil {
		return nil, fmt.Errorf("go list std: %w", err)
	}
	files := make(map[string]string)
	var paths []string
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
		if file != "" { // else it is unsafe, or has nothing but tests
			paths = append(paths, path)
		}
	}
	imp := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if files[path] == "" {
			path = "vendor/" + path
		}
		return os.Open(files[path])
	})
	w := walker{set: make(Set), seen: make(map[types.Type]bool)}
	for _, path := range paths {
		pkg, err := imp.Import(path)
		if err != nil {
			return nil, err
		}
		if Hidden(path) {
			continue
		}
		for _, name := range pkg.Scope().Names() {
			if obj := pkg.Scope().Lookup(name); obj.Exported() {
				w.object(obj)
			}
		}
	}
	return w.set, w.set.underRace()
}

// underRace adds the functions that the standard library has only for the race detector.
func (s Set) underRace() error {
	files := func(args ...string) (map[string]bool, error) {
		args = append([]string{"list", "-f",
			"{{$p := .}}{{range .GoFiles}}{{$p.ImportPath}} {{$p.Dir}}/{{.}}\n{{end}}"}, args...)
		out, err := exec.Command("go", append(args, "std")...).Output()
		if err != nil {
			return nil, fmt.Errorf("go list std: %w", err)
		}
		set := make(map[string]bool)
		for line := range strings.Lines(string(out)) {
			if line = strings.TrimSpace(line); line != "" {
				set[line] = true
			}
		}
		return set, nil
	}
	plain, err := files()
	if err != nil {
		return err
	}
	race, err := files("-tags=race")
	if err != nil {
		return err
	}
	for f := range race {
		path, name, _ := strings.Cut(f, " ")
		if plain[f] || Hidden(path) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil && d.Name.IsExported() {
				s.add(path, d.Name.Name)
			}
		}
	}
	return nil
}

// Hidden reports whether programs cannot import a package of the standard library.
func Hidden(path string) bool {
	return strings.HasPrefix(path, "vendor/") || strings.HasPrefix(path, "cmd/") ||
		regexp.MustCompile(`(^|/)internal(/|$)`).MatchString(path)
}

type walker struct {
	set  Set
	seen map[types.Type]bool
}

func (w *walker) object(obj types.Object) {
	switch obj.(type) {
	case *types.Func, *types.Var:
		w.set.add(obj.Pkg().Path(), obj.Name())
	case *types.Const:
		return
	}
	w.visit(obj.Type())
}

func (w *walker) visit(t types.Type) {
	if t == nil || w.seen[t] {
		return
	}
	w.seen[t] = true
	switch t := t.(type) {
	case *types.Alias:
		w.visit(t.Rhs())
	case *types.Named:
		w.named(t.Origin())
	case interface{ Elem() types.Type }: // pointer, slice, array, channel, map
		w.visit(t.Elem())
		if m, ok := t.(*types.Map); ok {
			w.visit(m.Key())
		}
	case *types.Signature:
		for v := range t.Params().Variables() {
			w.visit(v.Type())
		}
		for v := range t.Results().Variables() {
			w.visit(v.Type())
		}
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() || f.Embedded() {
				w.visit(f.Type())
			}
		}
	case *types.Interface:
		for e := range t.EmbeddedTypes() {
			w.visit(e)
		}
	}
}

func (w *walker) named(n *types.Named) {
	w.visit(n.Underlying())
	if n.Obj().Pkg() == nil {
		return // error, comparable
	}
	methods := n.Methods()
	if i, ok := n.Underlying().(*types.Interface); ok {
		methods = i.ExplicitMethods()
	}
	for m := range methods {
		if m.Exported() {
			w.set.add(n.Obj().Pkg().Path(), n.Obj().Name()+"."+m.Name())
			w.visit(m.Type())
		}
	}
}

var (
	plainLine  = regexp.MustCompile(`^pkg (\S+)(?: \(\S+\))?, (?:func|var) (\w+)`)
	methodLine = regexp.MustCompile(`^pkg (\S+)(?: \(\S+\))?, method \(\*?(\w+)(?:\[[^\]]*\])?\) (\w+)`)
	ifaceLine  = regexp.MustCompile(`^pkg (\S+)(?: \(\S+\))?, type (\w+) interface, (\w+)\(`)
)

// Recorded adds what the files in goroot/api say that some release has exported on some platform,
// of packages that s has.
func (s Set) Recorded(goroot string) error {
	files, err := filepath.Glob(filepath.Join(goroot, "api", "go1*.txt"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("%s/api has no records of releases", goroot)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		for sc := bufio.NewScanner(f); sc.Scan(); {
			m := plainLine.FindStringSubmatch(sc.Text())
			if m == nil {
				m = methodLine.FindStringSubmatch(sc.Text())
			}
			if m == nil {
				m = ifaceLine.FindStringSubmatch(sc.Text())
			}
			if m == nil || s[m[1]] == nil {
				continue
			}
			if name := strings.Join(m[2:], "."); token.IsExported(name) {
				s.add(m[1], name)
			}
		}
		f.Close()
	}
	return nil
}
