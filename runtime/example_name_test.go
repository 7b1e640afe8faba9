package runtime_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Examples import the package by the name that the pages use.
func TestExamplesUseOneName(t *testing.T) {
	names, err := filepath.Glob("example*_test.go")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NotContains(t, string(text), "\t\"github.com/surewake/surewake/runtime\"\n", name)
	}
}
