package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/internal/commandtest"
	"github.com/surewake/surewake/model/driver"
)

const shardPackage = "./testdata/shards"

// shard runs one shard of checks and returns its certificate.
func shard(t *testing.T, dir string, k, n int, args ...string) (file string, a answer) {
	t.Helper()
	file = filepath.Join(dir, fmt.Sprintf("%d-of-%d.json", k, n))
	args = append([]string{
		"check", "-json", "-shard", fmt.Sprintf("%d/%d", k, n), "-shard-out", file,
	}, args...)
	return file, surewake(t, ".", append(args, shardPackage)...)
}

type shardCounts struct {
	verdict, bounded, races string
	complete, deadlocked    int64
	assumed                 string
}

func countsOf(rows []driver.Row) map[string]shardCounts {
	got := map[string]shardCounts{}
	for _, r := range rows {
		got[r.Name] = shardCounts{
			r.Verdict, r.Bounded, r.Races, r.Complete, r.Deadlocked,
			strings.Join(r.Assumptions, "; "),
		}
	}
	return got
}

// All shards together have the result of one process, in whatever order they were run and merged,
// and if some were run twice; none has a proof by itself.
func TestShards(t *testing.T) {
	commandtest.NeedRace(t)
	const checks = "Adds|Small|Choices|Times|Converted"
	rows, _ := surewake(t, ".", "check", "-json", "-run", checks, shardPackage).Rows(t)
	want := countsOf(rows)
	require.Len(t, want, 5)
	require.EqualValues(t, 400, want["TestConverted"].complete)

	dir := t.TempDir()
	var files []string
	var most, sum int64
	for _, k := range []int{2, 3, 1, 2} {
		again := k == 2 && len(files) > 0
		if again {
			dir = t.TempDir()
		}
		file, a := shard(t, dir, k, 3, "-run", checks)
		require.Zero(t, a.Code, "%s", a)
		if rows, _ = a.Rows(t); !again {
			most = max(most, countsOf(rows)["TestAdds"].complete)
			sum += countsOf(rows)["TestAdds"].complete
		}
		for name, c := range countsOf(rows) {
			require.Equal(t, "bounded", c.verdict, name)
			require.Contains(t, c.bounded, fmt.Sprintf("shard %d of 3", k))
		}
		files = append(files, file)
	}
	require.EqualValues(t, 1680, sum)
	require.Less(t, most, int64(1200), "of 1,680 in three shards")
	a := surewake(t, ".", append([]string{"merge", "-json"}, files...)...)
	require.Zero(t, a.Code, "%s", a)
	rows, _ = a.Rows(t)
	require.Equal(t, want, countsOf(rows))
}

// What one shard finds is shown as what one process finds.
func TestShardsFindAFailure(t *testing.T) {
	dir := t.TempDir()
	args := []string{"merge", "-json"}
	failed := 0
	for k := range 2 {
		file, a := shard(t, dir, k+1, 2, "-run", "Fails", "-race=false")
		failed += a.Code
		args = append(args, file)
	}
	require.Positive(t, failed)
	a := surewake(t, ".", args...)
	require.Equal(t, exitFailed, a.Code, "%s", a)
	rows, _ := a.Rows(t)
	require.Len(t, rows, 1)
	require.Equal(t, "FAILED", rows[0].Verdict)
	require.Contains(t, surewake(t, ".", "replay", rows[0].Token).Stdout, "the first came last")
}

// A search that is too small to be divided is judged as it is without shards.
func TestShardOfAHiddenRace(t *testing.T) {
	commandtest.NeedRace(t)
	_, a := shard(t, t.TempDir(), 1, 2, "-run", "HiddenRace")
	require.Equal(t, exitFailed, a.Code, "%s", a)
	require.Contains(t, a.Stdout, "data race")
}

// Merge gives no result if anything is missing, or does not fit.
func TestMergeRefuses(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for k := range 3 {
		file, a := shard(t, dir, k+1, 3, "-run", "Adds|Small", "-race=false")
		require.Zero(t, a.Code, "%s", a)
		files = append(files, file)
	}
	// changed writes a copy of the certificate of a shard that was changed.
	changed := func(k int, change func(*driver.Certificate)) string {
		text, err := os.ReadFile(files[k-1])
		require.NoError(t, err)
		var c driver.Certificate
		require.NoError(t, json.Unmarshal(text, &c))
		change(&c)
		text, err = json.Marshal(c)
		require.NoError(t, err)
		name := filepath.Join(t.TempDir(), "changed.json")
		require.NoError(t, os.WriteFile(name, text, 0o666))
		return name
	}
	adds := func(change func(*driver.Certified)) func(*driver.Certificate) {
		return func(c *driver.Certificate) { change(&c.Checks[0]) }
	}
	damaged := filepath.Join(dir, "damaged.json")
	require.NoError(t, os.WriteFile(damaged, []byte(`{"version":1,"shard":2}`), 0o666))
	for _, c := range []struct {
		want  string
		files []string
	}{
		{"merge wants the certificates", nil},
		{"of 3 shards, these are missing: 2", []string{files[0], files[2]}},
		{"no such file", []string{files[0], filepath.Join(dir, "none.json")}},
		{"shard 2 of 0", []string{files[0], damaged, files[2]}},
		{"say different things", append([]string{changed(2, adds(func(c *driver.Certified) {
			c.Plain[0].Found = []byte(strings.Replace(string(c.Plain[0].Found), `"Complete": `,
				`"Complete": 1`, 1))
		}))}, files...)},
		{"different flags or packages", []string{files[0], files[1], changed(3,
			func(c *driver.Certificate) { c.Asked.Preemptions = 7 })}},
		{"of 4", []string{files[0], files[1], changed(3,
			func(c *driver.Certificate) { c.Shards = 4 })}},
		{"shard 3 has 1", []string{files[0], files[1], changed(3,
			func(c *driver.Certificate) { c.Checks = c.Checks[:1] })}},
		{"of source", []string{files[0], files[1], changed(3,
			adds(func(c *driver.Certified) { c.Source = "0123456789abcdef" }))}},
		{"has no result of a search of TestAdds", []string{files[0], files[1], changed(3,
			adds(func(c *driver.Certified) { c.Plain, c.Verdict = nil, "undecided" }))}},
		{"has no result of a search of TestSmall", []string{changed(1,
			func(c *driver.Certificate) { c.Checks[1].Plain = nil }), files[1], files[2]}},
		{"divided it in different ways", []string{files[0], files[1], changed(3,
			adds(func(c *driver.Certified) { c.Plain[0].Hash = "0" }))}},
		{"with -shard-modes a", []string{files[0], files[1], changed(3,
			adds(func(c *driver.Certified) { c.Plain[0].Modes = "a" }))}},
		{"has version 2", []string{files[0], files[1], changed(3,
			func(c *driver.Certificate) { c.Version = 2 })}},
	} {
		a := surewake(t, ".", append([]string{"merge", "-json"}, c.files...)...)
		require.Equal(t, exitTrouble, a.Code, "%s: %s", c.want, a)
		require.Contains(t, a.Stderr, c.want)
	}

	everywhere := func(change func(*driver.Certified)) (all []string) {
		for k := range 3 {
			all = append(all, changed(k+1, adds(change)))
		}
		return all
	}
	a := surewake(t, ".", append([]string{"merge", "-json"},
		everywhere(func(c *driver.Certified) { c.Source = "0123456789abcdef" })...)...)
	require.Equal(t, exitTrouble, a.Code, "%s", a)
	require.Contains(t, a.Stderr, "merge where the source and surewake are those of the shards")
	a = surewake(t, ".", append([]string{"merge", "-json"},
		everywhere(func(c *driver.Certified) { c.Name = "TestSubs" })...)...)
	require.Equal(t, exitUndecided, a.Code, "%s", a)
	require.Contains(t, a.Stdout, "no certificate has this check")
}

func TestShardUsage(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"-shard 0/3", "want K/N"}, {"-shard 4/3", "want K/N"}, {"-shard 2", "want K/N"},
		{"-shard-out x", "-shard-out is for -shard"},
		{"-shard-modes a", "-shard-modes is for -shard"},
		{"-shard 1/2 -jobs 2", "-jobs"}, {"-shard 1/2 -strategy pct", "-strategy pct"},
		{"-shard 1/2 -test .", "-test"}, {"-shard 1/2 -coverprofile x", "-coverprofile"},
		{"-shard 1/2 -budget 100x", "-budget with a number"}, {"-shard 1/2 -shard-modes A", `"A"`},
	} {
		args := append([]string{"check"}, strings.Fields(c.args)...)
		a := surewake(t, t.TempDir(), append(args, ".")...)
		require.Equal(t, exitTrouble, a.Code, "%s", a)
		require.Contains(t, a.Stderr, c.want, c.args)
	}
}

// The plan has the flags of the checks, and is refused where it could not be run.
func TestShardPlan(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module x\n"), 0o666))
	a := surewake(t, dir, "shard", "-plan", "a/b", "-shards=300", "-image=r.example/c:2",
		"-run=It's|TestB/x y", "-race=false", "-preemptions=2", "-budget=1h", "-time=synctest",
		"-early=1s", "-tags=a,b", "-shard-modes=w", "./p", "./q")
	require.Zero(t, a.Code, "%s", a)
	require.Contains(t, a.Stderr, "no workflow: 300 shards")
	require.Equal(t, "a/b/Containerfile\na/b/shards.yaml\na/b/merge.yaml\n",
		filepath.ToSlash(a.Stdout))
	text, err := os.ReadFile(filepath.Join(dir, "a", "b", "shards.yaml"))
	require.NoError(t, err)
	require.Contains(t, string(text), "`surewake check -budget=1h0m0s -early=1s -preemptions=2 "+
		`-race=false '-run=It'\''s|TestB/x y' -shard-modes=w -tags=a,b -time=synctest ./p ./q`+"`")
	text, err = os.ReadFile(filepath.Join(dir, "a", "b", "Containerfile"))
	require.NoError(t, err)
	require.Contains(t, string(text), "check -early=1s -preemptions=2 -race=false "+
		`'-run=It'\''s|TestB/x y' -tags=a,b -time=synctest -budget=1x ./p ./q`)

	for want, args := range map[string][]string{
		"shard wants -plan FOLDER":              {"./p"},
		"want a folder below that of go.mod":    {"-plan", "../x"},
		"no go.mod in this folder":              {"-C", "a", "-plan", "x"},
		"1 shards: want 2 to 10000":             {"-plan", "x", "-shards=1"},
		"error parsing regexp":                  {"-plan", "x", "-run=("},
		`time "never": want one of`:             {"-plan", "x", "-time=never"},
		"-budget with a number of executions":   {"-plan", "x", "-budget=9x"},
		"what follows ${{":                      {"-plan", "x", "${{ y }}"},
		"flag provided but not defined: -shard": {"-plan", "x", "-shard=1/2"},
	} {
		a := surewake(t, dir, append([]string{"shard"}, args...)...)
		require.Equal(t, exitTrouble, a.Code, "%s", a)
		require.Contains(t, a.Stderr, want)
		require.NoDirExists(t, filepath.Join(dir, "x"))
	}
}
