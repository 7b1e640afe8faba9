package driver

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/instrument"
)

func TestMutantsAreFoundByFileName(t *testing.T) {
	dir := t.TempDir()
	mutants := filepath.Join(dir, "testdata", "mutants")
	require.NoError(t, os.MkdirAll(mutants, 0o777))
	for _, name := range []string{"B2.diff", "A1-room.diff", "README.md"} {
		require.NoError(t, os.WriteFile(filepath.Join(mutants, name), nil, 0o666))
	}
	require.NoError(t, os.Mkdir(filepath.Join(mutants, "more"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(mutants, "more", "A2.diff"), nil, 0o666))
	for more, want := range map[bool][]string{false: {"A1-room", "B2"}, true: {"A1-room", "B2", "A2"}} {
		all, err := findMutants([]instrument.Package{{Path: "none", Dir: t.TempDir()}, {Path: "p", Dir: dir}}, more)
		require.NoError(t, err)
		var ids []string
		for _, m := range all {
			require.Equal(t, "p", m.pkg.Path)
			ids = append(ids, m.id)
		}
		require.Equal(t, want, ids)
	}
}

// A diff may change a file in several places, and several files.
func TestMutantsAreAppliedInMemory(t *testing.T) {
	root := t.TempDir()
	source := filepath.Join(root, "p", "p.go")
	require.NoError(t, os.Mkdir(filepath.Join(root, "p"), 0o777))
	require.NoError(t, os.WriteFile(source, []byte("one\ntwo\n"), 0o666))
	diff := filepath.Join(root, "m.diff")
	write := func(text string) { require.NoError(t, os.WriteFile(diff, []byte(text), 0o666)) }
	j := judge{root: root}

	write("--- a/p/p.go\n+++ b/p/p.go\n@@ -1 +1 @@\n-one\n+1\n--- a/p/p.go\n+++ b/p/p.go\n@@ -2 +2 @@\n-two\n+2\n")
	replace, err := j.mutate(mutant{file: diff})
	require.NoError(t, err)
	require.Equal(t, map[string][]byte{source: []byte("1\n2\n")}, replace)

	write("--- a/p/q.go\n+++ b/p/q.go\n@@ -1 +1 @@\n-one\n+1\n")
	_, err = j.mutate(mutant{file: diff})
	require.ErrorContains(t, err, "does not apply: open "+filepath.Join(root, "p", "q.go"))

	write("nothing")
	_, err = j.mutate(mutant{file: diff})
	require.ErrorContains(t, err, "m.diff: no changes in it")
}

func TestWhoAlwaysObjectsHasFoundNothing(t *testing.T) {
	var j judge
	asked := 0
	fails := func(failed bool, err error) func() (bool, error) {
		return func() (bool, error) { asked++; return failed, err }
	}
	for range 3 {
		require.NoError(t, j.presume("a", "TestA", fails(false, nil)))
		require.ErrorContains(t, j.presume("b", "TestB", fails(true, nil)), "TestB fails on the unchanged source, too")
		require.ErrorContains(t, j.presume("c", "TestC", fails(false, errors.New("disk full"))), "disk full")
	}
	require.Equal(t, 3, asked, "each is asked once")
}

func TestTheFirstFailingTestIsNamed(t *testing.T) {
	failing, text, broken := readTestEvents([]byte(`{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"panic: test timed out after 1s\n"}
{"Action":"fail","Package":"p","Test":"TestA/sub"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"fail","Package":"p"}
`))
	require.Equal(t, "TestA/sub", failing)
	require.Equal(t, "panic: test timed out after 1s\n", text)
	require.False(t, broken)

	failing, _, _ = readTestEvents([]byte(`{"Action":"output","Package":"p","Test":"TestA","Output":"panic: in another goroutine\n"}
{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}
{"Action":"fail","Package":"p"}
`))
	require.Equal(t, "TestA", failing)

	failing, text, broken = readTestEvents([]byte(`{"ImportPath":"p [p.test]","Action":"build-output","Output":"./p.go:3:1: oops\n"}
{"ImportPath":"p [p.test]","Action":"build-fail"}
{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Package":"p","FailedBuild":"p [p.test]"}
`))
	require.Empty(t, failing)
	require.Contains(t, text, "./p.go:3:1: oops")
	require.True(t, broken)
}

func TestADiffNamesWhoIsAskedFirst(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.diff")
	for text, want := range map[string]string{
		"":                                    "",
		"A bug.\n--- a/x.go\n":                "",
		"A bug.\nKilled by TestX\n--- a/x.go": "TestX",
		"A bug, Killed by TestX\n--- a/x.go":  "",
		"A bug.\n--- a/x.go\nKilled by TestX": "",
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		got, err := mutant{file: file}.suspect()
		require.NoError(t, err)
		require.Equal(t, want, got, "%q", text)
	}
}
