package mutant

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A Generated is a mutant of one edit that nobody has written.
type Generated struct {
	ID   string // says where it is and what it does, and does not depend on the rest of the file
	What string
	Edit Edit
}

// Text returns the mutant as a file.
func (g *Generated) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n-- %s: %s --\n", g.What, g.Edit.File, g.Edit.Decl)
	for _, part := range []struct{ sign, text string }{{"-", g.Edit.Old}, {"+", g.Edit.New}} {
		for line := range strings.Lines(part.text) {
			if strings.TrimSpace(line) != "" {
				b.WriteString(part.sign + " " + strings.TrimRight(line, "\n") + "\n")
			}
		}
	}
	return b.String()
}

// Generate returns every single edit of the functions in the text of a Go file that may be a bug of
// a protocol: a statement that is left out, exchanged with the next one, or has a return before it;
// a read-modify-write that is a load and a store; a condition that is negated, always or never
// true, or half of what it was; another comparison or sign; a number that is off by one.
//
// Methods String are left out. The edits are not compiled: some do not, and some change nothing
// that anybody could notice.
func Generate(file string, text []byte) ([]Generated, error) {
	g := &generator{
		file: file, text: string(text), fset: token.NewFileSet(), seen: map[string]bool{},
	}
	parsed, err := parser.ParseFile(g.fset, file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, decl := range parsed.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Body == nil || f.Name.Name == "String" {
			continue
		}
		g.decl, g.results = namesOf(f)[0], f.Type.Results
		g.from, g.to = g.offset(f.Body.Pos()), g.offset(f.Body.End())
		ast.Inspect(f.Body, g.visit)
	}
	return g.all, nil
}

type generator struct {
	file, text string
	fset       *token.FileSet
	// Of the function that is looked at: its name, its results, where its body is.
	decl     string
	results  *ast.FieldList
	from, to int

	seen map[string]bool // texts of functions that were generated
	all  []Generated
}

func (g *generator) offset(p token.Pos) int { return g.fset.Position(p).Offset }

func (g *generator) source(n ast.Node) string {
	return g.text[g.offset(n.Pos()):g.offset(n.End())]
}

// visit generates the edits of a node.
func (g *generator) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncLit:
		outer := g.results
		g.results = n.Type.Results
		ast.Inspect(n.Body, g.visit)
		g.results = outer
		return false
	case *ast.BlockStmt:
		g.statements(n.List)
	case *ast.CaseClause:
		g.statements(n.Body)
	case *ast.CommClause:
		g.statements(n.Body)
	case *ast.IfStmt:
		g.condition(n.Cond)
		g.replace(n.Cond, "("+g.source(n.Cond)+") || true", "always true")
	case *ast.ForStmt:
		if n.Cond != nil {
			g.condition(n.Cond)
		}
	case *ast.SwitchStmt:
		if n.Tag == nil {
			for _, c := range n.Body.List {
				for _, e := range c.(*ast.CaseClause).List {
					g.condition(e)
				}
			}
		}
	case *ast.BinaryExpr:
		g.binary(n)
	case *ast.AssignStmt:
		g.assignment(n)
	case *ast.IncDecStmt:
		other := map[token.Token]string{token.INC: "--", token.DEC: "++"}[n.Tok]
		g.replace(n, g.source(n.X)+other, "with the other sign")
	case *ast.CallExpr:
		g.call(n)
	case *ast.BasicLit:
		g.number(n)
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); ok {
			g.update(n, call, "")
		}
	}
	return true
}

func (g *generator) condition(e ast.Expr) {
	g.replace(e, "!("+g.source(e)+")", "negated")
	g.replace(e, "("+g.source(e)+") && false", "never true")
}

func (g *generator) statements(list []ast.Stmt) {
	for i, s := range list {
		switch s := s.(type) {
		case *ast.CaseClause, *ast.CommClause:
			return
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.SendStmt, *ast.DeferStmt, *ast.GoStmt:
			g.replace(s, "", "left out")
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE {
				g.replace(s, "", "left out")
			}
		case *ast.BranchStmt:
			if s.Tok == token.CONTINUE || s.Tok == token.BREAK {
				g.replace(s, "", "left out")
			}
		}
		if _, last := s.(*ast.ReturnStmt); last {
			return
		}
		if i == 0 || calls(list[i-1]) {
			g.replace(s, g.early()+"\n"+g.source(s), "not reached")
		}
		if i > 0 && (calls(s) || calls(list[i-1])) {
			before := list[i-1]
			from, to := g.offset(before.Pos()), g.offset(s.End())
			between := g.text[g.offset(before.End()):g.offset(s.Pos())]
			g.put(from, to, g.source(s)+between+g.source(before), "in the other order")
		}
	}
}

// early returns a statement that returns zero values, or what named results are.
func (g *generator) early() string {
	if g.results == nil {
		return "return"
	}
	var zeroes []string
	for _, f := range g.results.List {
		if len(f.Names) > 0 {
			return "return"
		}
		zeroes = append(zeroes, "*new("+g.source(f.Type)+")")
	}
	return "return " + strings.Join(zeroes, ", ")
}

// calls reports whether a statement has a call: other statements exchange places unnoticed.
func calls(s ast.Stmt) (found bool) {
	ast.Inspect(s, func(n ast.Node) bool {
		if _, ok := n.(*ast.CallExpr); ok {
			found = true
		}
		return !found
	})
	return found
}

func (g *generator) binary(n *ast.BinaryExpr) {
	x, y := g.source(n.X), g.source(n.Y)
	switch n.Op {
	case token.LAND, token.LOR:
		g.replace(n, x, "its first half")
		g.replace(n, y, "its second half")
	}
	other, ok := map[token.Token]string{
		token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">", token.EQL: "!=",
		token.NEQ: "==", token.ADD: "-", token.SUB: "+", token.AND: "|", token.OR: "&^",
		token.AND_NOT: "&",
	}[n.Op]
	if ok {
		g.replace(n, x+" "+other+" "+y, "with another operator")
	}
}

func (g *generator) number(n *ast.BasicLit) {
	v, err := strconv.ParseInt(n.Value, 0, 64)
	if n.Kind != token.INT || err != nil {
		return
	}
	g.replace(n, strconv.FormatInt(v+1, 10), "one more")
	if v > 0 {
		g.replace(n, strconv.FormatInt(v-1, 10), "one less")
	}
}

// method returns what a call of a method is a call on, and the method.
func (g *generator) method(n *ast.CallExpr) (on, name string) {
	if s, ok := n.Fun.(*ast.SelectorExpr); ok {
		return g.source(s.X), s.Sel.Name
	}
	return "", ""
}

func (g *generator) call(n *ast.CallExpr) {
	if on, name := g.method(n); name == "CompareAndSwap" && len(n.Args) == 2 {
		store := fmt.Sprintf("func() bool { %s.Store(%s); return true }()", on, g.source(n.Args[1]))
		g.replace(n, fmt.Sprintf("(%s.Load() == %s && %s)", on, g.source(n.Args[0]), store),
			"a load and a store")
		g.replace(n, store, "a store")
	}
	if on, name := g.method(n); on == "atomic" && len(n.Args) == 3 {
		if kind, ok := strings.CutPrefix(name, "CompareAndSwap"); ok {
			store := fmt.Sprintf("func() bool { atomic.Store%s(%s, %s); return true }()",
				kind, g.source(n.Args[0]), g.source(n.Args[2]))
			g.replace(n, fmt.Sprintf("(atomic.Load%s(%s) == %s && %s)",
				kind, g.source(n.Args[0]), g.source(n.Args[1]), store), "a load and a store")
			g.replace(n, store, "a store")
		}
	}
}

func (g *generator) assignment(n *ast.AssignStmt) {
	other := map[token.Token]string{
		token.ADD_ASSIGN: "-=", token.SUB_ASSIGN: "+=", token.OR_ASSIGN: "&^=",
		token.AND_NOT_ASSIGN: "|=", token.AND_ASSIGN: "|=",
	}[n.Tok]
	if other != "" {
		g.replace(n, g.source(n.Lhs[0])+" "+other+" "+g.source(n.Rhs[0]), "with the other sign")
	}
	if call, ok := n.Rhs[0].(*ast.CallExpr); ok && len(n.Lhs) == 1 && len(n.Rhs) == 1 {
		g.update(n, call, g.source(n.Lhs[0])+" "+n.Tok.String()+" ")
	}
}

// update makes a load and a store of a statement that is an atomic read-modify-write, or assigns
// what one returns.
func (g *generator) update(s ast.Stmt, n *ast.CallExpr, assigned string) {
	on, name := g.method(n)
	if len(n.Args) != 1 {
		return
	}
	arg := g.source(n.Args[0])
	load, store := on+".Load()", ""
	switch name {
	case "Swap":
		store = arg
	case "Add":
		store = load + " + (" + arg + ")"
	case "Or":
		store = load + " | (" + arg + ")"
	case "And":
		store = load + " & (" + arg + ")"
	default:
		return
	}
	store = on + ".Store(" + store + ")"
	switch {
	case assigned == "":
		g.replace(s, store, "a load and a store")
	case name == "Add": // returns the new value
		g.replace(s, store+"\n"+assigned+load, "a load and a store")
	default:
		g.replace(s, assigned+load+"\n"+store, "a load and a store")
	}
}

func (g *generator) replace(n ast.Node, with, what string) {
	g.put(g.offset(n.Pos()), g.offset(n.End()), with, what)
}

// put generates the edit that puts something in the place of a part of the text. The text to find
// is the lines that have the part, and as many before and after them as make it unique.
func (g *generator) put(start, end int, with, what string) {
	result := g.text[g.from:start] + with + g.text[end:g.to]
	bare := strings.Join(strings.Fields(withoutComments(result)), " ")
	if g.seen[g.decl+bare] {
		return
	}
	g.seen[g.decl+bare] = true
	lineStart := func(at int) int { return strings.LastIndexByte(g.text[:at], '\n') + 1 }
	lineEnd := func(at int) int { return at + strings.IndexByte(g.text[at:]+"\n", '\n') }
	from, to := lineStart(start), lineEnd(end)
	for {
		e := Edit{
			File: g.file, Decl: g.decl,
			Old: withoutBlankLines(g.text[from:to]),
			New: withoutBlankLines(g.text[from:start] + with + g.text[end:to]),
		}
		if s, err := e.find(g.text); err == nil && s.start <= start && end <= s.end {
			h := fnv.New32a()
			h.Write([]byte(e.Old + "\x00" + e.New))
			g.all = append(g.all, Generated{
				ID: fmt.Sprintf("gen-%s-%s-%s-%08x", strings.TrimSuffix(path.Base(g.file), ".go"),
					g.decl, strings.ReplaceAll(what, " ", "-"), h.Sum32()),
				What: fmt.Sprintf("%s: %s: %s.", g.decl, what,
					strings.Join(strings.Fields(withoutComments(g.text[start:end])), " ")),
				Edit: e,
			})
			return
		}
		switch {
		case from > g.from:
			from = lineStart(from - 1)
		case to < g.to:
			to = lineEnd(to + 1)
		default:
			return // it occurs in the function and again in itself: never, with the whole function
		}
	}
}

func withoutBlankLines(text string) string {
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool {
		return strings.TrimSpace(line) == ""
	})
	return strings.Join(lines, "\n")
}
