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

// A binary that has hash/maphash gets the one with fixed keys, with any build tags, and no other.
func TestHashesAreSeededInBinariesThatHaveThem(t *testing.T) {
	for name, file := range map[string]string{
		"maphash": "package t\n\nimport \"hash/maphash\"\n\nvar Seed = maphash.MakeSeed()\n",
		"none":    "package t\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := newModule(t, "-- a.go --\n"+file+"-- a_test.go --\npackage t\n")
			p, err := rewriteModule(t, dir).plan(context.Background(), "example.com/t", false)
			require.NoError(t, err)
			overlay, err := os.ReadFile(p.overlay)
			require.NoError(t, err)
			for _, replaced := range []string{"maphash_runtime.go", "maphash_purego.go"} {
				if name == "none" {
					require.NotContains(t, string(overlay), replaced)
				} else {
					require.Contains(t, string(overlay), replaced)
				}
			}
		})
	}
}
