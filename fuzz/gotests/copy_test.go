package gotests

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A suite is the external tests of one package of the standard library.
type suite struct {
	path  string   // of the package
	only  []string // the files that are taken; all if nil
	name  string   // of the package of the tests
	fset  *token.FileSet
	files []*file
	lost  map[string]string // why a declaration is left out, by name

	imports types.Importer
}

type file struct {
	name string
	text []byte
	ast  *ast.File
}

// published has what the tests of internal packages call in place of them.
var published = map[string]*strings.Replacer{
	"internal/synctest": strings.NewReplacer(
		`"internal/synctest"`, `"testing/synctest"`,
		"synctest.Run(func() {", "synctest.Test(t, func(*testing.T) {",
	),
}

// readSuite reads the tests that GOROOT has for this platform.
func readSuite(path string, only []string) (*suite, error) {
	dir := filepath.Join(build.Default.GOROOT, "src", filepath.FromSlash(path))
	pkg, err := build.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	s := &suite{
		path: path, only: only, name: pkg.Name + "_test", fset: token.NewFileSet(),
		lost: map[string]string{},
	}
	s.imports = importer.ForCompiler(s.fset, "gc", nil)
	for _, name := range pkg.XTestGoFiles {
		if only != nil && !slices.Contains(only, name) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		if public := published[path]; public != nil {
			text = []byte(public.Replace(string(text)))
		}
		f := &file{name: name, text: text}
		if err := s.parse(f); err != nil {
			return nil, err
		}
		s.files = append(s.files, f)
	}
	return s, nil
}

func (s *suite) parse(f *file) (err error) {
	mode := parser.ParseComments | parser.SkipObjectResolution
	f.ast, err = parser.ParseFile(s.fset, f.name, f.text, mode)
	return err
}

// tests returns the names of the Test functions.
func (s *suite) tests() []string {
	var names []string
	for _, f := range s.files {
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && isTest(fn) {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return names
}

func isTest(fn *ast.FuncDecl) bool {
	name, params := fn.Name.Name, fn.Type.Params.List
	return fn.Recv == nil && strings.HasPrefix(name, "Test") && name != "TestMain" &&
		len(params) == 1
}

// edit changes the text of functions: as the table says, then as doc.go does.
func (s *suite) edit(edits []edit) error {
	done := map[edit]bool{}
	for _, e := range edits {
		if done[e] {
			continue // two tests share the function
		}
		done[e] = true
		if err := s.editOne(e); err != nil {
			return err
		}
	}
	for _, f := range s.files {
		f.text = bytes.ReplaceAll(f.text, []byte("testing.Short()"), []byte("true"))
		f.text = bytes.ReplaceAll(f.text, []byte("\tt.Parallel()\n"), []byte("\n"))
		f.text = bytes.Replace(f.text, []byte("\n//go:build !race\n"), []byte("\n//\n"), 1)
		if err := s.parse(f); err != nil {
			return err
		}
	}
	return nil
}

func (s *suite) editOne(e edit) error {
	for _, f := range s.files {
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || fn.Name.Name != e.function {
				continue
			}
			from, to := s.span(fn)
			body := string(f.text[from:to])
			if !strings.Contains(body, e.old) {
				return fmt.Errorf("%s: %s has no %q", s.path, e.function, e.old)
			}
			body = strings.ReplaceAll(body, e.old, e.new)
			f.text = slices.Concat(f.text[:from], []byte(body), f.text[to:])
			return s.parse(f)
		}
	}
	return fmt.Errorf("%s has no function %s", s.path, e.function)
}

func (s *suite) span(n ast.Node) (from, to int) {
	return s.fset.Position(n.Pos()).Offset, s.fset.Position(n.End()).Offset
}

// reduce leaves out what does not compile outside of GOROOT, and benchmarks and examples.
func (s *suite) reduce() error {
	for _, f := range s.files {
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil {
				continue
			}
			switch name := fn.Name.Name; {
			case strings.HasPrefix(name, "Benchmark"), strings.HasPrefix(name, "Example"),
				strings.HasPrefix(name, "Fuzz"), name == "TestMain":
				s.leaveOut(f, fn, "no test")
			case fn.Body == nil:
				s.leaveOut(f, fn, name+" has no body")
			}
		}
	}
	for range 100 {
		if again, err := s.reduceOnce(); err != nil || !again {
			return err
		}
	}
	return errors.New("the declarations of " + s.path + " never compile")
}

// leaveOut puts spaces in the place of a declaration and its comment.
func (s *suite) leaveOut(f *file, n ast.Node, why string) {
	var doc *ast.CommentGroup
	names := []string{}
	switch n := n.(type) {
	case *ast.FuncDecl:
		doc = n.Doc
		if n.Recv == nil {
			names = append(names, n.Name.Name)
		}
	case *ast.GenDecl:
		doc = n.Doc
	case *ast.ValueSpec:
		for _, name := range n.Names {
			names = append(names, name.Name)
		}
	case *ast.TypeSpec:
		names = append(names, n.Name.Name)
	}
	for _, name := range names {
		s.lost[name] = why
	}
	from, to := s.span(n)
	if doc != nil {
		from, _ = s.span(doc)
	}
	for i := from; i < to; i++ {
		if f.text[i] != '\n' {
			f.text[i] = ' '
		}
	}
}

// reduceOnce leaves out what has an error now, and reports whether there was any.
func (s *suite) reduceOnce() (bool, error) {
	var trees []*ast.File
	for _, f := range s.files {
		if err := s.parse(f); err != nil {
			return false, err
		}
		trees = append(trees, f.ast)
	}
	faults := map[token.Position]string{}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{
		Importer: s,
		Error: func(err error) {
			var fault types.Error
			if errors.As(err, &fault) && !strings.HasPrefix(fault.Msg, "could not import") {
				faults[s.fset.Position(fault.Pos)] = fault.Msg
			}
		},
	}
	_, _ = config.Check(s.name, s.fset, trees, info)
	for id, object := range info.Uses {
		if name, ok := object.(*types.PkgName); ok && isInternal(name.Imported().Path()) {
			faults[s.fset.Position(id.Pos())] = "uses " + name.Imported().Path()
		}
	}
	for _, f := range s.files {
		for _, spec := range f.ast.Imports {
			if path, _ := strconv.Unquote(spec.Path.Value); isInternal(path) {
				s.leaveOut(f, spec, "internal")
			}
		}
	}
	for at, why := range faults {
		if err := s.leaveOutAt(at, why); err != nil {
			return false, err
		}
	}
	return len(faults) > 0, nil
}

// isInternal reports whether only the standard library can import a package: those below internal,
// and those that it has in its vendor directory.
func isInternal(path string) bool {
	return strings.HasPrefix(path, "internal/") || strings.HasPrefix(path, "golang.org/")
}

// Import makes s the importer of what a user can import.
func (s *suite) Import(path string) (*types.Package, error) {
	if isInternal(path) {
		return nil, errors.New("internal")
	}
	return s.imports.Import(path)
}

// leaveOutAt leaves out the declaration at a place.
func (s *suite) leaveOutAt(at token.Position, why string) error {
	for _, f := range s.files {
		if f.name != at.Filename {
			continue
		}
		for _, d := range f.ast.Decls {
			if n := s.declarationAt(d, at.Offset); n != nil {
				s.leaveOut(f, n, why)
				return nil
			}
		}
	}
	return fmt.Errorf("%v: %s", at, why)
}

// declarationAt returns what can be left out alone: a function, a type, a variable, or a whole
// declaration of constants.
func (s *suite) declarationAt(d ast.Decl, at int) ast.Node {
	within := func(n ast.Node) bool {
		from, to := s.span(n)
		return from <= at && at < to
	}
	if !within(d) {
		return nil
	}
	general, ok := d.(*ast.GenDecl)
	if ok && general.Lparen.IsValid() && general.Tok != token.CONST {
		for _, spec := range general.Specs {
			if within(spec) {
				return spec
			}
		}
	}
	return d
}

// write writes the suite into a folder, each test as a check, and returns their names.
func (s *suite) write(dir string, skip func(test string) bool) (tests []string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	if err := s.copyData(dir); err != nil {
		return nil, err
	}
	checks := bytes.NewBufferString("package " + s.name + `

import (
	"testing"

	"github.com/surewake/surewake/model"
)
`)
	for _, f := range s.files {
		for _, d := range slices.Backward(f.ast.Decls) {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !isTest(fn) {
				continue
			}
			name := fn.Name.Name
			at, _ := s.span(fn.Name)
			f.text = slices.Concat(f.text[:at], []byte("original"), f.text[at:])
			if skip(name) {
				continue
			}
			tests = append(tests, name)
			fmt.Fprintf(checks, "\nfunc %s(t *testing.T) {\n"+
				"\tmodel.Check(t, func(*model.Exec) { original%s(t) })\n}\n", name, name)
		}
		if err := os.WriteFile(filepath.Join(dir, f.name), f.text, 0o600); err != nil {
			return nil, err
		}
	}
	return tests, os.WriteFile(filepath.Join(dir, "checks_test.go"), checks.Bytes(), 0o600)
}

// copyData copies the files that tests read, which all tests of a package may do.
func (s *suite) copyData(dir string) error {
	if s.only != nil {
		return nil
	}
	data := filepath.Join(build.Default.GOROOT, "src", filepath.FromSlash(s.path), "testdata")
	if _, err := os.Stat(data); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	to := filepath.Join(dir, "testdata")
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	return os.CopyFS(to, os.DirFS(data))
}
