//go:build unix

package driver

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/instrument"
)

// What goes on after the tests, or leaves a child behind that keeps the output open, is ended: Go's
// limit is one of the tests. Nobody is said to object.
func TestATestBinaryThatDoesNotEndIsEnded(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"sleep 100", "sleep 100 & exit 1"} {
		dir := t.TempDir()
		program := filepath.Join(dir, "plain.test")
		require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\n"+script+"\n"), 0o777))
		g := &together{pkg: instrument.Package{Dir: dir}, plain: program, limit: time.Second}
		begin := time.Now()
		killer, _ := g.test(context.Background(), "TestX", 1)
		require.Empty(t, killer, script)
		require.Less(t, time.Since(begin), 50*time.Second, script)
	}
}

// A test that tells a function from one that calls a copy is asked about each mutant alone.
func TestWhoSeesCopiesIsAskedAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "p_test.go"), []byte(`package p

import (
	"os/exec"
	"testing"
)

func TestCounts(t *testing.T) { counts() }

func counts() { testing.AllocsPerRun(1, func() {}) }

func TestRuns(t *testing.T) { _ = exec.Command("a").Run() }

func TestAdds(t *testing.T) { adds() }

func adds() {}
`), 0o666))
	g := &together{pkg: instrument.Package{Dir: dir}}
	for suspect, shares := range map[string]bool{
		"TestCounts": false, "TestRuns": false, "TestAdds": true, "": false,
	} {
		require.Equal(t, shares, g.shares(candidate{suspect: suspect}), suspect)
	}
	none := (*together)(nil)
	require.False(t, none.shares(candidate{suspect: "TestAdds"}), "too few for a build")
	g = &together{pkg: instrument.Package{Dir: dir, Checks: []string{"TestCounts"}}}
	require.True(t, g.shares(candidate{suspect: "TestCounts"}), "a check")
}
