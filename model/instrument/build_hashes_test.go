package instrument

import (
	"context"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The plain implementation of hash/maphash that this release of Go has is one whose keys can be
// fixed.
func TestTheKeysOfHashesCanBeFixed(t *testing.T) {
	name := filepath.Join(build.Default.GOROOT, "src", hashes, "maphash_purego.go")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	fixed := withFixedKeys(string(text))
	require.NotContains(t, fixed, "crypto/rand")
	require.NotContains(t, fixed, "rand.Read")
	require.NotContains(t, fixed, "go:build")
	require.Contains(t, fixed, "var drawn uint64")
	_, err = parser.ParseFile(token.NewFileSet(), name, fixed, parser.AllErrors)
	require.NoError(t, err)
}

// A binary has the hash/maphash with fixed keys, with any build tags, and no other.
func TestHashesAreSeeded(t *testing.T) {
	dir := newModule(t, "-- a.go --\npackage t\n-- a_test.go --\npackage t\n")
	set := rewriteModule(t, dir)
	for _, race := range []bool{false, true} {
		p, err := set.plan(context.Background(), "example.com/t", race)
		require.NoError(t, err)
		overlay, err := os.ReadFile(p.overlay)
		require.NoError(t, err)
		for _, replaced := range []string{"maphash_runtime.go", "maphash_purego.go"} {
			require.Contains(t, string(overlay), replaced)
		}
	}
}
