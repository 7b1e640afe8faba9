package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/mutant"
)

func TestResultsAreReadAsTheyAreWritten(t *testing.T) {
	name := filepath.Join(t.TempDir(), "results")
	known, err := readResults(name)
	require.NoError(t, err)
	require.Empty(t, known)
	want := map[string]result{
		"a": {"a", "key", killed, "TestA/b_c"},
		"b": {"b", "key", survived, ""},
	}
	known = map[string]result{"gone": {"gone", "key", killed, "TestB"}}
	for id, r := range want {
		known[id] = r
	}
	edits := []edit{
		{Generated: mutant.Generated{ID: "b"}, pkg: "park"},
		{Generated: mutant.Generated{ID: "a"}, pkg: "park"},
		{Generated: mutant.Generated{ID: "new"}, pkg: "park"},
	}
	require.NoError(t, writeResults(name, known, edits))
	known, err = readResults(name)
	require.NoError(t, err)
	require.Equal(t, want, known)
}

func TestArguments(t *testing.T) {
	name := filepath.Join(t.TempDir(), "harmless")
	for text, want := range map[string]string{
		"# nothing\n":          "",
		"a\n  it is\n  so\nb":  name + ": b has no argument",
		"a\nb\n  it is\n":      name + ": a has no argument",
		"  it is\n":            name + ":1: an argument without an id before it",
		"a\n  so\na\n  so\n":   name + ":3: a is there twice",
		"a\n  it is\n\tso\n\n": "",
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
		why, err := readHarmless(name)
		if want != "" {
			require.EqualError(t, err, want, text)
			continue
		}
		require.NoError(t, err, text)
		if text[0] == 'a' {
			require.Equal(t, map[string]string{"a": "it is so"}, why)
		}
	}
}

// An edit that survives needs an argument, and one that does not, or is none, has no use for it.
func TestJudge(t *testing.T) {
	edits := []edit{{Generated: mutant.Generated{ID: "a"}, pkg: "park"}}
	for _, c := range []struct {
		verdict, argued string
		fails           bool
	}{
		{"", "", false},
		{killed, "", false},
		{broken, "", false},
		{survived, "", true},
		{unnoticed, "", true},
		{survived, "a", false},
		{unnoticed, "a", false},
		{killed, "a", true},
		{killed, "b", true},
	} {
		known := map[string]result{}
		if c.verdict != "" {
			known["a"] = result{"a", "key", c.verdict, ""}
		}
		why := map[string]string{}
		if c.argued != "" {
			why[c.argued] = "it is so"
		}
		err := judge(edits, known, why)
		require.Equal(t, c.fails, err != nil, "%+v: %v", c, err)
	}
}
