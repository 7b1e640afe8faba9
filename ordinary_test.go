package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/driver"
	"github.com/surewake/surewake/model/wire"
)

// What -test says of ordinary tests one by one is in testdata/verdicts/ordinary.

func byName(rows []driver.Row) map[string]driver.Row {
	named := map[string]driver.Row{}
	for _, r := range rows {
		named[r.Name] = r
	}
	return named
}

func TestSubtestsThatAreAskedForHaveRowsOfTheirOwn(t *testing.T) {
	t.Parallel()
	a := surewake(t, ".", "check", "-json", "-test", "TestTable/.", "./testdata/bad/table")
	rows, sum := a.rows(t)
	named := byName(rows)
	require.Len(t, rows, 2, "%s", a)
	require.NotEqual(t, driver.Failed, named["TestTable/atomic"].Verdict)
	require.NotZero(t, named["TestTable/atomic"].Complete)
	require.Len(t, sum.Skipped, 1)
	require.Equal(t, "TestTable/skipped", sum.Skipped[0].Name)
	require.Equal(t, "nothing to do", sum.Skipped[0].Message)
	require.NotZero(t, sum.Skipped[0].Line)

	lost := named["TestTable/lost"]
	require.Equal(t, driver.Failed, lost.Verdict)
	require.Contains(t, lost.Message, "table_test.go:30: n is 1")
	again := surewake(t, ".", "replay", lost.Token)
	require.Equal(t, 1, again.code, "%s", again)
	require.Contains(t, again.stdout, "TestTable/lost: the failure shows again")

	whole := surewake(t, ".", "check", "-json", "-test", "^TestTable$", "./testdata/bad/table")
	rows, _ = whole.rows(t)
	require.Equal(t, driver.Failed, byName(rows)["TestTable"].Verdict, "%s", whole)
	again = surewake(t, ".", "replay", byName(rows)["TestTable"].Token)
	require.Equal(t, 1, again.code, "%s", again)
	require.Contains(t, again.stdout, "TestTable: the failure shows again")
}

// A row must not stand for a subtest that did not run.
func TestSubtestsThatDoNotAlwaysRunAreNotProved(t *testing.T) {
	t.Parallel()
	a := surewake(t, ".", "check", "-json", "-test", "TestDependent/.", "./testdata/bad/table")
	rows, _ := a.rows(t)
	require.Len(t, rows, 2, "%s", a)
	second := byName(rows)["TestDependent/second"]
	require.Equal(t, driver.Undecided, second.Verdict)
	require.Contains(t, second.Message, "does not run when the others of the test are left out")

	a = surewake(t, ".", "check", "-json", "-test", "TestRare/.", "./testdata/bad/table")
	rows, _ = a.rows(t)
	require.Len(t, rows, 3, "%s", a)
	for _, name := range []string{"TestRare/early", "TestRare/late"} {
		require.Equal(t, driver.Failed, byName(rows)[name].Verdict, "%s", a)
	}
}

func TestOrdinaryTestsThatDoNotRunAreUndecided(t *testing.T) {
	t.Parallel()
	a := surewake(t, ".", "check", "-json", "-test", ".", "./testdata/bad/unrun")
	rows, _ := a.rows(t)
	require.Len(t, rows, 1, "%s", a)
	require.Equal(t, 3, a.code)
	require.Equal(t, driver.Undecided, rows[0].Verdict)
	require.Equal(t, wire.KindRefused, rows[0].Kind)
	require.Contains(t, rows[0].Message, "TestMain")
}
