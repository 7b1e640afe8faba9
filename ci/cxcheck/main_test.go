package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis/analysistest"
)

// The comments in testdata say where what is reported. A directive without a reason excepts
// nothing.
func TestCxOfSomebodyElseIsReported(t *testing.T) {
	analysistest.Run(t, analysistest.TestData(), analyzer, "a")
}

// The program works by itself and as a tool of go vet, and both say the same of the same package.
func TestByItselfAndFromGoVet(t *testing.T) {
	tool := filepath.Join(t.TempDir(), "cxcheck")
	out, err := exec.Command("go", "build", "-o", tool, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	text, err := os.ReadFile("testdata/src/a/a.go")
	require.NoError(t, err)
	want := strings.Count(string(text), "// want ")
	for name, args := range map[string][]string{
		"by itself": {tool}, "go vet": {"go", "vet", "-vettool=" + tool},
	} {
		out, err := exec.Command(args[0], append(args[1:], "../../examples/pool")...).
			CombinedOutput()
		require.NoError(t, err, "%s: %s", name, out)
		out, err = exec.Command(args[0], append(args[1:], "./testdata/src/a")...).CombinedOutput()
		require.Error(t, err, name)
		require.Contains(t, string(out), "a.go:18:10: cx must not be used on another goroutine", name)
		require.Contains(t, string(out), "is the Cx of another task", name)
		require.Equal(t, want, strings.Count(string(out), " Cx of "), "%s: %s", name, out)
	}
}
