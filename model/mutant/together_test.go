package mutant

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const program = `package main

import "fmt"

type pair[K comparable, V any] struct {
	key   K
	value V
}

func (p *pair[K, V]) set(key K, _ int, value V) { p.key, p.value = key, value }

func (pair[K, V]) name() string { return "pair" }

// sum adds.
//
//go:noinline
func sum(first int, _ string, rest ...int) (total int, err error) {
	total = first
	for _, n := range rest {
		total += n
	}
	return total, nil
}

func swapped[A, B any](a A, b B) (B, A) { return b, a }

func unnamed(int, ...string) int { return 1 }

func loop(n int) (steps int) {
again:
	if n > 1 {
		n /= 2
		steps++
		goto again
	}
	return
}

func recovers() (err error) {
	defer caught(&err)
	panic("a")
}

func caught(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("caught %v", r)
	}
}

type codec interface{ version() int }

type plain struct{}

func (plain) version() int { return 1 }

var (
	chosen codec = plain{}
	begins       = chosen.version()
)

func init() { begins++ }

const limit = 3

func main() {
	var p pair[string, int]
	p.set("k", 1, 2)
	s, err := sum(1, "", 2, 3)
	b, a := swapped(1, "x")
	fmt.Println(p, p.name(), s, err, b, a, unnamed(1, "y"), loop(5), recovers(), begins, limit)
}
`

// nobody is in the folder of the program.
func nobody(string) []string { return nil }

// What a program prints with a mutant is the same, whether the mutant has a build of its own or is
// one of several.
func TestMutantsTogetherDoWhatEachDoesAlone(t *testing.T) {
	var mutants []*Mutant
	together := map[int]bool{}
	for i, c := range []struct {
		declaration, edit string
		fits              bool
	}{
		{"pair.set", "- p.key, p.value = key, value\n+ p.value = value\n", true},
		{"pair.set", "- p.key, p.value = key, value\n+ p.key = key\n", true},
		{"pair.name", "- \"pair\"\n+ \"couple\"\n", true},
		{"sum", "- total += n\n+ total -= n\n", true},
		{"sum", "- nil\n+ fmt.Errorf(\"no sum\")\n", true},
		{"swapped", "- b, a }\n+ b, *new(A) }\n", true},
		{"unnamed", "- return 1\n+ return 2\n", true},
		{"loop", "- steps++\n+ steps += 2\n", true},
		{"recovers", "- panic(\"a\")\n+ panic(\"b\")\n", true},
		{"main", "- loop(5)\n+ loop(6)\n", false},
		{"init", "- begins++\n+ begins--\n", false},
		{"limit", "- 3\n+ 4\n", false},
		{"unnamed", "- int, ...string\n+ ...any\n", false},
		{"caught", "- caught %v\n+ seen %v\n", false},
		{"loop", "- n /= 2\n+ n -= 2\n\n- steps++\n+ steps = n\n", true},
		{"plain.version", "- 1\n+ 2\n", false}, // called while the variables get their values
		{"unnamed", "- { return 1 }\n+ { return 1 }\n+\n+ func init() { begins = 9 }\n", false},
	} {
		m, err := Parse([]byte("A bug.\n-- p.go: " + c.declaration + " --\n" + c.edit))
		require.NoError(t, err)
		mutants = append(mutants, m)
		together[i] = c.fits
	}
	read := func(string) ([]byte, error) { return []byte(program), nil }
	all := PutTogether(append(mutants, nil), read, nobody)
	require.Zero(t, all.Numbers[len(mutants)])
	build := func(text []byte) string {
		dir := t.TempDir()
		source := filepath.Join(dir, "p.go")
		require.NoError(t, os.WriteFile(source, text, 0o666))
		built := filepath.Join(dir, "p.exe")
		out, err := exec.Command("go", "build", "-o", built, source).CombinedOutput()
		require.NoError(t, err, "%s\n%s", out, text)
		return built
	}
	run := func(binary string, number int) string {
		command := exec.Command(binary)
		command.Env = append(os.Environ(), fmt.Sprint(ChosenVariable, "=", number))
		out, err := command.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	original, shared := build([]byte(program)), build(all.Files["p.go"])
	require.Equal(t, run(original, 0), run(shared, 0), "none is chosen")
	require.Equal(t, run(original, 0), run(shared, Control), "copies without edits")
	for i, m := range mutants {
		require.Equal(t, together[i], all.Numbers[i] > 0, "mutant %d", i)
		if !together[i] {
			continue
		}
		files, err := m.Apply(read)
		require.NoError(t, err)
		alone := run(build(files["p.go"]), 0)
		require.NotEqual(t, run(original, 0), alone, "mutant %d", i)
		require.Equal(t, alone, run(shared, all.Numbers[i]), "mutant %d", i)
	}
}

// The lines of a copy tell which mutant does not compile; those of the source stay where they are.
func TestALineTellsWhoseCopyItIs(t *testing.T) {
	var mutants []*Mutant
	for _, edit := range []string{"- steps++\n+ steps = \"\"\n", "- steps++\n+ steps--\n"} {
		m, err := Parse([]byte("A bug.\n-- p.go: loop --\n" + edit))
		require.NoError(t, err)
		mutants = append(mutants, m)
	}
	read := func(string) ([]byte, error) { return []byte(program), nil }
	all := PutTogether(mutants, read, nobody)
	text := string(all.Files["p.go"])
	line := func(of string) int {
		for n, l := range strings.Split(text, "\n") {
			if l == of {
				return n + 1
			}
		}
		return 0
	}
	require.Equal(t, []int{0}, all.At("p.go", line("\t\tsteps = \"\"")))
	require.Equal(t, []int{1}, all.At("p.go", line("\t\tsteps--")))
	require.Empty(t, all.At("p.go", line("\t\tsteps++")))
	require.Empty(t, all.At("q.go", line("\t\tsteps--")))
	for n, l := range strings.Split(program, "\n") {
		if l == "func main() {" {
			require.Equal(t, l, strings.Split(text, "\n")[n])
		}
	}
}

// What does not compile alone, and what edits a test, shares no build.
func TestWhatHasABuildOfItsOwn(t *testing.T) {
	texts := map[string]string{
		"p/p.go":      "package p\n\nimport \"fmt\"\n\nfunc Name() string { return fmt.Sprint(1) }\n",
		"p/p_test.go": "package p\n\nfunc helper() int { return 1 }\n",
		"p/q.go":      "package p\n\nvar name = Late()\n\nfunc Late() int { return 1 }\n",
		"p/r.go":      "package p\n\nfunc Calm() int { return 1 }\n\nfunc Calls() int { return Calm() }\n",
		"p/s.go":      "package p\n\nfunc init() { Calls() }\n",
	}
	var mutants []*Mutant
	for _, edit := range []string{
		"-- p/p.go: Name --\n- fmt.Sprint(1)\n+ \"1\"\n",
		"-- p/p.go: Name --\n- 1\n+ 2\n",
		"-- p/p_test.go: helper --\n- 1\n+ 2\n",
		"-- p/q.go: Late --\n- 1\n+ 2\n",
		"-- p/r.go: Calm --\n- 1\n+ 2\n",
	} {
		m, err := Parse([]byte("A bug.\n" + edit))
		require.NoError(t, err)
		mutants = append(mutants, m)
	}
	all := PutTogether(mutants,
		func(file string) ([]byte, error) { return []byte(texts[file]), nil },
		func(string) []string { return slices.Sorted(maps.Keys(texts)) })
	require.Equal(t, []int{0, 2, 0, 0, 5}, all.Numbers)
	require.NotRegexp(t, `func [A-Z]\w*[0-9]`, string(all.Files["p/p.go"]), "no copy is exported")
}
