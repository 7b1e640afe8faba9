package mutant

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
)

// ChosenVariable is the environment variable by which a program with several mutants in it has one
// of them: its number, or 0 or nothing for the source as it was.
const ChosenVariable = "SUREWAKE_MUTANT"

// Control is chosen to have copies of the functions that mutants edit, without the edits: who
// objects to it objects to copies.
const Control = -1

// Together is source text with several mutants in it, of which a program has one at a time: each
// function that mutants edit has a copy for each of them, and calls that of the chosen one. So many
// mutants cost one build.
type Together struct {
	// Files are the texts by path. A line of the source has the same number in them.
	Files map[string][]byte
	// Numbers are those of the mutants that are in it, by their index; 0: it is not in it.
	Numbers []int
	copies  map[string][]copied // by file, in the order of their lines
}

// A copied is the copy of a function.
type copied struct {
	mutant   int // an index
	from, to int // its first and last line
}

// PutTogether puts those mutants into the source that edit nothing but the bodies of functions, and
// for which a copy does what the function would do: none of tests, whose copies would be tests, and
// none that is called while the variables of its package get their values. A mutant that is nil is
// left out. read returns the text of a file, beside the files in its folder.
func PutTogether(
	mutants []*Mutant, read func(file string) ([]byte, error), beside func(file string) []string,
) *Together {
	t := &Together{
		Files: map[string][]byte{}, Numbers: make([]int, len(mutants)),
		copies: map[string][]copied{},
	}
	sources := map[string]*shared{}
	for i, m := range mutants {
		if m == nil {
			continue
		}
		bodies, err := m.bodies(read, beside, sources)
		if err != nil {
			continue
		}
		t.Numbers[i] = i + 1
		for _, b := range bodies {
			f := b.of
			f.copies = append(f.copies, bodyCopy{i, b.text})
		}
	}
	for _, file := range slices.Sorted(maps.Keys(sources)) {
		if text := sources[file].write(t, file, len(t.copies)); text != nil {
			t.Files[file] = text
		}
	}
	return t
}

// At returns the mutants, by their indices, of which there are copies at a line of a file.
func (t *Together) At(file string, line int) (mutants []int) {
	for _, c := range t.copies[file] {
		if c.from <= line && line <= c.to {
			mutants = append(mutants, c.mutant)
		}
	}
	return mutants
}

// A shared is a source file that mutants edit.
type shared struct {
	text      string
	fset      *token.FileSet
	syntax    *ast.File
	functions map[string]*function // by name as declarations are named
	initial   map[string]bool      // see initialNames
}

// A function is one of a shared file.
type function struct {
	declaration *ast.FuncDecl
	copies      []bodyCopy
}

type bodyCopy struct {
	mutant int    // an index, or that of the control
	text   string // of the whole mutated declaration
}

// A mutatedBody is the text of a declaration with edits.
type mutatedBody struct {
	of   *function
	text string
}

// bodies returns the functions that m edits, and their new text. The error says why m cannot share
// a program with others.
func (m *Mutant) bodies(
	read func(file string) ([]byte, error), beside func(file string) []string,
	sources map[string]*shared,
) ([]mutatedBody, error) {
	files, err := m.Apply(read)
	if err != nil {
		return nil, err
	}
	var all []mutatedBody
	seen := map[string]bool{}
	rest := map[string]string{} // the mutated files, with the bodies of the source
	for _, e := range m.Edits {
		if key := e.File + ":" + e.Decl; seen[key] {
			continue
		} else {
			seen[key] = true
		}
		if path.Ext(e.File) != ".go" || strings.HasSuffix(e.File, "_test.go") {
			return nil, fmt.Errorf("%s is not Go, or of a test", e.File)
		}
		s := sources[e.File]
		if s == nil {
			if s, err = readShared(e.File, read, beside); err != nil {
				return nil, err
			}
			sources[e.File] = s
		}
		f := s.functions[e.Decl]
		if f == nil || s.initial[f.declaration.Name.Name] {
			return nil, fmt.Errorf("%s: %s is no function that has copies", e.File, e.Decl)
		}
		mutated, err := newShared(string(files[e.File]))
		if err != nil {
			return nil, err
		}
		g := mutated.functions[e.Decl]
		if g == nil || mutated.signature(g.declaration) != s.signature(f.declaration) {
			return nil, fmt.Errorf("%s: the signature of %s changes", e.File, e.Decl)
		}
		if importsNoLonger(s.syntax, mutated.syntax) {
			return nil, fmt.Errorf("%s has an import that it does not use", e.File)
		}
		text := mutated.of(g.declaration.Pos(), g.declaration.End())
		all = append(all, mutatedBody{f, text})
		if rest[e.File] == "" {
			rest[e.File] = mutated.text
		}
		rest[e.File] = strings.Replace(rest[e.File], text,
			s.of(f.declaration.Pos(), f.declaration.End()), 1)
	}
	for file, text := range rest {
		if text != sources[file].text {
			return nil, fmt.Errorf("%s is edited elsewhere, too", file)
		}
	}
	return all, nil
}

func readShared(
	file string, read func(file string) ([]byte, error), beside func(file string) []string,
) (*shared, error) {
	text, err := read(file)
	if err != nil {
		return nil, err
	}
	s, err := newShared(string(text))
	if err != nil {
		return nil, err
	}
	texts := []string{s.text}
	for _, other := range beside(file) {
		if strings.HasSuffix(other, "_test.go") {
			continue
		}
		text, err := read(other)
		if err != nil {
			return nil, err
		}
		texts = append(texts, string(text))
	}
	s.initial, err = initialNames(texts)
	return s, err
}

func newShared(text string) (*shared, error) {
	s := &shared{text: text, fset: token.NewFileSet(), functions: map[string]*function{}}
	var err error
	s.syntax, err = parser.ParseFile(s.fset, "", text, parser.SkipObjectResolution|
		parser.ParseComments)
	if err != nil {
		return nil, err
	}
	for _, d := range s.syntax.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil || !s.mayBeCopied(f) {
			continue
		}
		name := namesOf(d)[0]
		if s.functions[name] != nil {
			return nil, fmt.Errorf("%s is declared twice", name)
		}
		s.functions[name] = &function{declaration: f}
	}
	return s, nil
}

// mayBeCopied reports whether a call of a copy of f does what f would do: not if f asks who has
// called it, as recover does, or is no function that can be called.
func (s *shared) mayBeCopied(f *ast.FuncDecl) bool {
	if f.Recv == nil && (f.Name.Name == "init" || f.Name.Name == "main" || f.Name.Name == "_") {
		return false
	}
	may := true
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok &&
			slices.Contains([]string{"recover", "Caller", "Callers"}, id.Name) {
			may = false
		}
		return may
	})
	return may
}

// of returns the text between two positions.
func (s *shared) of(from, to token.Pos) string { return s.text[s.offset(from):s.offset(to)] }

func (s *shared) offset(p token.Pos) int { return s.fset.Position(p).Offset }

// signature returns what stands before the body of f.
func (s *shared) signature(f *ast.FuncDecl) string { return s.of(f.Pos(), f.Body.Pos()) }

// pragmas returns the directives above f.
func (s *shared) pragmas(f *ast.FuncDecl) string {
	var b strings.Builder
	if f.Doc != nil {
		for _, c := range f.Doc.List {
			if strings.HasPrefix(c.Text, "//go:") {
				b.WriteString(c.Text + "\n")
			}
		}
	}
	return b.String()
}

// write returns the text with all copies, nil if there is none. number is that of the file.
func (s *shared) write(t *Together, file string, number int) []byte {
	chosen := fmt.Sprintf("surewakeChosen%d", number)
	var puts []span
	var copies strings.Builder
	line := strings.Count(s.text, "\n") + 1 // of what comes next after the source
	if !strings.HasSuffix(s.text, "\n") {
		copies.WriteString("\n")
		line++
	}
	any := false
	for _, d := range s.syntax.Decls {
		declaration, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		f := s.functions[namesOf(d)[0]]
		if f == nil || len(f.copies) == 0 {
			continue
		}
		any = true
		names, renamed := s.parameters(declaration)
		puts = append(puts, renamed...)
		call := "switch " + chosen + " {"
		same := bodyCopy{Control - 1, s.of(declaration.Pos(), declaration.End())}
		for _, c := range append(f.copies, same) {
			// A method of this name is not exported, or who asks for methods would get the copies.
			name := fmt.Sprintf("surewake%d%s", c.mutant+1, declaration.Name.Name)
			if c.mutant < 0 {
				name = "surewake" + declaration.Name.Name
			}
			at := s.offset(declaration.Name.Pos()) - s.offset(declaration.Pos())
			text := s.pragmas(declaration) + c.text[:at] + name +
				c.text[at+len(declaration.Name.Name):] + "\n"
			copies.WriteString(text)
			n := strings.Count(text, "\n")
			if c.mutant >= 0 {
				t.copies[file] = append(t.copies[file], copied{c.mutant, line, line + n - 1})
			}
			line += n
			call += fmt.Sprintf(" case %d: %s;", c.mutant+1, names.call(declaration, name))
		}
		body := s.offset(declaration.Body.Lbrace) + 1
		puts = append(puts, span{body, body, " " + call + " };"})
	}
	if !any {
		return nil
	}
	after := s.offset(s.syntax.Name.End())
	puts = append(puts, span{after, after,
		`; import surewakeOS "os"; import surewakeNumber "strconv"`})
	fmt.Fprintf(&copies, "var %s, _ = surewakeNumber.Atoi(surewakeOS.Getenv(%q))\n", chosen,
		ChosenVariable)
	slices.SortFunc(puts, func(a, b span) int { return a.start - b.start })
	var out strings.Builder
	done := 0
	for _, p := range puts {
		out.WriteString(s.text[done:p.start] + p.put)
		done = p.end
	}
	out.WriteString(s.text[done:])
	return []byte(out.String() + copies.String())
}

// A call says how a function passes its parameters on.
type call struct{ receiver, types, arguments string }

// call returns the statement that calls a copy of f in its place.
func (c call) call(f *ast.FuncDecl, name string) string {
	s := c.receiver + name + c.types + "(" + c.arguments + ")"
	if f.Type.Results.NumFields() > 0 {
		return "return " + s
	}
	return s + "; return"
}

// parameters returns how f passes its parameters on, and the names that those without one get.
func (s *shared) parameters(f *ast.FuncDecl) (c call, renamed []span) {
	n := 0
	fresh := func() string { n++; return fmt.Sprintf("surewake%d", n) }
	named := func(field *ast.Field) (names []string) {
		if len(field.Names) == 0 {
			name, at := fresh(), s.offset(field.Type.Pos())
			renamed = append(renamed, span{at, at, name + " "})
			return []string{name}
		}
		for _, id := range field.Names {
			name := id.Name
			if name == "_" {
				name = fresh()
				renamed = append(renamed, span{s.offset(id.Pos()), s.offset(id.End()), name})
			}
			names = append(names, name)
		}
		return names
	}
	if f.Recv != nil {
		c.receiver = named(f.Recv.List[0])[0] + "."
	}
	var types, arguments []string
	if f.Type.TypeParams != nil {
		for _, field := range f.Type.TypeParams.List {
			for _, id := range field.Names {
				types = append(types, id.Name)
			}
		}
		c.types = "[" + strings.Join(types, ", ") + "]"
	}
	for _, field := range f.Type.Params.List {
		names := named(field)
		if _, variadic := field.Type.(*ast.Ellipsis); variadic {
			names[0] += "..."
		}
		arguments = append(arguments, names...)
	}
	c.arguments = strings.Join(arguments, ", ")
	return c, renamed
}
