package instrument

import (
	"bytes"
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Most of a package's tests are no checks, and import what no check needs: what is left out here is
// not listed again, type-checked, rewritten, compiled and linked. Left out are declarations of test
// files to which no name leads from what may be a check, TestMain, an init function, a constant, or
// a variable whose initialiser may act; then the imports that nothing mentions any more. All else
// keeps its line. An import goes with what its packages do when they are initialised, and stays
// without a name where somebody may notice that (load_inits.go).
//
// A package is left as it is where what is left of its tests may start their own binary, which runs
// tests by their names, or look for flags, which packages have registered that they do not mention;
// or where they linkname a function, use cgo, or import without a name.

// leaner leaves out what no check reaches, and lists again what is left: the packages that may have
// checks. Of the others nothing is compiled.
func (s *Set) leaner(ctx context.Context) error {
	whole := s.plain
	s.patterns = nil
	replace := maps.Clone(s.cfg.Replace)
	if replace == nil {
		replace = make(map[string][]byte)
	}
	for _, p := range whole.roots {
		if p.engine() || whole.testmain(p) == nil || !whole.usesModel(p) {
			continue
		}
		n := &narrower{set: s, l: whole, root: p, any: s.callsCheck(whole, p)}
		texts := n.narrowed()
		if n.none {
			continue
		}
		s.patterns = append(s.patterns, p.ImportPath)
		maps.Copy(replace, texts)
		s.leftOut[p.ImportPath] = n.left
	}
	if s.patterns == nil {
		return nil
	}
	s.cfg.Replace = replace
	if err := s.replaceTexts(); err != nil {
		return err
	}
	var err error
	if s.plain, err = s.list(ctx, false); err != nil || !s.cfg.Race {
		return err
	}
	var build *BuildError
	if s.race, err = s.list(ctx, true); errors.As(err, &build) {
		s.race = nil
		return nil // Build says why
	}
	return err
}

var namesCheck = regexp.MustCompile(`\bCheck\b`)

// callsCheck reports whether p, or what it imports, may call Check.
func (s *Set) callsCheck(l *listing, p *listed) bool {
	calls, known := s.calls[p.ID]
	if !known {
		calls = s.mentionsCheck(l, p)
		s.calls[p.ID] = calls
	}
	return calls
}

func (s *Set) mentionsCheck(l *listing, p *listed) bool {
	for _, id := range append([]string{p.ID}, p.Deps...) {
		q := l.pkgs[id]
		if q == nil || q.Standard || q.engine() || !slices.Contains(q.Deps, modelPath) {
			continue
		}
		for _, name := range q.goFiles() {
			if strings.HasSuffix(name, "_test.go") {
				continue // of the package itself: its declarations are looked at one by one
			}
			text, err := s.text(name)
			if err != nil || namesCheck.Match(text) {
				return true
			}
		}
	}
	return false
}

// usesModel reports whether the test binary of p contains the package that explores.
func (l *listing) usesModel(p *listed) bool {
	return slices.ContainsFunc(l.closure(p), func(q *listed) bool {
		return q.ImportPath == modelPath
	})
}

// A narrower looks at the test files of one package.
type narrower struct {
	set  *Set
	l    *listing
	root *listed
	any  bool // any test may be a check: code that is no test calls Check

	left  []string // tests that were left out
	none  bool     // there is no check
	files []*testFile
	parts map[string][]*testPart // by what they declare
	sets  map[string][]*testPart // by the variables that they assign to
	types map[string]bool        // that are declared, but for aliases
	found map[string]bool        // names that are reached
}

// narrowed returns new text for test files, none if nothing can be left out. That of a file in
// which nothing is left is nil: the file is left out.
func (n *narrower) narrowed() map[string][]byte {
	if !n.parse() {
		return nil
	}
	n.parts, n.sets = make(map[string][]*testPart), make(map[string][]*testPart)
	n.found = make(map[string]bool)
	n.types = make(map[string]bool)
	var roots, all []*testPart
	for _, f := range n.files {
		for _, d := range f.ast.Decls {
			parts, kept := n.partsOf(f, d)
			all = append(all, parts...)
			if kept || f.stays {
				roots = append(roots, parts...)
			}
		}
	}
	if n.declaresMaker() {
		return nil // see acts
	}
	roots = append(roots, n.unnamed(all, roots)...)
	n.none = true
	for _, p := range all {
		n.none = n.none && (p.test == "" || !n.any && !n.mayCheck(p) && !p.replays)
		if p.test != "" && (n.any || n.mayCheck(p)) {
			roots = append(roots, p)
		}
	}
	for _, p := range roots {
		n.keep(p)
	}
	if slices.ContainsFunc(all, func(p *testPart) bool {
		return p.kept && (p.starts || p.flags)
	}) {
		return nil
	}
	return n.texts(all)
}

// unnamed returns what may be reached though nothing names it: the methods of a type that is not
// declared in a test file. It finds out whether a check may be reached so.
func (n *narrower) unnamed(all, roots []*testPart) []*testPart {
	var methods []*testPart
	for _, p := range all {
		if p.receiver != "" && !n.types[p.receiver] {
			methods = append(methods, p)
		}
		n.any = n.any || p.sets[elsewhere] && n.mayCheck(p)
	}
	for _, p := range slices.Concat(roots, methods) {
		// What runs before the tests may hand a check on, to be called by a test that does not
		// mention it.
		n.any = n.any || p.test == "" && n.mayCheck(p)
	}
	return methods
}

// declaresMaker reports whether a test file gives one of the makers another meaning.
func (n *narrower) declaresMaker() bool {
	for _, f := range n.files {
		for _, name := range makers {
			if n.parts[f.scope(name)] != nil {
				return true
			}
		}
	}
	return false
}

// texts returns the new text of the files of which a part goes.
func (n *narrower) texts(all []*testPart) map[string][]byte {
	gone := make(map[*testFile][]*testPart)
	for _, p := range all {
		if p.kept {
			continue
		}
		gone[p.file] = append(gone[p.file], p)
		if p.test != "" {
			n.left = append(n.left, p.test)
		}
	}
	out := make(map[string][]byte)
	var spares []*spare
	for f, parts := range gone {
		text, ok := n.without(f, parts)
		if !ok {
			n.left = nil
			return nil
		}
		out[f.name] = text
		spares = append(spares, n.spares(f, text)...)
	}
	n.settle(spares)
	for f := range gone {
		text := out[f.name]
		for _, s := range slices.Backward(spares) {
			if s.file == f {
				text = s.apply(text)
			}
		}
		if isEmpty(text) && !setsDebug.Match(text) {
			text = nil
		}
		out[f.name] = text
	}
	return out
}

// parse reports whether the files are such that parts can be left out.
func (n *narrower) parse() bool {
	for _, p := range n.l.closure(n.root) {
		own := p.ID != n.root.ID && (p.ForTest == n.root.ImportPath) &&
			(p.ImportPath == n.root.ImportPath || p.ImportPath == n.root.ImportPath+"_test")
		if !own {
			continue
		}
		if len(p.CgoFiles) > 0 {
			return false
		}
		for _, name := range p.goFiles() {
			if strings.HasSuffix(name, "_test.go") && !n.add(p, name, false) {
				return false
			}
		}
	}
	for _, name := range n.root.IgnoredGoFiles {
		if !strings.HasSuffix(name, "_test.go") {
			continue
		}
		name = n.root.file(name)
		text, err := n.set.text(name)
		// The binary with the race detector may have it, with imports that were not listed.
		if err != nil || forRace.Match(text) && !n.add(n.root, name, true) {
			return false
		}
	}
	return len(n.files) > 0
}

// mayCheck reports whether names lead from a test to what mentions Check, or an import behind which
// it is called.
func (n *narrower) mayCheck(test *testPart) bool {
	seen := map[*testPart]bool{test: true}
	for todo := []*testPart{test}; len(todo) > 0; {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if p.checks {
			return true
		}
		for name := range p.names {
			for _, q := range slices.Concat(n.parts[name], n.sets[name]) {
				if !seen[q] {
					seen[q] = true
					todo = append(todo, q)
				}
			}
		}
	}
	return false
}

// keep keeps a part, and what it leads to.
func (n *narrower) keep(p *testPart) {
	if p.kept {
		return
	}
	p.kept = true
	for name := range p.names {
		if n.found[name] {
			continue
		}
		n.found[name] = true
		for _, q := range n.parts[name] {
			n.keep(q)
		}
	}
}

// without returns the text of a file without some of its parts.
func (n *narrower) without(f *testFile, gone []*testPart) ([]byte, bool) {
	text := bytes.Clone(f.text)
	at := func(pos token.Pos) int { return f.fset.PositionFor(pos, false).Offset }
	for _, p := range gone {
		if bytes.HasPrefix(bytes.TrimLeft(text[at(p.to):], " \t"), []byte(";")) {
			return nil, false
		}
		blank(text[at(p.from):at(p.to)])
	}
	_, err := parser.ParseFile(token.NewFileSet(), f.name, text, parser.SkipObjectResolution)
	return text, err == nil
}

// isEmpty reports whether a file declares and imports nothing.
func isEmpty(text []byte) bool {
	f, err := parser.ParseFile(token.NewFileSet(), "", text, 0)
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
		g, ok := d.(*ast.GenDecl)
		return !ok || g.Tok != token.IMPORT || len(g.Specs) > 0
	})
}

// blank overwrites text, but for the ends of lines.
func blank(text []byte) {
	for i, c := range text {
		if c != '\n' && c != '\r' {
			text[i] = ' '
		}
	}
}

// setsDebug finds what sets the behaviour of the whole binary.
var setsDebug = regexp.MustCompile(`(?m)^//go:debug `)

var forRace = regexp.MustCompile(`(?m)^//go:build .*\brace\b`)
