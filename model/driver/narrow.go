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
	"strings"
)

// narrow returns replace with test files of the package in dir in which all is empty that the tests
// whose names begin with suspect cannot reach: functions to which no name leads, from these tests,
// TestMain, methods, variables and init. Compiling all tests takes most of a mutant's time, and
// these are asked first. Statements stay in their lines. Where the tests start their own binary,
// and may name a function in a string, narrow returns replace as it is.
func narrow(dir string, replace map[string][]byte, suspect string) map[string][]byte {
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
	narrowed, ok := emptyUnreached(files, suspect)
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

// emptyUnreached takes out of the files what suspect does not reach.
func emptyUnreached(files map[string][]byte, suspect string) (map[string][]byte, bool) {
	helpers := map[string][]*helper{} // by name: there may be one for each platform
	reached := map[string]bool{}
	for file, text := range files {
		positions := token.NewFileSet()
		parsed, err := parser.ParseFile(positions, file, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, false
		}
		for _, decl := range parsed.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Recv != nil || f.Body == nil || isRoot(f.Name.Name, suspect) {
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

func isRoot(name, suspect string) bool {
	return name == "init" || name == "TestMain" || name == "_" || strings.HasPrefix(name, suspect)
}

func addNames(node ast.Node, names map[string]bool) {
	ast.Inspect(node, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			names[id.Name] = true
		}
		return true
	})
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
