package driver

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/instrument"
)

// coveredFiles has two files: one of a function with a branch, one of three lines.
func coveredFiles() []instrument.CoveredFile {
	block := func(first, last, stmts int) instrument.Block {
		return instrument.Block{
			StartLine: first, StartCol: 2, EndLine: last + 1, EndCol: 3,
			Stmts: stmts, First: first, Last: last,
		}
	}
	return []instrument.CoveredFile{
		{
			Name: "example.com/ring/b.go", Path: "/src/b.go",
			// The order is not that of the text where a function stands in a statement.
			Blocks: []instrument.Block{
				block(3, 4, 2), block(9, 9, 1), block(6, 7, 2), block(12, 12, 1), block(14, 15, 2),
			},
		},
		{
			Name: "example.com/ring/a.go", Path: "/src/a.go",
			Blocks: []instrument.Block{block(1, 3, 3)},
		},
	}
}

func TestWhatSomeCheckReachesIsReached(t *testing.T) {
	var c collector
	files := coveredFiles()
	b := files[0].Name
	c.add(files, []map[string][]byte{{b: {1, 0, 0, 0, 0}}, {b: {0, 0, 0, 1, 0}}})
	c.add(files[:1], []map[string][]byte{{b: {1, 0, 0, 0, 0}}})
	var profile strings.Builder
	require.NoError(t, c.profile(&profile))
	require.Equal(t, `mode: set
example.com/ring/a.go:1.2,4.3 3 0
example.com/ring/b.go:3.2,5.3 2 1
example.com/ring/b.go:6.2,8.3 2 0
example.com/ring/b.go:9.2,10.3 1 0
example.com/ring/b.go:12.2,13.3 1 1
example.com/ring/b.go:14.2,16.3 2 0
`, profile.String())
	sum := c.coverage(filepath.Base)
	require.Equal(t, &Coverage{
		Statements: 11, Reached: 3,
		Unreached: []Unreached{
			{"a.go", []Lines{{1, 3}}},
			{"b.go", []Lines{{6, 9}, {14, 15}}},
		},
	}, sum)
	require.Equal(t, `executions reached 3 of 11 statements; not those of
    a.go:1-3
    b.go:6-9,14-15
`, sum.text())

	c.add(files, []map[string][]byte{{b: {0, 1, 1, 0, 1}, files[1].Name: {1}}})
	require.Equal(t, "executions reached all 11 statements\n", c.coverage(filepath.Base).text())
	require.Empty(t, c.coverage(filepath.Base).Unreached)
}

func TestLongListsOfUnreachedLinesAreCutShort(t *testing.T) {
	var lines []Lines
	for i := range mostUnreachedLines + 3 {
		lines = append(lines, Lines{2 * i, 2 * i})
	}
	require.True(t, strings.HasSuffix(someLines(lines), ",20,22 and 3 more places"))
	sum := Coverage{Statements: 9}
	for range mostUnreachedFiles + 2 {
		sum.Unreached = append(sum.Unreached, Unreached{"a.go", []Lines{{1, 1}}})
	}
	require.True(t, strings.HasSuffix(sum.text(), "    a.go:1\n    and of 2 more files\n"))
	require.Equal(t, mostUnreachedFiles, strings.Count(sum.text(), "a.go"))
}

func TestWithoutCoveredPackagesTheSummarySaysSo(t *testing.T) {
	var c collector
	require.Contains(t, c.coverage(filepath.Base).text(), "there is nothing to cover")
}
