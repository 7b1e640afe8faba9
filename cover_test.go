package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/internal/commandtest"
	"github.com/surewake/surewake/model/driver"
)

const coveredCounter = `package count

import "sync/atomic"

type Counter struct{ n atomic.Int64 }

func (c *Counter) Add(by int64) {
	if by < 0 {
		c.n.Store(0)
		panic("negative")
	} else if by == 0 {
		return
	}
	c.n.Add(by)
}

func (c *Counter) Get() int64 { return c.n.Load() }

func (c *Counter) Unused() int64 {
	n := c.n.Load()
	return n
}
`

const coveredChecks = `package count_test

import (
	"testing"

	cover "example.com/other/blocks"
	"example.com/other/count"
	"github.com/surewake/surewake/model"
)

func TestAdd(t *testing.T) {
	cover.Before()
	for _, by := range []int64{0, 2} {
		t.Run("", func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				var c count.Counter
				x.Go("adder", func() { c.Add(by) })
				x.Join()
				if c.Get() == 7 {
					c.Unused()
				}
			})
		})
	}
}
`

// A check of the package that has every construct.
const coveredBlocks = `package cover

import (
	"testing"

	"github.com/surewake/surewake/model"
)

func TestBlocks(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		for n := range 5 {
			x.Assert(elses(n) > 0, "n is %d", n)
		}
	})
}
`

// A check whose body goes on when the others have ended.
const certifiedCheck = `package count_test

import (
	"testing"

	"example.com/other/count"
	"github.com/surewake/surewake/model"
)

func TestAdd(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var c count.Counter
		x.Go("adder", func() { c.Add(1) })
		c.Add(1)
		x.Join()
		x.Assert(c.Get() == 2, "an addition is lost")
	})
}
`

// A check is proved with traces as without: its plain run and its race run have the same steps.
func TestCertifyLeavesTheVerdictAsItIs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := anotherModule(t, dir)
	write("count/count.go", coveredCounter)
	write("count/count_test.go", certifiedCheck)
	a := surewake(t, dir, "check", "-json", "-certify", "traces", "./count")
	require.Equal(t, exitOK, a.Code, "%s", a)
	rows, _ := a.Rows(t)
	require.Len(t, rows, 1)
	if commandtest.CanRace(t) {
		require.Equal(t, driver.Proved, rows[0].Verdict, "%+v", rows[0])
	}
	traces, err := os.ReadDir(filepath.Join(dir, "traces"))
	require.NoError(t, err)
	require.Len(t, traces, 1)
}

// The profile has what the executions of all checks reached: subtests, several packages, and the
// check of one package that runs code of another.
func TestCoverprofileHasWhatSomeExecutionReached(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := anotherModule(t, dir)
	all, err := os.ReadFile("model/instrument/testdata/cover/blocks.go")
	require.NoError(t, err)
	write("count/count.go", coveredCounter)
	write("count/count_test.go", coveredChecks)
	write("blocks/blocks.go", string(all))
	write("blocks/before.go", "package cover\n\nfunc Before() { before++ }\n\nvar before int\n")
	write("blocks/blocks_test.go", coveredBlocks)

	a := surewake(t, dir, "check", "-json", "-coverprofile", "c.out", "./...")
	require.Equal(t, exitOK, a.Code, "%s", a)
	rows, sum := a.Rows(t)
	require.Len(t, rows, 3)
	for _, r := range rows {
		if commandtest.CanRace(t) {
			require.Equal(t, driver.Proved, r.Verdict, "%+v", r)
		}
	}
	unreached := map[string][]driver.Lines{}
	for _, u := range sum.Coverage.Unreached {
		unreached[u.File] = u.Lines
	}
	require.Equal(t, []driver.Lines{{First: 9, Last: 10}, {First: 20, Last: 21}},
		unreached["count/count.go"])
	require.Equal(t, []driver.Lines{{First: 3, Last: 3}}, unreached["blocks/before.go"],
		"it ran before the executions only")
	require.NotContains(t, unreached, "count/count_test.go")

	cmd := exec.Command("go", "tool", "cover", "-func=c.out")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	percent := map[string]string{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		percent[words[1]] = words[2]
	}
	require.Equal(t, "66.7%", percent["Add"], "%s", out)
	require.Equal(t, "100.0%", percent["Get"])
	require.Equal(t, "0.0%", percent["Unused"])
	require.Equal(t, "100.0%", percent["call"])
	require.Equal(t, "0.0%", percent["labels"])
	require.Equal(t, "0.0%", percent["Before"])
}

func TestCoverprofileThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "missing", "c.out")
	a := surewake(t, ".", "check", "-coverprofile", name, "./deque")
	require.Equal(t, exitTrouble, a.Code, "%s", a)
	require.Contains(t, a.Stderr, "coverprofile "+name)

	name = filepath.Join(t.TempDir(), "c.out")
	a = surewake(t, ".", "check", "-coverprofile", name, "./testdata/bad/broken")
	require.Equal(t, exitTrouble, a.Code, "%s", a)
	require.NoFileExists(t, name, "nothing was checked")
}
