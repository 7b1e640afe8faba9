//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What replay -debug prints starts a binary that runs the schedule of the token, with the source of
// the user. Here the debugger only starts it; ci/readers has a real one.
func TestBinaryForADebugger(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a binary")
	}
	dir, _ := brokenAndRepaired(t)
	rows, _ := surewake(t, dir, "check", "-json", "-race=false", "./count").Rows(t)
	require.Len(t, rows, 1)
	file := filepath.Join(t.TempDir(), "it's.test")
	a := surewake(t, dir, "replay", "-debug", file, rows[0].Token)
	require.Zero(t, a.Code, a)

	bin := t.TempDir()
	fake := "#!/bin/sh\nshift\nfile=$1\nshift 2\nexec \"$file\" \"$@\"\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "dlv"), []byte(fake), 0o777))
	cmd := exec.Command("sh", "-c", a.Stdout)
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "assertion failed: n is 1")
	require.Equal(t, 1, strings.Count(string(out), "--- FAIL: TestCount"))

	lines, err := exec.Command("go", "tool", "objdump", "-s", `\(\*counter\).add$`, file).Output()
	require.NoError(t, err)
	require.Contains(t, string(lines), "count.go:7", "the lines are those of the source")

	a = surewake(t, dir, "replay", "-debug", bin, rows[0].Token)
	require.Equal(t, 2, a.Code, a)
	require.Contains(t, a.Stderr, "is a folder")
	a = surewake(t, dir, "replay", "-debug", file, "-emit-test", rows[0].Token)
	require.Equal(t, 2, a.Code, a)
	require.Contains(t, a.Stderr, "-debug runs nothing")
}
