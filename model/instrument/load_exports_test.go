package instrument

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const aCheckOnly = `-- a.go --
package t

import "sync"

var Pool sync.Pool
-- a_test.go --
package t

import (
	"testing"

	"github.com/surewake/surewake/model"
)

func TestPool(t *testing.T) { model.Check(t, func(*model.Exec) { Pool.Get() }) }
`

// Compiling is most of what a first check takes: the export data from which packages are
// type-checked is that of the build that follows.
func TestABuildFindsTheLibraryCompiled(t *testing.T) {
	ctx := context.Background()
	set := lean(t, newModule(t, aCheckOnly), ".")
	for _, race := range []bool{false, true} {
		l, root, err := set.rootOf(ctx, "example.com/t", race)
		require.NoError(t, err)
		p, err := set.planned(ctx, "example.com/t", race)
		require.NoError(t, err)
		of := set.session(ctx, l, root).exports
		args := []string{"list", "-export", "-f", "{{.ImportPath}}\t{{.Export}}",
			"-overlay=" + p.overlay}
		if race {
			args = append(args, raceFlags()...)
		}
		out, err := set.goCmd(ctx, append(args, "sync", "testing", "hash/maphash", modelPath)...)
		require.NoError(t, err)
		for line := range strings.Lines(string(out)) {
			path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
			require.NotEmpty(t, file)
			require.Equal(t, file, of[path], "%s, race %v", path, race)
		}
	}
}

// The tests of the checker itself import far more than a check does.
func TestTestsOfTheCheckerAreNotListed(t *testing.T) {
	set := lean(t, newModule(t, aCheckOnly), ".")
	require.Contains(t, set.plain.pkgs, hookPath)
	for _, path := range []string{hookPath + ".test", "net/http"} {
		require.NotContains(t, set.plain.pkgs, path)
	}
	ordinary := rewriteModule(t, newModule(t, "-- a.go --\npackage t\n-- a_test.go --\npackage t\n"))
	require.Contains(t, ordinary.plain.pkgs, hookPath)
	require.NotContains(t, ordinary.plain.pkgs, hookPath+".test")
}
