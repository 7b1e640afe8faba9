package mutant_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"

	"github.com/surewake/surewake/model/mutant"
)

// Each mutant leaves a package whose types are right: one that does not compile tells nothing of
// the check that must object to it, and may be run once in a hundred changes. What other packages
// use of the edited one is not looked at. Those that share a build are looked at together; few do
// not, since each of these costs a build.
func TestEveryMutantCompiles(t *testing.T) {
	packageOf, known := loadAll(t)
	files, err := mutant.Find(root)
	require.NoError(t, err)
	of := map[string][]int{} // by home
	all := make([]*mutant.Mutant, len(files))
	for i, f := range files {
		all[i], err = f.Read()
		require.NoError(t, err, f.Path)
		of[f.Home] = append(of[f.Home], i)
	}
	alone := 0
	for home, indices := range of {
		var mutants []*mutant.Mutant
		for _, i := range indices {
			mutants = append(mutants, all[i])
		}
		together := mutant.PutTogether(mutants, read, mutant.Beside(root))
		packageOf.compile(t, known, "the mutants of "+home, together.Files)
		for n, i := range indices {
			edited, err := all[i].Apply(read)
			require.NoError(t, err, files[i].Path)
			if together.Numbers[n] == 0 {
				alone++
				packageOf.compile(t, known, files[i].Path, edited)
			}
		}
	}
	require.Less(t, alone, len(files)/10)
}

// compile fails if a package in which files are edited has errors then.
func (all packagesByFile) compile(
	t *testing.T, known imports, what string, edited map[string][]byte,
) {
	done := map[*checked]bool{nil: true} // not Go, or of a module of its own
	for file := range edited {
		if p := all[file]; !done[p] {
			done[p] = true
			for _, err := range p.errors(known, edited) {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
}

// packagesByFile are the packages of this module.
type packagesByFile map[string]*checked

// A checked is a package of this module.
type checked struct {
	*packages.Package
	files []string // of Syntax, relative to the root, with slashes
	bare  []*ast.File
}

// loadAll returns the packages of this module by their files, and all types they import.
func loadAll(t *testing.T) (packagesByFile, imports) {
	abs, err := filepath.Abs(root)
	require.NoError(t, err)
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedCompiledGoFiles | packages.NeedSyntax |
			packages.NeedTypes | packages.NeedTypesSizes | packages.NeedImports |
			packages.NeedDeps | packages.NeedModule,
		Dir: root,
	}, "./...")
	require.NoError(t, err)
	known := imports{}
	packages.Visit(loaded, nil, func(p *packages.Package) { known[p.PkgPath] = p.Types })
	all := packagesByFile{}
	for _, p := range loaded {
		require.Empty(t, p.Errors, p.PkgPath)
		c := &checked{Package: p}
		for i, file := range p.CompiledGoFiles {
			name, err := filepath.Rel(abs, file)
			require.NoError(t, err)
			name = filepath.ToSlash(name)
			c.files = append(c.files, name)
			c.bare = append(c.bare, withoutBodies(p.Syntax[i]))
			all[name] = c
		}
	}
	return all, known
}

// withoutBodies returns a file without the bodies of its functions.
func withoutBodies(file *ast.File) *ast.File {
	bare := *file
	bare.Decls = nil
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			d = &ast.FuncDecl{Recv: f.Recv, Name: f.Name, Type: f.Type}
		}
		bare.Decls = append(bare.Decls, d)
	}
	return &bare
}

// errors returns what is wrong with p if some of its files have other texts. If these differ in
// bodies of functions only, those of all other files are not looked at.
func (p *checked) errors(known imports, edited map[string][]byte) []error {
	files := append([]*ast.File(nil), p.bare...)
	changed := map[string]bool{}
	all := false
	for i, name := range p.files {
		text, ok := edited[name]
		if !ok {
			continue
		}
		file, err := parser.ParseFile(p.Fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			return []error{err}
		}
		files[i], changed[name] = file, true
		all = all || declared(withoutBodies(file)) != declared(p.bare[i])
	}
	if all {
		for i, name := range p.files {
			if !changed[name] {
				files[i] = p.Syntax[i]
			}
		}
	}
	var errs []error
	conf := types.Config{
		Importer:  known,
		Sizes:     p.TypesSizes,
		GoVersion: "go" + p.Module.GoVersion,
		Error: func(err error) {
			at := p.Fset.Position(err.(types.Error).Pos).Filename
			if all || changed[at] {
				errs = append(errs, err)
			}
		},
	}
	_, _ = conf.Check(p.PkgPath, p.Fset, files, nil) // Error has been told
	return errs
}

func declared(bare *ast.File) string {
	var text strings.Builder
	for _, d := range bare.Decls {
		if err := printer.Fprint(&text, token.NewFileSet(), d); err != nil {
			panic(err)
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// imports are packages by their paths. Nothing here is vendored.
type imports map[string]*types.Package

func (i imports) Import(path string) (*types.Package, error) {
	if p := i[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("nothing in this module imports %s", path)
}
