package mutant

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// Beside returns a function that returns the Go files in the folder of a file, by their paths below
// root.
func Beside(root string) func(file string) []string {
	return func(file string) (all []string) {
		folder := path.Dir(file)
		names, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(folder), "*.go"))
		for _, name := range names {
			all = append(all, path.Join(folder, filepath.Base(name)))
		}
		return all
	}
}

// initialNames returns the names of what a package calls to give its variables their values, or in
// an init, given the texts of its files. Nobody has chosen a mutant yet then, and what the mutated
// texts speak of changes the order. What is called by these in turn is not among them: with the
// names of methods, that would be most of a package.
func initialNames(texts []string) (map[string]bool, error) {
	f, err := FunctionsOf(texts)
	if err != nil {
		return nil, err
	}
	called, _ := f.namesFrom(0, func(d ast.Decl) bool {
		switch d := d.(type) {
		case *ast.GenDecl:
			return d.Tok == token.VAR
		case *ast.FuncDecl:
			return d.Recv == nil && d.Name.Name == "init"
		}
		return false
	})
	return called, nil
}

// Functions are the functions of some files, and what they call.
type Functions struct {
	all     []ast.Decl
	bodies  map[string][]ast.Node // by the name of a function, which is no method
	foreign map[*ast.Ident]bool   // names of other packages
}

// FunctionsOf returns the functions of files with these texts.
func FunctionsOf(texts []string) (*Functions, error) {
	f := &Functions{bodies: map[string][]ast.Node{}, foreign: map[*ast.Ident]bool{}}
	for _, text := range texts {
		file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		imported := map[string]bool{}
		for _, i := range file.Imports {
			imported[importName(i)] = true
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				x, ok := s.X.(*ast.Ident)
				f.foreign[s.Sel] = ok && imported[x.Name]
			}
			return true
		})
		for _, d := range file.Decls {
			fn, _ := d.(*ast.FuncDecl)
			if fn == nil || fn.Body != nil {
				f.all = append(f.all, d)
			}
			if fn != nil && fn.Body != nil && fn.Recv == nil {
				f.bodies[fn.Name.Name] = append(f.bodies[fn.Name.Name], fn.Body)
			}
		}
	}
	return f, nil
}

// Mentions returns the names in a function and in those that it calls, but not in what these call:
// by their names alone, that would be most of a package.
func (f *Functions) Mentions(function string) map[string]bool {
	_, all := f.namesFrom(1, func(d ast.Decl) bool {
		fn, ok := d.(*ast.FuncDecl)
		return ok && fn.Recv == nil && fn.Name.Name == function
	})
	return all
}

// namesFrom returns the names of what some declarations call, with what the functions call that
// have these names, and so on for some levels, and all names there. The bodies of function literals
// count if they are in functions. A name of another package leads to no function of this one.
func (f *Functions) namesFrom(
	levels int, root func(ast.Decl) bool,
) (called, all map[string]bool) {
	var roots []ast.Node
	for _, d := range f.all {
		if root(d) {
			roots = append(roots, d)
		}
	}
	called, all = map[string]bool{}, map[string]bool{}
	for ; levels >= 0; levels-- {
		var next []ast.Node
		for _, root := range roots {
			_, variables := root.(*ast.GenDecl)
			ast.Inspect(root, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.FuncLit:
					return !variables
				case *ast.Ident:
					all[n.Name] = true
				case *ast.CallExpr:
					id := calledName(n.Fun)
					if id != nil && !f.foreign[id] && !called[id.Name] {
						called[id.Name] = true
						next = append(next, f.bodies[id.Name]...)
					}
				}
				return true
			})
		}
		roots = next
	}
	return called, all
}

// calledName returns the name of what is called, nil if it has none.
func calledName(fun ast.Expr) *ast.Ident {
	switch f := fun.(type) {
	case *ast.Ident:
		return f
	case *ast.SelectorExpr:
		return f.Sel
	case *ast.IndexExpr:
		return calledName(f.X)
	case *ast.IndexListExpr:
		return calledName(f.X)
	case *ast.ParenExpr:
		return calledName(f.X)
	}
	return nil
}

// importsNoLonger reports whether a file has an import that the text before used and this one does
// not: it does not compile.
func importsNoLonger(before, after *ast.File) bool {
	used, still := packagesIn(before), packagesIn(after)
	for _, i := range before.Imports {
		if name := importName(i); used[name] && !still[name] {
			return true
		}
	}
	return false
}

// packagesIn returns the names that stand before a selector in a file.
func packagesIn(file *ast.File) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok {
				names[id.Name] = true
			}
		}
		return true
	})
	return names
}

// importName returns the name that a file most likely has for what it imports.
func importName(i *ast.ImportSpec) string {
	if i.Name != nil {
		return i.Name.Name
	}
	whole, _ := strconv.Unquote(i.Path.Value)
	name := path.Base(whole)
	if version.MatchString(name) {
		name = path.Base(path.Dir(whole))
	}
	name, _, _ = strings.Cut(name, ".v")
	return name
}

var version = regexp.MustCompile(`^v[0-9]+$`)
