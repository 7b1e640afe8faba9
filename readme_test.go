package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// picture matches what the command draws below the summary row, up to the token.
var picture = regexp.MustCompile(`(?s)    assertion failed: overdrawn.*\n     failed: [^\n]*\n     passes: [^\n]*\n`)

func TestTheProgramOfREADMEFailsWithThePictureShownThere(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)

	program, err := os.ReadFile("testdata/readme/account_test.go")
	require.NoError(t, err)
	_, buggy, _ := strings.Cut(string(program), ")\n\ntype account")
	require.Contains(t, string(readme), "type account"+buggy)

	a := surewake(t, ".", "check", "./testdata/readme")
	require.Equal(t, exitFailed, a.Code, a)
	drawn := picture.FindString(a.Stdout)
	require.NotEmpty(t, drawn, a.Stdout)
	require.Contains(t, string(readme), drawn)
}

func TestTheRepairOfREADMEIsProved(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	repair := regexp.MustCompile(`(?s)func \(a \*account\) withdraw[^\x60]*CompareAndSwap[^\x60]*`).
		FindString(string(readme))
	require.NotEmpty(t, repair)

	program, err := os.ReadFile("testdata/readme/account_test.go")
	require.NoError(t, err)
	bug := regexp.MustCompile(`(?s)func \(a \*account\) withdraw.*?\n}\n`)
	repaired := bug.ReplaceAllLiteralString(string(program), repair)
	require.Contains(t, repaired, "CompareAndSwap")

	dir, err := os.MkdirTemp("testdata", "readme-repaired-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a_test.go"), []byte(repaired), 0o600))
	a := surewake(t, ".", "check", "./"+dir)
	require.Equal(t, exitOK, a.Code, a)
	require.Regexp(t, `TestNeverOverdrawn +proved`, a.Stdout)
}
