package instrument

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// A test file is looked at by its syntax, before anything is type-checked: what its declarations
// mention is known by names.

type testFile struct {
	name string
	text []byte
	in   *listed
	root string // the name of the package that is tested
	fset *token.FileSet
	ast  *ast.File

	stays bool                // all of it
	paths map[string]string   // of imports, by name
	leads map[string]bool     // names of imports that lead to checks
	own   map[string]bool     // of those of the package itself
	model map[string]bool     // of those of the package that has Check
	flag  map[string]bool     // of those of package flag
	loose map[*ast.Ident]bool // what the file itself does not declare
}

// A testPart is what can be left out: a function, or one of the specs of a declaration.
type testPart struct {
	file     *testFile
	from, to token.Pos
	names    map[string]bool // what it mentions
	sets     map[string]bool // the variables that it assigns to
	test     string          // the name of a test
	replays  bool            // it stands for a schedule of another one
	receiver string          // the type of a method
	checks   bool            // it mentions Check, or an import that leads to checks
	starts   bool            // it may start the test binary
	flags    bool            // it looks for flags that other packages have
	kept     bool
}

// add adds a test file. It reports whether parts of the package can be left out beside it.
func (n *narrower) add(p *listed, name string, stays bool) bool {
	text, err := n.set.text(name)
	if err != nil || bytes.Contains(text, []byte("//go:linkname ")) {
		return false
	}
	f := &testFile{
		name: name, text: text, in: p, root: n.root.Name, stays: stays, fset: token.NewFileSet(),
		paths: make(map[string]string),
		leads: make(map[string]bool), own: make(map[string]bool),
		model: make(map[string]bool), flag: make(map[string]bool),
		loose: make(map[*ast.Ident]bool),
	}
	if f.ast, err = parser.ParseFile(f.fset, name, text, parser.ParseComments); err != nil {
		return false
	}
	for _, id := range f.ast.Unresolved {
		f.loose[id] = true
	}
	n.files = append(n.files, f)
	for _, i := range f.ast.Imports {
		if i.Name != nil && i.Name.Name == "." {
			return false
		}
		n.lead(f, i)
	}
	return true
}

// mentioned adds the names of declarations that node mentions, in this file or another one.
func (f *testFile) mentioned(node ast.Node, p *testPart) {
	ast.Inspect(node, func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.AssignStmt:
			for _, to := range m.Lhs {
				if name := f.assignee(to); name != "" {
					p.sets[name] = true
				}
			}
		case *ast.SelectorExpr:
			if id, ok := m.X.(*ast.Ident); ok && f.loose[id] {
				if f.own[id.Name] {
					p.names[f.root+"."+m.Sel.Name] = true
				}
				p.checks = p.checks || f.model[id.Name] && m.Sel.Name == "Check"
				p.flags = p.flags || f.flag[id.Name] && looksUpFlags[m.Sel.Name]
			}
			p.starts = p.starts || m.Sel.Name == "Args" || m.Sel.Name == "Executable"
		case *ast.Ident:
			if f.loose[m] || m.Obj != nil && f.ast.Scope.Lookup(m.Name) == m.Obj {
				p.names[f.scope(m.Name)] = true
			}
			p.checks = p.checks || f.leads[m.Name] && f.loose[m]
		}
		return true
	})
}

// elsewhere stands for the variables of packages that are imported.
const elsewhere = "."

// assignee returns the name of the variable of a package that is assigned to, or that contains what
// is; "" if it is none.
func (f *testFile) assignee(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			if f.loose[x] || x.Obj != nil && f.ast.Scope.Lookup(x.Name) == x.Obj {
				return f.scope(x.Name)
			}
			return ""
		case *ast.ParenExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			id, ok := x.X.(*ast.Ident)
			switch {
			case !ok || !f.loose[id] || f.paths[id.Name] == "":
				e = x.X
			case f.own[id.Name]:
				return f.root + "." + x.Sel.Name
			default:
				return elsewhere
			}
		default:
			return ""
		}
	}
}

// scope names a declaration of the file's package: a package and the external tests of it may have
// declarations of the same name.
func (f *testFile) scope(name string) string { return f.ast.Name.Name + "." + name }

// lead notes the name of an import, and whether code behind it may call Check.
func (n *narrower) lead(f *testFile, i *ast.ImportSpec) {
	path, _ := strconv.Unquote(i.Path.Value)
	q := n.l.pkgs[f.in.dep(path)]
	name := n.nameOf(f, i)
	f.paths[name] = path
	switch {
	case q == nil:
	case q.ImportPath == modelPath:
		f.model[name] = true
	case path == "flag":
		f.flag[name] = true
	default:
		f.own[name] = q.ImportPath == n.root.ImportPath
		f.leads[name] = !q.engine() && n.set.callsCheck(n.l, q)
	}
}

// nameOf returns the name by which a file knows an import.
func (n *narrower) nameOf(f *testFile, i *ast.ImportSpec) string {
	if i.Name != nil {
		return i.Name.Name
	}
	path, _ := strconv.Unquote(i.Path.Value)
	if q := n.l.pkgs[f.in.dep(path)]; q != nil {
		return q.Name
	}
	return ""
}

// partsOf returns the parts of a declaration, and whether they stay in any case.
func (n *narrower) partsOf(f *testFile, d ast.Decl) (parts []*testPart, kept bool) {
	part := func(node ast.Node, doc *ast.CommentGroup, declares ...string) *testPart {
		p := &testPart{
			file: f, from: node.Pos(), to: node.End(),
			names: make(map[string]bool), sets: make(map[string]bool),
		}
		if doc != nil {
			p.from = doc.Pos()
		}
		f.mentioned(node, p)
		for name := range p.sets {
			n.sets[name] = append(n.sets[name], p)
		}
		for _, name := range declares {
			name = f.scope(name)
			delete(p.names, name)
			n.parts[name] = append(n.parts[name], p)
		}
		parts = append(parts, p)
		return p
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		switch {
		case d.Recv != nil:
			receiver := receiverOf(d)
			part(d, d.Doc, receiver).receiver = f.scope(receiver)
		case name == "init" || name == "_" || name == "TestMain":
			part(d, d.Doc)
			return parts, true
		default:
			p := part(d, d.Doc, name)
			if isTestName(name) {
				p.test = name
				p.replays = replayOf(f.fset, d) != nil
				kept = p.replays
			}
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				part(single(d, spec), docOf(d, spec.Doc), spec.Name.Name)
				if !spec.Assign.IsValid() { // an alias may be of any type
					n.types[f.scope(spec.Name.Name)] = true
				}
			case *ast.ValueSpec:
				var names []string
				for _, id := range spec.Names {
					names = append(names, id.Name)
				}
				part(single(d, spec), docOf(d, spec.Doc), names...)
				if d.Tok == token.CONST || slices.Contains(names, "_") ||
					slices.ContainsFunc(spec.Values, f.acts) || isFilled(d, spec) {
					kept = true
				}
			}
		}
	}
	return parts, kept
}

// single returns what a spec is taken out with: the whole declaration if it is the only one.
func single(d *ast.GenDecl, spec ast.Spec) ast.Node {
	if !d.Lparen.IsValid() {
		return d
	}
	return spec
}

func docOf(d *ast.GenDecl, doc *ast.CommentGroup) *ast.CommentGroup {
	if !d.Lparen.IsValid() {
		return d.Doc
	}
	return doc
}

// isFilled reports whether a comment has the compiler fill a variable.
func isFilled(d *ast.GenDecl, spec *ast.ValueSpec) bool {
	for _, doc := range []*ast.CommentGroup{d.Doc, spec.Doc} {
		for i := 0; doc != nil && i < len(doc.List); i++ {
			if strings.HasPrefix(doc.List[i].Text, "//go:") {
				return true
			}
		}
	}
	return false
}

// receiverOf returns the name of the type of which d is a method.
func receiverOf(d *ast.FuncDecl) string {
	name := ""
	ast.Inspect(d.Recv.List[0].Type, func(m ast.Node) bool {
		if id, ok := m.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

// acts reports whether to evaluate an initialiser may do more than to make a value.
func (f *testFile) acts(e ast.Expr) bool { return acts(e, f.paths) }

// looksUpFlags has what package flag has for flags that others have registered.
var looksUpFlags = map[string]bool{
	"Set": true, "Lookup": true, "Visit": true, "VisitAll": true, "CommandLine": true,
}
