package instrument

import (
	"go/build/constraint"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// The constraint takes a comment's place, so that no line moves, or //line
// says where they were.
func TestRaisedFilesKeepTheirLines(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"// Copyright\n\npackage p\n", "//go:build go1.21\n\npackage p\n"},
		{"//go:build linux || darwin\n// +build linux darwin\n\npackage p\n", "//go:build (linux || darwin) && go1.21\n// +build linux darwin\n\npackage p\n"},
		{"/* one\n// two\n*/\n\npackage p // three\n", "//go:build go1.21\n\n//line /x/f.go:1\n/* one\n// two\n*/\n\npackage p // three\n"},
		{"package p\n\n// one\n", "//go:build go1.21\n\n//line /x/f.go:1\npackage p\n\n// one\n"},
		{"//go:debug x=y\n// one\npackage p\n", "//go:debug x=y\n//go:build go1.21\npackage p\n"},
	} {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "/x/f.go", row.text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		text := []byte(row.text)
		src := &source{name: "/x/f.go", text: text, ast: f, tf: fset.File(f.Pos())}
		got := string(raiseFile(src, text))
		if got != row.want {
			t.Errorf("got %q, want %q", got, row.want)
		}
		f, err = parser.ParseFile(token.NewFileSet(), "", got, parser.ParseComments)
		if err != nil || f.GoVersion != "go1.21" {
			t.Errorf("%q has version %q, %v", got, f.GoVersion, err)
		}
		for line := range strings.SplitSeq(got, "\n") {
			if strings.HasPrefix(line, "//go:build") {
				if _, err := constraint.Parse(line); err != nil {
					t.Error(err)
				}
			}
		}
	}
}
