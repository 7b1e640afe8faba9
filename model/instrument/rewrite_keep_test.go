package instrument

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file whose only use of a package was a function that became a hook needs another one.
func TestEachPackageWithHooksHasATypeThatKeepsItsImport(t *testing.T) {
	names := slices.Concat(slices.Collect(maps.Keys(hookedFuncs)),
		slices.Collect(maps.Keys(renamedFuncs)), slices.Collect(maps.Keys(futexCalls)))
	for path := range hookedMethods {
		names = append(names, path+".")
	}
	require.NotEmpty(t, names)
	for _, name := range names {
		path := name[:strings.LastIndexByte(name, '.')]
		require.NotEmpty(t, keepTypes[path], "keepTypes has no entry for %s", name)
	}
}
