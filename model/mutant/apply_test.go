package mutant

import (
	"errors"
	"go/format"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const source = `package p

import "errors"

// F looks twice.
func F(n int) error {
	first := look(n)
	second := look(n + 1)
	if first != second {
		return errors.New("differs")
	}
	return nil
}

type T[V any] struct {
	value V
}

func (t *T[V]) F() V { return t.value }

const (
	low  = 1
	high = 100
)
`

// Two lines of F change places.
const swap = "- first := look(n)\n  second := look(n + 1)\n+ first := look(n)\n"

// apply returns source, or another text, with the edits of one section of p.go made.
func apply(t *testing.T, text, declaration, edits string) (string, error) {
	t.Helper()
	m, err := Parse([]byte("A bug.\n-- p.go: " + declaration + " --\n" + edits))
	require.NoError(t, err)
	files, err := m.Apply(func(file string) ([]byte, error) {
		require.Equal(t, "p.go", file)
		return []byte(text), nil
	})
	return string(files["p.go"]), err
}

func TestEditsReplaceTextInTheirDeclaration(t *testing.T) {
	for _, c := range []struct{ name, declaration, edits, old, new string }{
		{
			"a line", "F", "- return nil\n+ return errors.New(\"\")\n",
			"return nil", `return errors.New("")`,
		},
		{"a part of a line", "F", "- n + 1\n+ n\n", "look(n + 1)", "look(n)"},
		{
			"an insertion", "F", "  if first != second {\n+ \tfirst = second\n",
			"second {\n", "second {\n\t\tfirst = second\n",
		},
		{
			"a deletion", "F", "- if first != second {\n- \treturn errors.New(\"differs\")\n- }\n",
			"\tif first != second {\n\t\treturn errors.New(\"differs\")\n\t}\n", "",
		},
		{
			"two lines that change places", "F", swap,
			"\tfirst := look(n)\n\tsecond := look(n + 1)\n",
			"\tsecond := look(n + 1)\n\tfirst := look(n)\n",
		},
		{
			"two edits", "F", "- n + 1\n+ n\n\n- first != second\n+ second != first\n",
			"look(n + 1)\n\tif first != second {", "look(n)\n\tif second != first {",
		},
		{"a method", "T.F", "- return t.value\n+ panic(0)\n", "{ return t.value }", "{ panic(0) }"},
		{"a type", "T", "  value V\n+ other V\n", "\tvalue V\n", "\tvalue V\n\tother V\n"},
		{"a group of constants", "high", "- low = 1\n+ low = 2\n", "low  = 1", "low = 2"},
		{
			"imports", "import", "  import \"errors\"\n+ import \"os\"\n",
			"import \"errors\"\n", "import \"errors\"\nimport \"os\"\n",
		},
		{"the package clause", "package", "- p\n+ q\n", "package p\n", "package q\n"},
	} {
		got, err := apply(t, source, c.declaration, c.edits)
		require.NoError(t, err, c.name)
		require.Equal(t, 1, strings.Count(source, c.old), c.name)
		require.Equal(t, strings.Replace(source, c.old, c.new, 1), got, c.name)
	}
}

func TestEditsApplyAfterUnrelatedOnes(t *testing.T) {
	with := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(source) }
	for name, text := range map[string]string{
		"lines above":   with("// F looks", "func before() {}\n\n// F looks"),
		"the same text": source + "\nfunc G() {\nfirst := look(n)\nsecond := look(n + 1)\n}",
		"another depth": with("\tfirst", "\t{\n\t\tfirst", "\tsecond", "\t\tsecond",
			"nil\n", "nil}"),
		"comments":          with("look(n)\n", "look(n) // first := look(n)\n\t// twice\n"),
		"other white space": with("first := look(n)", "first  :=\n look(n)"),
	} {
		got, err := apply(t, text, "F", swap)
		require.NoError(t, err, name)
		words := strings.Join(strings.Fields(got), " ")
		require.Contains(t, words, "second := look(n + 1) first := look(n)", name)
		_, err = format.Source([]byte(got))
		require.NoError(t, err, name)
	}
}

func TestWhatIsNotFoundOnceIsSaid(t *testing.T) {
	for _, c := range []struct{ declaration, edits, want string }{
		{"G", "- a\n", "line 3: p.go declares no G"},
		{
			"F", "- return low\n+ return high\n",
			"line 3: p.go: F has no\n\treturn low\nnearest is p.go:12\n\treturn nil",
		},
		{
			"F", "  first := look(n)\n- second := look(n)\n",
			"p.go: F has no\n\tfirst := look(n)\n\tsecond := look(n)\n" +
				"nearest is p.go:8\n\tsecond := look(n + 1)",
		},
		{"T.F", "- ???\n", "p.go: T.F has no\n\t???\nand nothing like it"},
		{"F", "- look\n+ see\n", "p.go: F has 2 times what should be there once:\n\tlook"},
		{"F", "- loo\n+ see\n", "p.go: F has no\n\tloo\n"},
		{"F", "- return nil\n\n- nil\n+ 1\n", "p.go: two edits change the same text"},
	} {
		_, err := apply(t, source, c.declaration, c.edits)
		require.ErrorContains(t, err, c.want, "%s", c.edits)
	}
	_, err := apply(t, source+"func F() {}\n", "F", "- nil\n+ 1\n")
	require.ErrorContains(t, err, "p.go declares F 2 times")
	_, err = apply(t, "package", "F", "- nil\n+ 1\n")
	require.ErrorContains(t, err, "p.go: 1:8: expected 'IDENT'")
}

func TestAFileThatCannotBeReadIsSaid(t *testing.T) {
	m := &Mutant{Edits: []Edit{{File: "p.go", Decl: "F", Old: "a", Line: 5}}}
	_, err := m.Apply(func(string) ([]byte, error) { return nil, errors.New("no p.go") })
	require.ErrorContains(t, err, "line 5: no p.go")
}
