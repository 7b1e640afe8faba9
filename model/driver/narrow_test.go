package driver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/instrument"
)

func TestNarrowKeepsWhatTheTestReaches(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	const asked = `package p

import "testing"

var value = ofVariable()

func TestAsked(t *testing.T) { first(t) }
func TestAskedToo(t *testing.T) { t.Log() }

func TestOther(t *testing.T) {
	only(t) // a comment at the end
}
func TestMain(m *testing.M) { before(); m.Run() }
func first(t *testing.T) { second[int](t) }
`
	const helpers = `package p

func second[T any](t *testing.T) { var v kind; v.method() }
func only(t *testing.T) (n int, err error) { return 1, nil }
func ofVariable() int { return 1 }
func before() {}
func init() { ofInit() }
func ofInit() {}

type kind struct{}

func (kind) method() { ofMethod() }
func ofMethod() {}
func BenchmarkOther(b *testing.B) { only(nil) }
`
	emptied := strings.NewReplacer(
		"TestOther(t *testing.T) {", "TestOther(t *testing.T) { if false {",
		"the end\n}", "the end\n}}",
		"{ return 1, nil }", "{ if false { return 1, nil }; panic(0)}",
		"{ only(nil) }", "{ if false { only(nil) }}",
	)
	source := filepath.Join(dir, "p.go")
	name, other := write("a_test.go", asked), write("b_test.go", helpers)
	narrowed := narrow(dir, map[string][]byte{source: []byte("package p\n")}, "TestAsked")
	require.Equal(t, map[string]string{
		source: "package p\n", name: emptied.Replace(asked), other: emptied.Replace(helpers),
	}, texts(narrowed))

	narrowed = narrow(dir, nil, "TestOther", "TestAskedToo/part")
	require.Contains(t, texts(narrowed)[name], "TestOther(t *testing.T) {\n")
	require.Contains(t, texts(narrowed)[name], "TestAskedToo(t *testing.T) { t.Log() }")
	require.Contains(t, texts(narrowed)[name], "TestAsked(t *testing.T) { if false {")

	write("b_test.go", "package p\n\n//go:linkname only q.only\n")
	require.Empty(t, narrow(dir, nil, "TestAsked"), "no name leads to what others link")
	write("b_test.go", "package p\n\nimport \"os\"\n\nvar self = os.Args[0]\n")
	require.Empty(t, narrow(dir, nil, "TestAsked"), "the binary may be started again")
	write("b_test.go", "package p\n\nfunc broken(\n")
	require.Empty(t, narrow(dir, nil, "TestAsked"))
}

// The name of a test may be a part of a string, and a regression test names another one.
func TestNarrowKeepsWhatIsNamedInOtherWays(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a_test.go")
	const text = `package p

func TestAsked(t *testing.T) { exec.Command("/proc/self/exe", "-test.run=^TestChild$").Run() }
func TestChild(t *testing.T) { child() }
func TestOther(t *testing.T) { child() }
func child() {}
`
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	require.Equal(t,
		strings.Replace(text, "TestOther(t *testing.T) { child() }",
			"TestOther(t *testing.T) { if false { child() }}", 1),
		texts(narrow(dir, nil, "TestAsked"))[name])

	again := instrument.Replay{Name: "TestReplay", Check: "TestOther/a"}
	p := instrument.Package{Replays: []instrument.Replay{again}}
	require.Equal(t, []string{"TestReplay", "TestOther"}, suspectsOf(&p, "TestReplay"))
	require.Equal(t, []string{"TestOther"}, suspectsOf(&p, "TestOther"))
}

func texts(files map[string][]byte) map[string]string {
	all := map[string]string{}
	for name, text := range files {
		all[name] = string(text)
	}
	return all
}

// A mutant may be of a test file: what is narrowed is the mutated text.
func TestNarrowKeepsTheMutation(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a_test.go")
	text := "package p\n\nfunc TestA(t *testing.T) { one() }\nfunc TestB(t *testing.T) { one() }\n"
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	mutated := "package p\n\nfunc TestA(t *testing.T) { two() }\nfunc TestB(t *testing.T) { one() }\n"
	narrowed := narrow(dir, map[string][]byte{name: []byte(mutated)}, "TestA")
	require.Contains(t, texts(narrowed)[name], "func TestA(t *testing.T) { two() }\n")
	require.Contains(t, texts(narrowed)[name], "func TestB(t *testing.T) { if false { one() }}\n")
}
