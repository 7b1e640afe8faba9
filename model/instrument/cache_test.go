package instrument

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What is used stays in the cache, whatever its age; what was not used for days goes, unfinished
// copies included, and nothing else; and a second look comes a day later.
func TestCacheIsPruned(t *testing.T) {
	now := time.Now()
	cache := t.TempDir()
	s := &Set{cache: cache}
	age := func(path string, d time.Duration) string {
		require.NoError(t, os.Chtimes(path, now.Add(-d), now.Add(-d)))
		return path
	}
	copied := func(text string) string {
		name, err := s.writeCopy("rewritten", "a.go", []byte(text))
		require.NoError(t, err)
		return filepath.Dir(name)
	}
	tree := func(text string) string {
		dir, err := s.writeTree("workspace", map[string][]byte{"go.mod": []byte(text)})
		require.NoError(t, err)
		return dir
	}
	folder := func(name string) string {
		dir := filepath.Join(cache, "rewritten", name)
		require.NoError(t, os.MkdirAll(dir, 0o777))
		return dir
	}
	const day = 24 * time.Hour
	old := []string{
		age(copied("a"), 6*day), age(tree("a"), 6*day), age(folder(unfinished+"1"), 6*day),
	}
	kept := []string{
		age(copied("b"), 4*day), age(tree("b"), 4*day),
		age(copied("c"), 6*day), age(tree("c"), 6*day), // used below
		age(folder("notes"), 60*day),
		age(folder(strings.Repeat("0", 2*nameBytes-2)), 60*day),
	}
	copied("c")
	tree("c")

	prune(cache, now)
	for _, dir := range old {
		require.NoDirExists(t, dir)
	}
	for _, dir := range kept {
		require.DirExists(t, dir)
	}

	again := age(copied("a"), 6*day)
	prune(cache, now.Add(day-time.Minute))
	require.DirExists(t, again)
	prune(cache, now.Add(day+time.Minute))
	require.NoDirExists(t, again)
}

// A build prunes the cache first, and works on one that was emptied.
func TestBuildPrunesTheCache(t *testing.T) {
	cache := t.TempDir()
	dir := filepath.Join(cache, "rewritten", strings.Repeat("0", 2*nameBytes))
	require.NoError(t, os.MkdirAll(dir, 0o777))
	long := time.Now().Add(-2 * keptFor)
	require.NoError(t, os.Chtimes(dir, long, long))
	_, err := Rewrite(t.Context(), Config{Dir: ".", Patterns: []string{"../wire"}, Cache: cache})
	require.NoError(t, err)
	require.NoDirExists(t, dir)
}
