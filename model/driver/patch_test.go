package driver

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const original = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n"

func applyText(t testing.TB, diff, text string) (string, error) {
	t.Helper()
	p, err := parsePatch(diff)
	if err != nil {
		return "", err
	}
	require.Len(t, p, 1)
	return p[0].apply(text)
}

const header = "--- a/x.go\n+++ b/x.go\n"

func TestPatchReplacesAtItsLine(t *testing.T) {
	got, err := applyText(t, "why this is a bug\n\ndiff --git a/x.go b/x.go\nindex 12..34 100644\n"+header+
		"@@ -2,3 +2,2 @@ func f() {\n two\n-three\n four\n@@ -7 +6,2 @@\n-seven\n+SEVEN\n+and a half\n", original)
	require.NoError(t, err)
	require.Equal(t, "one\ntwo\nfour\nfive\nsix\nSEVEN\nand a half\neight\n", got)
}

func TestPatchFollowsLinesThatMovedIfThereIsOnePlace(t *testing.T) {
	diff := header + "@@ -2,2 +2,2 @@\n two\n-three\n+3\n"
	got, err := applyText(t, diff, "zero\n"+original)
	require.NoError(t, err)
	require.Contains(t, got, "two\n3\nfour\n")

	_, err = applyText(t, diff, "zero\n"+original+original)
	require.ErrorContains(t, err, "its lines stand in 2 places, none of them 2")
	_, err = applyText(t, diff, "nothing\n")
	require.ErrorContains(t, err, "hunk 1 does not apply to x.go: the lines at 2 are others")
}

func TestPatchKeepsAMissingNewline(t *testing.T) {
	got, err := applyText(t, header+"@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n", "a")
	require.NoError(t, err)
	require.Equal(t, "b", got)
	_, err = applyText(t, header+"@@ -1 +1 @@\n-a\n+b\n", "a")
	require.Error(t, err)
}

func TestPatchRefusesWhatItDoesNotUnderstand(t *testing.T) {
	for diff, want := range map[string]string{
		"":                                    "no changes in it",
		"just words\n":                        "no changes in it",
		header:                                "no hunk for x.go",
		"--- a/x.go\n":                        "without its +++ line",
		"--- /dev/null\n+++ b/x.go\n":         "not added or removed",
		"--- a/x.go\n+++ b/y.go\n":            "not added, removed or renamed",
		"--- x.go\n+++ x.go\n":                "relative to the module root",
		"--- a/../x.go\n+++ b/../x.go\n":      "relative to the module root",
		"@@ -1 +1 @@\n-a\n+b\n":               "a hunk before any file",
		header + "@@ -x +1 @@\n-a\n+b\n":      "malformed hunk header",
		header + "@@ -1,2 +1 @@\n-a\n+b\n":    "shorter than its header says",
		header + "@@ -1 +1 @@\n-a\n+b\n+c\n":  "longer than its header says",
		header + "@@ -1,2 +1 @@\n-a\nb\n+c\n": "shorter than its header says",
		header + "@@ -0,0 +1 @@\n+a\n":        "has no place",
	} {
		_, err := parsePatch(diff)
		require.ErrorContains(t, err, want, diff)
	}
}

// The applier agrees with the tool that made the diff, for any two files.
func TestPatchInvertsDiff(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("no git to make diffs with")
	}
	dir := t.TempDir()
	text := rapid.Custom(func(t *rapid.T) string {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "", "-- d", "++ e", "@@ f"}), 1, 12).Draw(t, "lines")
		return strings.Join(lines, "\n") + rapid.SampledFrom([]string{"\n", ""}).Draw(t, "end")
	})
	rapid.Check(t, func(rt *rapid.T) {
		before, after := text.Draw(rt, "before"), text.Draw(rt, "after")
		if before == after || before == "" || after == "" {
			return
		}
		for name, s := range map[string]string{"a": before, "b": after} {
			require.NoError(rt, os.MkdirAll(filepath.Join(dir, name), 0o777))
			require.NoError(rt, os.WriteFile(filepath.Join(dir, name, "x.go"), []byte(s), 0o666))
		}
		cmd := exec.Command("git", "diff", "--no-index", "--no-prefix", "a/x.go", "b/x.go")
		cmd.Dir = dir
		diff, _ := cmd.Output() // exit status 1: there is a difference
		p, err := parsePatch(string(diff))
		if err != nil && strings.Contains(err.Error(), "has no place") {
			return // one side is empty
		}
		require.NoError(rt, err, "%s", diff)
		got, err := p[0].apply(before)
		require.NoError(rt, err, "%s", diff)
		require.Equal(rt, after, got, "%s", diff)
	})
}
