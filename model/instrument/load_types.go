package instrument

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
)

// A session holds type-checked packages for one listing. Packages that may be
// rewritten are checked from source; the standard library, and what is never
// rewritten, come from the compiler's export data. Both kinds live in one
// universe of types, so what is excluded must be closed under imports.
type session struct {
	set      *Set
	ctx      context.Context // of the call that is being served; see Set.mu
	l        *listing
	excluded map[string]bool // IDs of the checker's packages and of what they import
	fset     *token.FileSet
	export   types.Importer
	exports  map[string]string // files of export data by import path; nil until one is wanted
	pkgs     map[string]*checked

	cover    bool                        // mark the blocks that run
	values   map[*types.TypeName]bool    // outcome of valueUses for the binary that is planned
	state    *packageState               // variables of that binary, nil while it is not chosen
	explicit map[*types.TypeName]nameSet // memo of explicitNames
	pure     map[*types.Func]pureState   // memo of the spin-loop analysis
	contexts *bool                       // memo of ownContexts
	decls    map[*types.Func]funcSource  // declarations of all checked packages

	// outcome of withdraw for that binary: a struct that stands in the way, by type and method
	withdrawn map[*types.TypeName]map[string]string
}

// checked is a package with its syntax and types.
type checked struct {
	meta   *listed
	pkg    *types.Package
	info   *types.Info
	files  []*source
	prefix string // of names that the rewriter introduces: no file contains it
}

// source is one file of a package.
type source struct {
	name string
	text []byte
	ast  *ast.File
	tf   *token.File
}

// funcSource is where a function is declared.
type funcSource struct {
	pkg  *checked
	decl *ast.FuncDecl
}

// session returns the type-checked universe for the test binary of root.
func (s *Set) session(ctx context.Context, l *listing, root *listed) *session {
	// The binary contains that anyway, once it has been rewritten.
	excluded := make(map[string]bool)
	exclude := func(p *listed) {
		excluded[p.ID] = true
		for _, id := range p.Deps {
			if q := l.pkgs[id]; q != nil && !q.Standard {
				excluded[id] = true
			}
		}
	}
	exclude(l.pkgs[s.enginePath()])
	for _, p := range l.closure(root) {
		if p.engine() {
			exclude(p)
		} else if p.edge() {
			excluded[p.ID] = true
		}
	}
	keys := make([]string, 0, len(excluded))
	for id := range excluded {
		keys = append(keys, id)
	}
	sort.Strings(keys)
	key := fmt.Sprint(l.race, keys)
	ss := s.sessions[key]
	if ss == nil {
		ss = &session{
			set:      s,
			l:        l,
			excluded: excluded,
			fset:     token.NewFileSet(),
			pkgs:     make(map[string]*checked),
			explicit: make(map[*types.TypeName]nameSet),
			pure:     make(map[*types.Func]pureState),
			decls:    make(map[*types.Func]funcSource),
		}
		ss.export = importer.ForCompiler(ss.fset, "gc", ss.exportData)
		s.sessions[key] = ss
	}
	ss.ctx = ctx
	return ss
}

// exportData opens the compiler's export data of a package that is not
// checked from source: that of the build which is made, because what a package
// declares may depend on it.
func (ss *session) exportData(path string) (io.ReadCloser, error) {
	if ss.exports == nil {
		if err := ss.listExports(); err != nil {
			return nil, err
		}
	}
	file := ss.exports[path]
	if file == "" {
		return nil, fmt.Errorf("no export data for %s", path)
	}
	return os.Open(file)
}

// listExports finds the export data of the standard library and of what is
// excluded. The plain listing has it unless Config.Lean is set; else, and for the
// race detector, they are compiled here, and nothing else is: as Build does it, which finds them
// compiled.
func (ss *session) listExports() error {
	exports := make(map[string]string)
	paths := []string{ss.set.enginePath()}
	for _, id := range ss.l.order {
		p := ss.l.pkgs[id]
		if !p.Standard && !ss.excluded[id] {
			continue
		}
		exports[id] = p.Export
		if id == p.ImportPath && !strings.HasPrefix(id, "vendor/") {
			paths = append(paths, id)
		}
	}
	if ss.l.race || ss.set.cfg.Lean {
		args := append([]string{"list", "-deps", "-export", "-f", "{{.ImportPath}}\t{{.Export}}"},
			ss.set.buildFlags()...)
		if ss.l.race {
			args = append(args, raceFlags()...)
		}
		files := make(map[string][]byte)
		if err := ss.l.ownLibrary(files); err != nil {
			return err
		}
		overlay, _, err := ss.set.store(files)
		if err != nil {
			return err
		}
		args = append(args, "-overlay="+overlay)
		out, err := ss.set.goCmd(ss.ctx, append(append(args, "--"), paths...)...)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(out)) {
			id, file, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			exports[id] = file
		}
	}
	ss.exports = exports
	return nil
}

// rewritable reports whether p is rewritten, and if not, why.
func (ss *session) rewritable(p *listed) (bool, string) {
	switch {
	case p.edge():
		return false, "it is the edge of the operating system, of which only futex calls are modelled"
	case p.Standard:
		return false, "it is of the standard library, which is modelled where it is called"
	case p.engine():
		return false, "it is a package of the checker, which cannot check itself"
	case ss.excluded[p.ID]:
		return false, "the checker itself imports it"
	case len(p.CgoFiles) > 0:
		return false, fmt.Sprintf("it uses cgo (%s)", p.CgoFiles[0])
	}
	return true, ""
}

// edge reports whether p is, like the standard library, modelled where it is
// called.
func (p *listed) edge() bool { return strings.HasPrefix(p.ImportPath, "golang.org/x/sys/") }

// load type-checks a package from source, and first what it imports.
func (ss *session) load(id string) (*checked, error) {
	if c := ss.pkgs[id]; c != nil {
		return c, nil
	}
	p := ss.l.pkgs[id]
	if p == nil {
		return nil, fmt.Errorf("package %s was not listed", id)
	}
	c := &checked{meta: p}
	names := p.goFiles()
	if len(p.CgoFiles) > 0 {
		// What cgo made of them: enough to find types and checks.
		names = nil
		for _, f := range p.CompiledGoFiles {
			// Files that cgo made lie in the build cache, without a suffix.
			if ext := filepath.Ext(f); ext == ".go" || ext == "" {
				names = append(names, p.file(f))
			}
		}
	}
	if err := ss.parse(c, names); err != nil {
		return nil, err
	}
	c.prefix = freePrefix(c.files)

	var errs []string
	conf := types.Config{
		Sizes: types.SizesFor("gc", ss.set.goenv["GOARCH"]),
		Importer: importFunc(func(path string) (*types.Package, error) {
			return ss.importFrom(p, path)
		}),
		Error: func(err error) {
			if len(errs) < 10 {
				errs = append(errs, err.Error())
			}
		},
	}
	if m := p.Module; m != nil && m.GoVersion != "" {
		conf.GoVersion = "go" + m.GoVersion
	}
	c.info = &types.Info{
		Types:      make(map[ast.Expr]types.TypeAndValue),
		Instances:  make(map[*ast.Ident]types.Instance),
		Defs:       make(map[*ast.Ident]types.Object),
		Uses:       make(map[*ast.Ident]types.Object),
		Implicits:  make(map[ast.Node]types.Object),
		Selections: make(map[*ast.SelectorExpr]*types.Selection),
		Scopes:     make(map[ast.Node]*types.Scope),
	}
	files := make([]*ast.File, len(c.files))
	for i, f := range c.files {
		files[i] = f.ast
	}
	var err error
	c.pkg, err = conf.Check(p.ImportPath, ss.fset, files, c.info)
	if len(errs) > 0 {
		return nil, &BuildError{Output: "# " + id + "\n" + strings.Join(errs, "\n") + "\n"}
	}
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok {
				if fn, ok := c.info.Defs[d.Name].(*types.Func); ok {
					ss.decls[fn] = funcSource{c, d}
				}
			}
		}
	}
	ss.pkgs[id] = c
	return c, nil
}

// parse reads and parses the files, two at a time or more.
func (ss *session) parse(c *checked, names []string) error {
	c.files = make([]*source, len(names))
	errs := make([]error, len(names))
	var wg sync.WaitGroup
	limit := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, name := range names {
		text, err := ss.set.text(name)
		if err != nil {
			return err
		}
		wg.Add(1)
		limit <- struct{}{}
		go func() {
			defer func() { <-limit; wg.Done() }()
			const mode = parser.ParseComments | parser.SkipObjectResolution
			f, err := parser.ParseFile(ss.fset, name, text, mode)
			if err != nil {
				errs[i] = err
				return
			}
			c.files[i] = &source{name, text, f, ss.fset.File(f.FileStart)}
		}()
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return &BuildError{Output: "# " + c.meta.ID + "\n" + err.Error() + "\n"}
		}
	}
	return nil
}

// importFrom resolves an import of p.
func (ss *session) importFrom(p *listed, path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	id := p.dep(path)
	q := ss.l.pkgs[id]
	if q == nil {
		return nil, fmt.Errorf("package %s was not listed", path)
	}
	if q.Standard || ss.excluded[id] {
		return ss.export.Import(q.ID)
	}
	c, err := ss.load(id)
	if err != nil {
		return nil, err
	}
	return c.pkg, nil
}

type importFunc func(string) (*types.Package, error)

func (f importFunc) Import(path string) (*types.Package, error) { return f(path) }

// freePrefix returns a prefix for new names that occurs in none of the files,
// in any role.
func freePrefix(files []*source) string {
	prefix := "sw_"
	for n := 0; ; n++ {
		taken := func(f *source) bool { return bytes.Contains(f.text, []byte(prefix)) }
		if !slices.ContainsFunc(files, taken) {
			return prefix
		}
		prefix = fmt.Sprintf("sw%d_", n)
	}
}

// where names a position in messages: relative to the module, so that it does
// not depend on where the tree lies.
func (ss *session) where(c *checked, pos token.Pos) string {
	p := ss.fset.PositionFor(pos, false)
	name := p.Filename
	if m := c.meta.Module; m != nil {
		if m.Replace != nil && m.Dir == "" {
			m = m.Replace
		}
		rel, err := filepath.Rel(m.Dir, name)
		if m.Dir != "" && err == nil && filepath.IsLocal(rel) {
			name = filepath.ToSlash(rel)
			if !m.Main {
				name = m.Path + "/" + name
			}
		}
	}
	return fmt.Sprintf("%s:%d:%d", name, p.Line, p.Column)
}
