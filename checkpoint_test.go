package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What has ended is shown again without being run, in every format.
func TestACheckpointOfAllThatHasEnded(t *testing.T) {
	dir := t.TempDir()
	file, page := filepath.Join(dir, "checkpoint"), filepath.Join(dir, "page.html")
	check := func(args ...string) answer {
		args = append([]string{
			"check", "-checkpoint", file, "-race=false", "-run=Small|Fails",
		}, args...)
		return surewake(t, ".", append(args, shardPackage)...)
	}
	first := check("-json")
	require.Equal(t, exitFailed, first.Code, "%s", first)
	require.Empty(t, first.Stderr)
	before, err := os.ReadFile(file)
	require.NoError(t, err)

	again := check("-json", "-html", page, "-jobs=2")
	require.Equal(t, exitFailed, again.Code, "%s", again)
	require.Equal(t, first.Stdout, again.Stdout, "the seconds, too")
	require.Equal(t, "surewake: all has ended before: "+file+
		" has the results (to run the checks again, remove it)\n", again.Stderr)
	html, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Contains(t, string(html), "the first came last")

	log := check("-format=gotest")
	require.Contains(t, log.Stdout, "--- PASS: TestSmall")
	require.Contains(t, log.Stdout, "--- FAIL: TestFails")
	require.Contains(t, log.Stdout, "first.Store(1)", "the picture")
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, before, after)
}

// A checkpoint of something else, and one that cannot be read, is refused and stays as it is.
func TestACheckpointIsRefused(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "checkpoint")
	check := func(args ...string) answer {
		args = append([]string{"check", "-json", "-checkpoint", file}, args...)
		return surewake(t, ".", append(args, shardPackage)...)
	}
	a := check("-race=false", "-run=Small")
	require.Zero(t, a.Code, "%s", a)
	kept, err := os.ReadFile(file)
	require.NoError(t, err)
	refused := func(want string, a answer) {
		t.Helper()
		require.Equal(t, exitTrouble, a.Code, "%s", a)
		require.Empty(t, a.Stdout)
		require.Contains(t, a.Stderr, want)
		now, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, kept, now)
	}
	refused(`-seed was "1", is "2"`, check("-race=false", "-run=Small", "-seed=2"))
	refused(`-race was "false", is "true"`, check("-run=Small"))
	refused(`-budget was "", is "5s"`, check("-race=false", "-run=Small", "-budget=5s"))
	refused(`.TestFails was "", is "there"`, check("-race=false", "-run=Small|Fails"))
	refused(`/testdata/jobs.TestSmall was "", is "there"`,
		check("-race=false", "-run=Small", "./testdata/jobs"))

	whole := kept
	kept = whole[:len(whole)-1]
	require.NoError(t, os.WriteFile(file, kept, 0o666))
	refused("is cut short", check("-race=false", "-run=Small"))
	kept = []byte(strings.Replace(string(whole), `"complete":`, `"complete":1`, 1))
	require.NoError(t, os.WriteFile(file, kept, 0o666))
	refused("is damaged: remove it to begin anew", check("-race=false", "-run=Small"))
	kept = []byte{}
	require.NoError(t, os.WriteFile(file, kept, 0o666))
	refused("is no checkpoint", check("-race=false", "-run=Small"))

	a = surewake(t, ".", "check", "-race=false", "-run=Small",
		"-checkpoint", filepath.Join(dir, "none", "file"), shardPackage)
	require.Equal(t, exitTrouble, a.Code, "%s", a)
	require.Contains(t, a.Stderr, "no such file or directory")
	a = surewake(t, dir, "check", "-checkpoint=x", "-certify=traces", ".")
	require.Equal(t, exitTrouble, a.Code, "%s", a)
	require.Contains(t, a.Stderr, "-checkpoint with -certify")
}
