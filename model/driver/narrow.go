package driver

import (
	"bytes"
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/surewake/surewake/model/instrument"
)

// narrow returns replace with test files of the package in dir in which all is empty that the tests
// whose names begin with one of suspects cannot reach: functions to which no name leads, be it a
// word in a string, from these tests, TestMain, methods, variables and init. Compiling all tests
// takes most of a mutant's time, and these are asked first. Statements stay in their lines. Where
// the tests start their own binary, and may make up the name of a function, or linkname one, narrow
// returns replace as it is.
func narrow(dir string, replace map[string][]byte, suspects ...string) map[string][]byte {
	files := map[string][]byte{}
	names, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return replace
	}
	for _, name := range names {
		text, replaced := replace[name]
		if !replaced {
			if text, err = os.ReadFile(name); err != nil {
				return replace
			}
		}
		files[name] = text
	}
	narrowed, ok := emptyUnreached(files, suspects)
	if !ok {
		return replace
	}
	for name, text := range replace {
		if _, test := files[name]; !test {
			narrowed[name] = text
		}
	}
	return narrowed
}

// A helper is a function of a test file.
type helper struct {
	file    string
	body    [2]int // offsets of its braces
	results bool
	names   map[string]bool // all that its declaration mentions
}

// suspectsOf returns the tests that run where a suspect is asked: a regression test stands for
// another one.
func suspectsOf(p *instrument.Package, suspect string) []string {
	if again := replayNamed(p, suspect); again != nil {
		return []string{suspect, again.Test()}
	}
	return []string{suspect}
}

// emptyUnreached takes out of the files what suspects do not reach.
func emptyUnreached(files map[string][]byte, suspects []string) (map[string][]byte, bool) {
	helpers := map[string][]*helper{} // by name: there may be one for each platform
	reached := map[string]bool{}
	for file, text := range files {
		positions := token.NewFileSet()
		parsed, err := parser.ParseFile(positions, file, text, parser.SkipObjectResolution)
		if err != nil || bytes.Contains(text, []byte("//go:linkname ")) {
			return nil, false
		}
		for _, decl := range parsed.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Recv != nil || f.Body == nil || isRoot(f.Name.Name, suspects) {
				addNames(decl, reached)
				continue
			}
			h := &helper{file: file, results: f.Type.Results != nil, names: map[string]bool{}}
			h.body[0] = positions.Position(f.Body.Lbrace).Offset
			h.body[1] = positions.Position(f.Body.Rbrace).Offset
			addNames(f.Type, h.names)
			addNames(f.Body, h.names)
			helpers[f.Name.Name] = append(helpers[f.Name.Name], h)
		}
	}
	for grown := true; grown; {
		grown = false
		for name, all := range helpers {
			if !reached[name] {
				continue
			}
			for _, h := range all {
				for n := range h.names {
					reached[n] = true
				}
			}
			delete(helpers, name)
			grown = true
		}
	}
	if len(helpers) == 0 || reached["Args"] || reached["Executable"] { // those of package os
		return nil, false
	}
	unreached := map[string][]*helper{}
	for _, h := range slices.Concat(slices.Collect(maps.Values(helpers))...) {
		unreached[h.file] = append(unreached[h.file], h)
	}
	for file, bodies := range unreached {
		files[file] = empty(files[file], bodies)
	}
	return files, true
}

func isRoot(name string, suspects []string) bool {
	asked := func(suspect string) bool {
		test, _, _ := strings.Cut(suspect, "/")
		return strings.HasPrefix(name, test)
	}
	return name == "init" || name == "TestMain" || name == "_" ||
		slices.ContainsFunc(suspects, asked)
}

// addNames adds the names in node, and the words of its strings: "-test.run=^TestChild$".
func addNames(node ast.Node, names map[string]bool) {
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			names[n.Name] = true
		case *ast.BasicLit:
			text, _ := strconv.Unquote(n.Value) // "" if it is no string
			for _, word := range strings.FieldsFunc(text, outsideName) {
				names[word] = true
			}
		}
		return true
	})
}

func outsideName(r rune) bool {
	return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// empty makes the bodies unreachable for the compiler, which then leaves them out but still counts
// what they use as used.
func empty(text []byte, bodies []*helper) []byte {
	slices.SortFunc(bodies, func(a, b *helper) int { return cmp.Compare(a.body[0], b.body[0]) })
	var b bytes.Buffer
	at := 0
	for _, h := range bodies {
		b.Write(text[at : h.body[0]+1])
		b.WriteString(" if false {")
		b.Write(text[h.body[0]+1 : h.body[1]])
		b.WriteString("}")
		if h.results {
			b.WriteString("; panic(0)")
		}
		at = h.body[1]
	}
	b.Write(text[at:])
	return b.Bytes()
}
