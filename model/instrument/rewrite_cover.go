package instrument

import (
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// A Block is a stretch of statements that run one after the other, in the original text: the lines
// and columns of its ends, as Go's coverage profiles have them.
type Block struct {
	StartLine, StartCol, EndLine, EndCol int

	Stmts       int // more than 0
	First, Last int // lines of these statements
}

// A CoveredFile is a file whose blocks are marked in hook.Cover when they run.
type CoveredFile struct {
	Name   string // import path and base name, as Go's coverage profiles have it
	Path   string // absolute
	Blocks []Block
}

// Covered returns the files of a package's plain test binary that are marked, in the order of their
// names. It is empty without Config.Cover.
func (s *Set) Covered(pkg string) []CoveredFile {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.plans[planKey(pkg, false)]
	if p == nil {
		return nil
	}
	return slices.SortedFunc(maps.Values(p.covered),
		func(a, b CoveredFile) int { return strings.Compare(a.Name, b.Name) })
}

// marks reports whether the statements of a file are marked: those of the main module that no test
// file has. Binaries with the race detector are left alone: they run the same schedules, and marks
// would be accesses that it sees.
func (ss *session) marks(c *checked, f *source) bool {
	return ss.cover && c.meta.Module != nil && c.meta.Module.Main &&
		!strings.HasSuffix(f.name, "_test.go")
}

// A marker puts a mark in front of each block of a file. Its blocks are those of Go's cmd/cover, as
// that tool, which this follows, finds them.
type marker struct {
	r      *rewriter
	marks  string // name of the array
	blocks []Block
}

// mark has the file mark its blocks, in an array that its number among the marked files of the
// package names, and returns them with the text that declares the array:
//
//	sw_marks0[3] = 1; if x {
func (r *rewriter) mark(number int) (CoveredFile, string) {
	m := &marker{r: r, marks: fmt.Sprintf("%smarks%d", r.c.prefix, number)}
	ast.Walk(m, r.src.ast)
	f := CoveredFile{
		Name:   r.c.meta.ImportPath + "/" + filepath.Base(r.src.name),
		Path:   r.src.name,
		Blocks: m.blocks,
	}
	if len(m.blocks) == 0 {
		return f, ""
	}
	return f, fmt.Sprintf("\nvar %s [%d]%s\nvar _ = %s(%q, %s[:])",
		m.marks, len(m.blocks), r.hook("Mark"), r.hook("Cover"), f.Name, m.marks)
}

// Visit marks the blocks of one node.
func (m *marker) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.FuncDecl:
		if n.Name.Name != "_" && n.Body != nil { // a function named _ is never called
			ast.Walk(m, n.Body)
		}
		return nil
	case *ast.BlockStmt:
		m.list(n.Lbrace, n.Lbrace+1, n.Rbrace+1, n.List, true)
	case *ast.CaseClause:
		m.list(n.Colon+1, n.Colon+1, n.End(), n.Body, false)
	case *ast.CommClause:
		m.list(n.Colon+1, n.Colon+1, n.End(), n.Body, false)
	case *ast.SwitchStmt:
		return m.clauses(n.Body, n.Init, n.Tag)
	case *ast.TypeSwitchStmt:
		return m.clauses(n.Body, n.Init, n.Assign)
	case *ast.SelectStmt:
		return m.clauses(n.Body)
	case *ast.IfStmt:
		return m.ifStmt(n)
	}
	return m
}

// clauses visits a statement whose body has clauses and no statements of its own.
func (m *marker) clauses(body *ast.BlockStmt, head ...ast.Node) ast.Visitor {
	for _, n := range head {
		if n != nil {
			ast.Walk(m, n)
		}
	}
	for _, clause := range body.List {
		ast.Walk(m, clause)
	}
	return nil
}

// ifStmt puts braces around an if statement that is an else branch, to have a place for its mark.
func (m *marker) ifStmt(n *ast.IfStmt) ast.Visitor {
	for _, part := range []ast.Node{n.Init, n.Cond, n.Body} {
		if part != nil {
			ast.Walk(m, part)
		}
	}
	switch branch := n.Else.(type) {
	case *ast.IfStmt:
		begin := m.afterElse(n)
		m.r.ed.front(m.r.off(begin), "{")
		m.r.ed.behind(m.r.off(branch.End()), "}")
		m.list(begin, begin, branch.End(), []ast.Stmt{branch}, true)
		ast.Walk(m, branch)
	case *ast.BlockStmt:
		m.list(m.afterElse(n), branch.Lbrace+1, branch.Rbrace+1, branch.List, true)
		for _, s := range branch.List {
			ast.Walk(m, s)
		}
	}
	return nil
}

// afterElse returns the end of the word else.
func (m *marker) afterElse(n *ast.IfStmt) token.Pos {
	var sc scanner.Scanner
	text := m.r.src.text[m.r.off(n.Body.End()):m.r.off(n.Else.Pos())]
	file := token.NewFileSet().AddFile("", -1, len(text))
	sc.Init(file, text, nil, 0) // without comments, the first token is the word
	pos, _, _ := sc.Scan()
	return n.Body.End() + token.Pos(file.Offset(pos)+len("else"))
}

// list marks the blocks of a list of statements: a new one begins after each statement that may
// lead elsewhere. The first begins at pos and has its mark at insert.
func (m *marker) list(pos, insert, end token.Pos, list []ast.Stmt, toBrace bool) {
	for len(list) > 0 {
		n, last := 0, end
		for n < len(list) {
			s := list[n]
			n++
			last = boundary(s)
			if !endsBlock(s) {
				continue
			}
			toBrace = false // the block is broken up
			if l, ok := s.(*ast.LabeledStmt); ok && !isControl(l.Stmt) {
				// A goto may lead here: the mark comes between label and statement.
				last = l.Pos()
				list = slices.Concat(list[:n], []ast.Stmt{l.Stmt}, list[n:])
			}
			break
		}
		if toBrace {
			last = end
		}
		if pos != last { // a label alone has no text of its own
			m.block(pos, insert, last, list[:n])
		}
		if list = list[n:]; len(list) > 0 {
			pos = list[0].Pos()
			insert = pos
		}
	}
}

// block adds a block.
func (m *marker) block(pos, insert, end token.Pos, list []ast.Stmt) {
	m.r.ed.front(m.r.off(insert), fmt.Sprintf("%s[%d] = 1;", m.marks, len(m.blocks)))
	from, to := m.position(pos), m.position(end)
	m.blocks = append(m.blocks, Block{
		StartLine: from.Line, StartCol: from.Column, EndLine: to.Line, EndCol: to.Column,
		Stmts: len(list),
		First: m.position(list[0].Pos()).Line,
		Last:  m.position(min(end, boundary(list[len(list)-1]))).Line,
	})
}

func (m *marker) position(pos token.Pos) token.Position {
	return m.r.src.tf.PositionFor(pos, false) // as //line comments do not have it
}

// boundary returns where the part of a statement ends that always runs: in front of its body, or of
// that of the first function literal in it.
func boundary(s ast.Stmt) token.Pos {
	var heads []ast.Node
	var body *ast.BlockStmt
	switch s := s.(type) {
	case *ast.BlockStmt:
		return s.Lbrace
	case *ast.LabeledStmt:
		return boundary(s.Stmt)
	case *ast.SelectStmt:
		return s.Body.Lbrace
	case *ast.IfStmt:
		heads, body = []ast.Node{s.Init, s.Cond}, s.Body
	case *ast.ForStmt:
		heads, body = []ast.Node{s.Init, s.Cond, s.Post}, s.Body
	case *ast.RangeStmt:
		heads, body = []ast.Node{s.X}, s.Body
	case *ast.SwitchStmt:
		heads, body = []ast.Node{s.Init, s.Tag}, s.Body
	case *ast.TypeSwitchStmt:
		heads, body = []ast.Node{s.Init}, s.Body
	default:
		heads = []ast.Node{s}
	}
	for _, n := range heads {
		if pos := functionIn(n); pos != token.NoPos {
			return pos
		}
	}
	if body != nil {
		return body.Lbrace
	}
	return s.End()
}

// endsBlock reports whether a statement may lead elsewhere.
func endsBlock(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.BlockStmt, *ast.BranchStmt, *ast.IfStmt, *ast.LabeledStmt:
		return true
	case *ast.ExprStmt:
		if call, ok := s.X.(*ast.CallExpr); ok && len(call.Args) == 1 {
			if id, ok := call.Fun.(*ast.Ident); ok && id.Name == "panic" {
				return true
			}
		}
	}
	return isControl(s) || functionIn(s) != token.NoPos
}

// isControl reports whether a label in front of s has to stay there.
func isControl(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.SelectStmt, *ast.TypeSwitchStmt:
		return true
	}
	return false
}

// functionIn returns where the body of the first function literal in n begins, NoPos without one.
func functionIn(n ast.Node) (pos token.Pos) {
	if n == nil {
		return token.NoPos
	}
	ast.Inspect(n, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok && pos == token.NoPos {
			pos = lit.Body.Lbrace
		}
		return pos == token.NoPos
	})
	return pos
}
