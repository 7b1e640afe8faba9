package mutant

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func generated(t *testing.T, body string) (what []string) {
	t.Helper()
	text := "package p\n\nfunc f() (int, *T[K]) {\n\t" + body + "\n}\n"
	all, err := Generate("p.go", []byte(text))
	require.NoError(t, err)
	for _, g := range all {
		edited := applied(t, text, g)
		require.NotEqual(t, text, edited)
		what = append(what, g.What)
	}
	return what
}

// applied returns the text with an edit made, as it is read from the mutant's file.
func applied(t *testing.T, text string, g Generated) string {
	t.Helper()
	m, err := Parse([]byte(g.Text()))
	require.NoError(t, err, g.Text())
	require.Len(t, m.Edits, 1, g.Text())
	files, err := m.Apply(func(string) ([]byte, error) { return []byte(text), nil })
	require.NoError(t, err, g.Text())
	edited := string(files[g.Edit.File])
	_, err = parser.ParseFile(token.NewFileSet(), "", edited, 0)
	require.NoError(t, err, "%s\n%s", g.Text(), edited)
	return edited
}

func TestGenerate(t *testing.T) {
	for body, want := range map[string][]string{
		"w.Store(1)": {
			"f: left out: w.Store(1).", "f: not reached: w.Store(1).",
			"f: one more: 1.", "f: one less: 1.",
		},
		"a(); b = c; d()": {
			"f: left out: a().", "f: not reached: a().",
			"f: left out: b = c.", "f: not reached: b = c.",
			"f: in the other order: a(); b = c.",
			"f: left out: d().", "f: in the other order: b = c; d().",
		},
		"if a && b < c {\n\t\treturn\n\t}": {
			"f: not reached: if a && b < c { return }.",
			"f: negated: a && b < c.", "f: never true: a && b < c.", "f: always true: a && b < c.",
			"f: its first half: a && b < c.", "f: its second half: a && b < c.",
			"f: with another operator: b < c.",
		},
		"for !w.CompareAndSwap(x, y) {\n\t}": {
			"f: not reached: for !w.CompareAndSwap(x, y) { }.",
			"f: negated: !w.CompareAndSwap(x, y).", "f: never true: !w.CompareAndSwap(x, y).",
			"f: a load and a store: w.CompareAndSwap(x, y).",
			"f: a store: w.CompareAndSwap(x, y).",
		},
		"return atomic.CompareAndSwapUint64(&w.bits, x, y), nil": {
			"f: a load and a store: atomic.CompareAndSwapUint64(&w.bits, x, y).",
			"f: a store: atomic.CompareAndSwapUint64(&w.bits, x, y).",
		},
		"old := w.Or(x)": {
			"f: not reached: old := w.Or(x).", "f: a load and a store: old := w.Or(x).",
		},
		"switch {\n\tcase a == b:\n\t\tn++\n\t}": {
			"f: not reached: switch { case a == b: n++ }.",
			"f: negated: a == b.", "f: never true: a == b.",
			"f: left out: n++.", "f: not reached: n++.",
			"f: with another operator: a == b.", "f: with the other sign: n++.",
		},
	} {
		require.ElementsMatch(t, want, generated(t, body), body)
	}
}

// An edit is told from others by as much of its surroundings as it takes.
func TestGenerateTellsTheSameLinesApart(t *testing.T) {
	text := "package p\n\nfunc (x *T[K]) f() {\n\ta() // once\n\tb()\n\n\ta() // again\n}\n"
	all, err := Generate("p.go", []byte(text))
	require.NoError(t, err)
	edited := map[string]bool{}
	for _, g := range all {
		require.Equal(t, "T.f", g.Edit.Decl)
		if strings.HasPrefix(g.What, "T.f: left out: a()") {
			edited[strings.Join(strings.Fields(withoutComments(applied(t, text, g))), " ")] = true
		}
	}
	require.Equal(t, map[string]bool{
		"package p func (x *T[K]) f() { b() a() }": true,
		"package p func (x *T[K]) f() { a() b() }": true,
	}, edited)
}

// The edits of real code are found again where they were made, and have an id each.
func TestGeneratedEditsOfRealCode(t *testing.T) {
	for _, pattern := range []string{"../../park/*.go", "../../idle/*.go", "../../fork/*.go"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		ids := map[string]bool{}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			all, err := Generate("p/"+filepath.Base(name), text)
			require.NoError(t, err)
			for _, g := range all {
				require.False(t, ids[g.ID], g.ID)
				ids[g.ID] = true
				applied(t, string(text), g)
			}
		}
		require.Greater(t, len(ids), 200)
	}
}
