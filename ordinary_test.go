package main

import (
	"fmt"
	"os"
	"path/filepath"
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
	rows, sum := a.Rows(t)
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
	require.Equal(t, 1, again.Code, "%s", again)
	require.Contains(t, again.Stdout, "TestTable/lost: the failure shows again")

	whole := surewake(t, ".", "check", "-json", "-test", "^TestTable$", "./testdata/bad/table")
	rows, _ = whole.Rows(t)
	require.Equal(t, driver.Failed, byName(rows)["TestTable"].Verdict, "%s", whole)
	again = surewake(t, ".", "replay", byName(rows)["TestTable"].Token)
	require.Equal(t, 1, again.Code, "%s", again)
	require.Contains(t, again.Stdout, "TestTable: the failure shows again")
}

// A row must not stand for a subtest that did not run.
func TestSubtestsThatDoNotAlwaysRunAreNotProved(t *testing.T) {
	t.Parallel()
	a := surewake(t, ".", "check", "-json", "-test", "TestDependent/.", "./testdata/bad/table")
	rows, _ := a.Rows(t)
	require.Len(t, rows, 2, "%s", a)
	second := byName(rows)["TestDependent/second"]
	require.Equal(t, driver.Undecided, second.Verdict)
	require.Contains(t, second.Message, "does not run when the others of the test are left out")

	a = surewake(t, ".", "check", "-json", "-test", "TestRare/.", "./testdata/bad/table")
	rows, _ = a.Rows(t)
	require.Len(t, rows, 3, "%s", a)
	for _, name := range []string{"TestRare/early", "TestRare/late"} {
		require.Equal(t, driver.Failed, byName(rows)[name].Verdict, "%s", a)
	}
}

// A module that imports a part and not the checker, and is tidy: its go.mod does not name what the
// checker needs, and stays as it is.
func TestOrdinaryTestsOfAModuleThatImportsAPart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	here, err := os.Getwd()
	require.NoError(t, err)
	gosum, err := os.ReadFile("go.sum")
	require.NoError(t, err)
	gomod := "module example.com/other\n\ngo 1.25.0\n\nrequire " + modulePath + " v0.0.0\n\n" +
		"replace " + modulePath + " => " + here + "\n"
	for name, text := range map[string]string{
		"go.mod": gomod, "go.sum": string(gosum),
		"a_test.go": `package other

import (
	"testing"

	"github.com/surewake/surewake/deque"
)

func TestStealing(t *testing.T) {
	d, mine := deque.New[int](4), deque.New[int](4)
	d.PushBatch([]int{1, 2})
	stolen := make(chan bool)
	go func() {
		_, result := d.StealInto(mine)
		stolen <- result == deque.Stolen
	}()
	_, popped := d.Pop()
	if !<-stolen || !popped {
		t.Error("two values, and one of two takers has none")
	}
}
`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	a := surewake(t, dir, "check", "-json", "-test", ".", "./...")
	rows, _ := a.Rows(t)
	require.Len(t, rows, 1, "%s", a)
	require.Equal(t, driver.Failed, rows[0].Verdict, "a contended steal: %s", a)

	again := surewake(t, dir, "replay", rows[0].Token)
	require.Equal(t, 1, again.Code, "%s", again)
	require.Contains(t, again.Stdout, "the failure shows again")
	after, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	require.NoError(t, err)
	require.Equal(t, gomod, string(after))
}

// A module that does not require the checker is checked as it lies there, and a token of it is
// replayed.
func TestOrdinaryTestsOfAnotherModule(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("go.mod", "module example.com/other\n\ngo 1.24\n")
	write("a_test.go", `package other

import (
	"sync/atomic"
	"testing"
)

func TestLost(t *testing.T) {
	var n atomic.Int64
	done := make(chan bool)
	go func() {
		n.Store(n.Load() + 1)
		close(done)
	}()
	n.Store(n.Load() + 1)
	<-done
	if n.Load() != 2 {
		t.Errorf("n is %d", n.Load())
	}
}
`)
	a := surewake(t, dir, "check", "-json", "-test", ".", "./...")
	rows, _ := a.Rows(t)
	require.Len(t, rows, 1, "%s", a)
	require.Equal(t, driver.Failed, rows[0].Verdict)
	require.Equal(t, "a_test.go:18", fmt.Sprintf("%s:%d", rows[0].File, rows[0].Line))
	require.Contains(t, rows[0].Message, "n is 1")

	again := surewake(t, dir, "replay", rows[0].Token)
	require.Equal(t, 1, again.Code, "%s", again)
	require.Contains(t, again.Stdout, "the failure shows again")

	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 2)

	a = surewake(t, dir, "check", "./...")
	require.Equal(t, 2, a.Code, "%s", a)
	require.Contains(t, a.Stderr, "go get -tool "+modulePath)
}

func TestOrdinaryTestsThatDoNotRunAreUndecided(t *testing.T) {
	t.Parallel()
	a := surewake(t, ".", "check", "-json", "-test", ".", "./testdata/bad/unrun")
	rows, _ := a.Rows(t)
	require.Len(t, rows, 1, "%s", a)
	require.Equal(t, 3, a.Code)
	require.Equal(t, driver.Undecided, rows[0].Verdict)
	require.Equal(t, wire.KindRefused, rows[0].Kind)
	require.Contains(t, rows[0].Message, "TestMain")
}
