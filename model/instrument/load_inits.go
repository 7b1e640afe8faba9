package instrument

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Imports that nothing mentions any more.
//
// An import that only left-out tests mention goes if nobody can notice: if no package that it
// brings in does anything, when it is initialised, that is seen outside of it. It stays, without a
// name, if one of them may do so, even if that is in the binary anyway, as the order in which
// packages are initialised depends on who imports whom.
//
// A package is quiet if its init functions and those initialisers of variables that call something,
// with all that they lead to in their package by name, start no goroutine, and mention of other
// packages only what has no effect (isPure). Packages of the standard library are quiet, but for
// those that register themselves with another one, if that is imported by what is looked at.
//
// Rejected: to keep all imports, as packages for tests are large, and they are quiet; and to keep
// those of the main module only, as drivers and codecs that register themselves are others'.

// A remainder is what the test binary of a package consists of without some imports.
type remainder struct {
	narrower *narrower
	in       map[string]bool // by ID
	uses     map[string]bool // import paths that packages mention, but for those of the library
}

// A spare is an import that nothing mentions any more.
type spare struct {
	file  *testFile
	spec  *ast.ImportSpec
	id    string // of the package
	stays bool   // without its name

	from, name, path, to int // where it is in the text, with its declaration
}

// spares returns the imports that the text of a file does not mention, in their order.
func (n *narrower) spares(f *testFile, text []byte) []*spare {
	fset := token.NewFileSet()
	left, err := parser.ParseFile(fset, f.name, text, 0)
	if err != nil {
		return nil
	}
	mentions := make(map[string]bool)
	for _, id := range left.Unresolved { // as imports are in a file
		mentions[id.Name] = true
	}
	at := func(pos token.Pos) int { return fset.PositionFor(pos, false).Offset }
	var spares []*spare
	for _, d := range left.Decls {
		d, ok := d.(*ast.GenDecl)
		if !ok || d.Tok != token.IMPORT {
			continue
		}
		for _, spec := range d.Specs {
			i := spec.(*ast.ImportSpec)
			name := n.nameOf(f, i)
			if name == "" || name == "_" || name == "." || mentions[name] {
				continue
			}
			path, _ := strconv.Unquote(i.Path.Value)
			node := single(d, i)
			spares = append(spares, &spare{
				file: f, spec: i, id: f.in.dep(path),
				from: at(node.Pos()), name: at(i.Pos()), path: at(i.Path.Pos()), to: at(node.End()),
			})
		}
	}
	return spares
}

// apply takes the import out of a text, or its name.
func (s *spare) apply(text []byte) []byte {
	if !s.stays {
		blank(text[s.from:s.to])
		return text
	}
	return slices.Replace(text, s.name, s.path, []byte("_ ")...)
}

// settle decides which imports stay: those of a package that stays, or that somebody notices.
func (n *narrower) settle(spares []*spare) {
	r := &remainder{narrower: n, in: make(map[string]bool), uses: make(map[string]bool)}
	r.add(n.l.testmain(n.root).ID)
	r.add(n.set.enginePath())
	goes := make(map[*testFile]map[string]bool)
	for _, s := range spares {
		if goes[s.file] == nil {
			goes[s.file] = make(map[string]bool)
		}
		goes[s.file][s.key()] = true
	}
	type imported struct{ by, id string }
	has := make(map[imported]bool)
	for _, f := range n.files {
		for _, i := range f.ast.Imports {
			if !goes[f][keyOf(i)] {
				has[imported{f.in.ID, r.imports(f.in, i.Path.Value)}] = true
			}
		}
	}
	for again := true; again; {
		again = false
		for _, s := range spares {
			by := imported{s.file.in.ID, s.id}
			if !has[by] && r.notices(s.id, make(map[string]bool)) {
				s.stays, has[by], again = true, true, true
				r.imports(s.file.in, s.spec.Path.Value)
			}
		}
	}
}

func keyOf(i *ast.ImportSpec) string {
	if i.Name == nil {
		return i.Path.Value
	}
	return i.Name.Name + " " + i.Path.Value
}

func (s *spare) key() string { return keyOf(s.spec) }

// imports adds an import of a file of p, and returns the package's ID.
func (r *remainder) imports(p *listed, quoted string) string {
	to, _ := strconv.Unquote(quoted)
	r.uses[to] = true
	r.add(p.dep(to))
	return p.dep(to)
}

// add adds a package with what it imports. What the tests of the package itself import is added one
// by one.
func (r *remainder) add(id string) {
	p := r.narrower.l.pkgs[id]
	if p == nil || r.in[id] {
		return
	}
	r.in[id] = true
	for _, i := range r.importsOf(p) {
		if !p.Standard && !p.engine() {
			i, _, _ := strings.Cut(i, " ")
			r.uses[i] = true
		}
		r.add(p.dep(i))
	}
}

func (r *remainder) importsOf(p *listed) []string {
	root := r.narrower.root
	switch {
	case p.ForTest != root.ImportPath || p.ID == root.ID:
		return p.Imports
	case p.ImportPath == root.ImportPath:
		return root.Imports
	case p.ImportPath == root.ImportPath+"_test":
		return nil
	}
	return p.Imports
}

// notices reports whether the initialisation of a package, or of one that it brings in, is seen
// outside of it. One of the standard library sees no other one, so its place in the order is none.
func (r *remainder) notices(id string, seen map[string]bool) bool {
	p := r.narrower.l.pkgs[id]
	switch {
	case p == nil || seen[id] || p.engine() || p.Standard && r.in[id]:
		return false
	case p.Standard && r.uses[registry(p.ImportPath)]:
		return true
	case !p.Standard && !r.narrower.set.isQuiet(p):
		return true
	}
	seen[id] = true
	return slices.ContainsFunc(r.importsOf(p), func(i string) bool {
		return r.notices(p.dep(i), seen)
	})
}

// registry returns the package with which one of the standard library registers itself when it is
// initialised, "" if there is none.
func registry(p string) string {
	switch {
	case strings.HasPrefix(p, "crypto/"), strings.HasPrefix(p, "image/"):
		return path.Dir(p)
	case p == "expvar", p == "net/http/pprof":
		return "net/http"
	case p == "time/tzdata":
		return "time"
	}
	return ""
}

// isPure reports whether what a package of the standard library has of that name does nothing
// outside of its arguments. Flags are seen by those who look for them, who are asked about
// (testPart.flags, Set.seeksFlags).
func isPure(pkg, name string) bool {
	switch pkg {
	case "bytes", "cmp", "errors", "io", "maps", "math", "math/bits", "math/big", "path",
		"reflect", "regexp", "regexp/syntax", "slices", "sort", "strconv", "strings", "sync",
		"sync/atomic", "unicode", "unicode/utf16", "unicode/utf8", "unsafe", "encoding/base64",
		"encoding", "encoding/binary", "encoding/hex", "encoding/json", "net/url", "go/token",
		"go/ast", "html/template", "text/template":
		return true
	case "flag":
		return !looksUpFlags[name] && name != "Parse"
	case "fmt":
		return strings.HasPrefix(name, "S") || name == "Errorf" || name == "Append"
	case "log":
		return name == "Logger"
	case "os":
		return name == "Getenv" || name == "LookupEnv"
	case "runtime":
		return name == "GOOS" || name == "GOARCH" || name == "Version"
	case "testing":
		return name != "Init" && !strings.HasPrefix(name, "Main") && name != "RegisterCover"
	case "time":
		switch name {
		case "AfterFunc", "NewTimer", "NewTicker", "Tick", "After", "Sleep":
			return false
		}
		return true
	case "context":
		return name != "AfterFunc"
	}
	return false
}

// callsAny has the methods of package reflect by which a method is called, or becomes a function.
// Those of templates begin with Execute.
var callsAny = map[string]bool{
	"Call": true, "CallSlice": true, "Method": true, "MethodByName": true, "Methods": true,
}

// isCalledByLibrary reports whether what is pure may call a method of that name by an interface.
func isCalledByLibrary(name string) bool {
	switch name {
	case "Error", "String", "GoString", "Format", "Unwrap", "Is", "As", "Len", "Less", "Swap",
		"Read", "ReadAt", "ReadByte", "ReadFrom", "ReadRune", "UnreadByte", "UnreadRune", "Close",
		"Seek", "Write", "WriteAt", "WriteByte", "WriteString", "WriteTo", "Set", "Get",
		"IsBoolFlag", "Lock", "Unlock", "Deadline", "Done", "Err", "Value", "Int63", "Uint64",
		"IsZero":
		return true
	}
	return strings.Contains(name, "Scan") || strings.Contains(name, "Marshal") ||
		strings.HasPrefix(name, "Unmarshal") || strings.HasPrefix(name, "Append")
}

// isQuiet reports whether nothing of what a package does when it is initialised is seen outside of
// it.
func (s *Set) isQuiet(p *listed) bool {
	if quiet, ok := s.quiet[p.ID]; ok {
		return quiet
	}
	i := &initCode{
		set: s, p: p, parts: make(map[string][]initPart), seen: make(map[ast.Node]bool),
		foreign: make(map[string]bool), loose: make(map[*ast.Ident]bool),
	}
	quiet := len(p.CgoFiles) == 0 && i.read() && i.quiet()
	s.quiet[p.ID] = quiet
	return quiet
}

// initCode is what a package may do when it is initialised.
type initCode struct {
	set   *Set
	p     *listed
	roots []initPart
	parts map[string][]initPart // by what they declare; methods by a period and their names
	seen  map[ast.Node]bool

	foreign map[string]bool     // what may be another package's, by a linkname
	loose   map[*ast.Ident]bool // what its file does not declare
}

var linknamed = regexp.MustCompile(`(?m)^//go:linkname (\w+)`)

type initPart struct {
	file  *ast.File
	paths map[string]string // imports of its file, by name
	node  ast.Node
}

func (c *initCode) read() bool {
	for _, name := range c.p.goFiles() {
		text, err := c.set.text(name)
		if err != nil {
			return false
		}
		for _, to := range linknamed.FindAllSubmatch(text, -1) {
			c.foreign[string(to[1])] = true
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			return false
		}
		for _, id := range f.Unresolved {
			c.loose[id] = true
		}
		paths := make(map[string]string)
		for _, i := range f.Imports {
			to, _ := strconv.Unquote(i.Path.Value)
			q := c.set.plain.pkgs[c.p.dep(to)]
			switch {
			case i.Name != nil && i.Name.Name == ".":
				return false
			case i.Name != nil:
				paths[i.Name.Name] = to
			case q == nil: // unsafe
				paths[to] = to
			default:
				paths[q.Name] = to
			}
		}
		for _, d := range f.Decls {
			c.declare(f, paths, d)
		}
	}
	return !slices.ContainsFunc(makers, func(name string) bool { return c.parts[name] != nil })
}

func (c *initCode) declare(f *ast.File, paths map[string]string, d ast.Decl) {
	part := func(name string, node ast.Node) {
		c.parts[name] = append(c.parts[name], initPart{f, paths, node})
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		switch {
		case d.Recv != nil:
			part("."+d.Name.Name, d)
			if isCalledByLibrary(d.Name.Name) {
				part(receiverOf(d), d)
			}
		case d.Name.Name == "init":
			c.roots = append(c.roots, initPart{f, paths, d})
		default:
			part(d.Name.Name, d)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				part(spec.Name.Name, spec)
			case *ast.ValueSpec:
				for _, id := range spec.Names {
					part(id.Name, spec)
				}
				for _, value := range spec.Values {
					if acts(value, paths) {
						c.roots = append(c.roots, initPart{f, paths, value})
					}
				}
			}
		}
	}
}

// acts reports whether to evaluate an initialiser may do more than to make a value: in a file with
// these imports, by name.
func acts(e ast.Expr, paths map[string]string) bool {
	found := false
	ast.Inspect(e, func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			found = found || !onlyMakes(m, paths)
		case *ast.UnaryExpr:
			found = found || m.Op == token.ARROW
		}
		return !found
	})
	return found
}

// makers are functions of the language that make a value and no more, where no package declares one
// of that name.
var makers = []string{"new", "make", "len"}

// onlyMakes reports whether a call is known to make a value and no more.
func onlyMakes(call *ast.CallExpr, paths map[string]string) bool {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return slices.Contains(makers, f.Name)
	case *ast.SelectorExpr:
		pkg, ok := f.X.(*ast.Ident)
		return ok && (paths[pkg.Name] == "errors" && f.Sel.Name == "New" ||
			paths[pkg.Name] == "regexp" && f.Sel.Name == "MustCompile")
	}
	return false
}

// partOf returns the variable of which e is a part, or what else e begins with.
func partOf(e ast.Expr) ast.Expr {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.SelectorExpr:
			if _, ok := x.X.(*ast.Ident); ok {
				return x
			}
			e = x.X
		default:
			return e
		}
	}
}

// seeksFlags reports whether code other than tests looks for flags by their names, or for all.
func (s *Set) seeksFlags() bool {
	if s.flags == nil {
		sought := false
		for _, p := range s.plain.pkgs {
			if p.Standard || p.engine() || !slices.Contains(p.Imports, "flag") {
				continue
			}
			for _, name := range p.goFiles() {
				text, err := s.text(name)
				sought = sought || !strings.HasSuffix(name, "_test.go") &&
					(err != nil || seeking.Match(text))
			}
		}
		s.flags = &sought
	}
	return *s.flags
}

// seeking finds what looks for flags; the package may have another name in a file.
var seeking = regexp.MustCompile(
	`\bflag\.(` + strings.Join(slices.Sorted(maps.Keys(looksUpFlags)), "|") +
		`)\b|(?m:^([ \t]+|import )[\w.]+ "flag"$)`)

// quiet follows names from the roots.
func (c *initCode) quiet() bool {
	quiet := true
	todo := c.roots
	for len(todo) > 0 && quiet {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if c.seen[p.node] {
			continue
		}
		c.seen[p.node] = true
		of := func(e ast.Expr) (pkg, name string) {
			sel, ok := e.(*ast.SelectorExpr)
			if !ok {
				return "", ""
			}
			id, ok := sel.X.(*ast.Ident)
			if !ok {
				return "", ""
			}
			return p.paths[id.Name], sel.Sel.Name
		}
		ast.Inspect(p.node, func(m ast.Node) bool {
			switch m := m.(type) {
			case *ast.GoStmt:
				quiet = false
			case *ast.AssignStmt:
				for _, to := range m.Lhs {
					ast.Inspect(to, func(m ast.Node) bool {
						e, _ := m.(ast.Expr)
						pkg, _ := of(e)
						quiet = quiet && pkg == ""
						return quiet
					})
				}
			case *ast.UnaryExpr:
				if m.Op == token.AND { // by which it may be assigned to
					pkg, _ := of(partOf(m.X))
					quiet = quiet && pkg == ""
				}
			case *ast.SelectorExpr:
				if pkg, name := of(m); pkg != "" {
					quiet = quiet && isPure(pkg, name) && (pkg != "flag" || !c.set.seeksFlags())
				}
				quiet = quiet && !callsAny[m.Sel.Name] && !strings.HasPrefix(m.Sel.Name, "Execute")
				todo = append(todo, c.parts["."+m.Sel.Name]...)
			case *ast.Ident:
				if c.loose[m] || m.Obj != nil && p.file.Scope.Lookup(m.Name) == m.Obj {
					quiet = quiet && !c.foreign[m.Name]
					todo = append(todo, c.parts[m.Name]...)
				}
			}
			return quiet
		})
	}
	return quiet
}
