package instrument

import (
	"context"
	"encoding/json"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Package sync of this release of Go is one of which Put can be made to drop what it is given.
func TestPutCanBeMadeToDrop(t *testing.T) {
	name := filepath.Join(build.Default.GOROOT, "src", "sync", "pool.go")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	dropping, err := withoutPut(string(text))
	require.NoError(t, err)
	require.NotEqual(t, string(text), dropping)
	_, err = parser.ParseFile(token.NewFileSet(), name, dropping, parser.AllErrors)
	require.NoError(t, err)

	_, err = withoutPut("package sync\n")
	require.ErrorContains(t, err, "no method Put of Pool")
}

// Pools drop what is put where the race detector watches, and nowhere else.
func TestPoolsDropUnderTheRaceDetector(t *testing.T) {
	dir := newModule(t, "-- a.go --\npackage t\n\nimport _ \"encoding/json\"\n"+
		"-- a_test.go --\npackage t\n")
	for _, race := range []bool{false, true} {
		p, err := rewriteModule(t, dir).planned(context.Background(), "example.com/t", race)
		require.NoError(t, err)
		text, err := os.ReadFile(p.overlay)
		require.NoError(t, err)
		var overlay struct{ Replace map[string]string }
		require.NoError(t, json.Unmarshal(text, &overlay))
		pool := overlay.Replace[filepath.Join(build.Default.GOROOT, "src", "sync", "pool.go")]
		if !race {
			require.Empty(t, pool)
			continue
		}
		text, err = os.ReadFile(pool)
		require.NoError(t, err)
		require.Contains(t, string(text), "Put(x any) {\n\tif race.Enabled {\n\t\treturn")
	}
}
