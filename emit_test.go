package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/internal/commandtest"
	"github.com/surewake/surewake/model/driver"
)

// What surewake says of a regression test is in testdata/verdicts/regressions.

// brokenAndRepaired returns a module with a check that fails and a function that repairs it.
func brokenAndRepaired(t *testing.T) (dir string, repair func()) {
	t.Helper()
	dir = t.TempDir()
	write := anotherModule(t, dir)
	write("count/count.go", `package count

import "sync/atomic"

type counter struct{ n atomic.Int32 }

func (c *counter) add() { c.n.Store(c.n.Load() + 1) }
`)
	write("count/count_test.go", `package count

import (
	"testing"

	"github.com/surewake/surewake/model"
)

func TestCount(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var c counter
		for range 2 {
			x.Go("adder", c.add)
		}
		x.Join()
		x.Assert(c.n.Load() == 2, "n is %d", c.n.Load())
	})
}
`)
	return dir, func() {
		write("count/count.go", `package count

import "sync/atomic"

type counter struct{ n atomic.Int32 }

func (c *counter) add() { c.n.Add(1) }
`)
	}
}

// tokenOf returns the token of the one row that check prints.
func tokenOf(t *testing.T, dir string, args ...string) string {
	t.Helper()
	a := surewake(t, dir, append([]string{"check", "-json"}, args...)...)
	rows, _ := a.Rows(t)
	require.Len(t, rows, 1, "%s", a)
	require.NotEmpty(t, rows[0].Token, "%s", a)
	return rows[0].Token
}

// emitInto has the shell write the test into a file of the package.
func emitInto(t *testing.T, file string, args ...string) {
	t.Helper()
	out, err := os.Create(file)
	require.NoError(t, err)
	defer out.Close()
	var stderr bytes.Buffer
	cmd := exec.Command(command, append([]string{"replay", "-emit-test"}, args...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = filepath.Dir(file), out, &stderr
	require.NoError(t, cmd.Run(), "%s", &stderr)
}

// goTest runs go test in dir.
func goTest(t *testing.T, dir string, args ...string) (output string, passes bool) {
	t.Helper()
	cmd := exec.Command("go", append([]string{"test", "-v", "-count=1"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

func TestARegressionTestOfACheck(t *testing.T) {
	t.Parallel()
	dir, repair := brokenAndRepaired(t)
	token := tokenOf(t, dir, "-race=false", "./...")
	file := filepath.Join(dir, "count", "again_test.go")
	emitInto(t, file, token)

	out, passes := goTest(t, dir, "-run", "TestCountReplay", "./count")
	require.False(t, passes, "%s", out)
	require.Regexp(t, `(?s)its schedule fails.*assertion failed: n is 1.*Load c\.n`, out)
	require.Contains(t, out, "--- FAIL: TestCountReplay")
	a := surewake(t, dir, "check", "-json", "-race=false", "-run", "^TestCountReplay$", "./...")
	rows, _ := a.Rows(t)
	require.Len(t, rows, 1, "%s", a)
	require.Equal(t, driver.Failed, rows[0].Verdict, "%s", a)
	require.Equal(t, "its schedule fails", rows[0].Replayed)
	again := surewake(t, dir, "replay", "-race=false", rows[0].Token)
	require.Contains(t, again.Stdout, "TestCount: the failure shows again", "%s", again)

	repair()
	out, passes = goTest(t, dir, "-run", "TestCountReplay", "./count")
	require.True(t, passes, "%s", out)
	require.Contains(t, out, "its schedule passes")
	if commandtest.CanRace(t) {
		require.Regexp(t, `TestCountReplay +proved`, out)
	}
}

// Of an ordinary test in a module that does not know of the checker.
func TestARegressionTestOfAnOrdinaryTest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	const broken = `package other

import (
	"sync"
	"testing"
)

func TestPair(t *testing.T) {
	t.Run("of two", func(t *testing.T) {
		var a, b sync.Mutex
		var both sync.WaitGroup
		both.Go(func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() })
		both.Go(func() { b.Lock(); a.Lock(); a.Unlock(); b.Unlock() })
		both.Wait()
	})
}
`
	write("go.mod", "module example.com/other\n\ngo 1.25.0\n")
	write("pair_test.go", broken)
	token := tokenOf(t, dir, "-race=false", "-test", "TestPair/.", "./...")
	emitInto(t, filepath.Join(dir, "again_test.go"), token)
	out, passes := goTest(t, dir, "-run", "TestPairReplay")
	require.False(t, passes, "%s", out)
	require.Regexp(t, `(?s)its schedule fails.*deadlock: `, out)

	write("pair_test.go", strings.Replace(broken, "b.Lock(); a.Lock()", "a.Lock(); b.Lock()", 1))
	out, passes = goTest(t, dir, "-run", "TestPairReplay")
	require.True(t, passes, "%s", out)
	require.Contains(t, out, "its schedule")
	// It has a row like any other test, and is not explored itself.
	a := surewake(t, dir, "check", "-json", "-race=false", "-test", ".", "./...")
	rows, _ := a.Rows(t)
	require.Len(t, rows, 2, "%s", a)
	require.Equal(t, driver.Bounded, byName(rows)["TestPairReplay"].Verdict, "%s", a)
	require.Equal(t, "races not checked", byName(rows)["TestPairReplay"].Bounded, "%s", a)
}

// What only the race detector objects to fails again, too.
func TestARegressionTestOfARace(t *testing.T) {
	commandtest.NeedRace(t)
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	write("go.mod", "module example.com/other\n\ngo 1.25.0\n")
	write("race_test.go", `package other

import (
	"sync/atomic"
	"testing"
)

func TestRace(t *testing.T) {
	var full atomic.Bool
	n := make([]int, 1)
	go func() { full.Store(true); n[0] = 1 }()
	if full.Load() {
		n[0] = 2
	}
}
`)
	emitInto(t, filepath.Join(dir, "again_test.go"), tokenOf(t, dir, "-test", ".", "./..."))
	out, passes := goTest(t, dir, "-run", "TestRaceReplay")
	require.False(t, passes, "%s", out)
	require.Regexp(t, `(?s)its schedule fails.*WARNING: DATA RACE`, out)
}

// The file fits the package: its clause, its constraints, the names that it has.
func TestTheFileOfARegressionTestFitsThePackage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	write("go.mod", "module example.com/other\n\ngo 1.25.0\n")
	write("other.go", "package other\n\nvar N int\n")
	write("not_built.go", "//go:build never\n\npackage broken {\n")
	write("far_test.go", `//go:build !never && special

package other_test

import tst "testing"

const exec, testing = 1, 2

func TestChosen(t *tst.T) {
	done := make(chan int)
	go func() { done <- 1 }()
	select {
	case <-done:
		t.Error("a line\n\nanother */ \x00 \xff // line")
	default:
	}
}

type TestChosenReplay struct{}
`)
	token := tokenOf(t, dir, "-race=false", "-tags", "special", "-early", "2s", "-test", ".",
		"./...")
	file := filepath.Join(dir, "again_test.go")
	emitInto(t, file, "-tags", "special", "-early", "2s", token)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Regexp(t, `^//go:build !never && special\n\npackage other_test\n`, string(text))
	require.Contains(t, string(text),
		`"-tags", "special", "-early", "2s", "-test", "^TestChosenReplay2$"`)
	fmted, err := exec.Command("gofmt", "-l", file).CombinedOutput()
	require.NoError(t, err, "%s", fmted)
	require.Empty(t, string(fmted))
	out, passes := goTest(t, dir, "-tags", "special", "-run", "TestChosenReplay2")
	require.False(t, passes)
	require.Contains(t, out, "its schedule fails")
	out, passes = goTest(t, dir)
	require.True(t, passes, "the constraint holds for it as well: %s", out)
}

// Of the files that declare the test, that counts which is built: not one for other tags or for
// another system.
func TestTheFileOfARegressionTestIsBuiltWhereItsTestIs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	write("go.mod", "module example.com/other\n\ngo 1.25.0\n")
	write("other.go", "package other\n")
	const text = "%spackage %s\n\nimport \"testing\"\n\n" +
		"func TestChosen(t *testing.T) { t.Error(\"chosen\") }\n"
	write("a_plan9_test.go", fmt.Sprintf(text, "", "other"))
	write("b_test.go", fmt.Sprintf(text, "//go:build !special\n\n", "other"))
	write("c_test.go", fmt.Sprintf(text, "//go:build special\n\n", "other_test"))
	for tags, want := range map[string]string{
		"":             "//go:build !special\n\npackage other\n",
		"more,special": "//go:build special\n\npackage other_test\n",
	} {
		token := tokenOf(t, dir, "-race=false", "-tags", tags, "-test", ".", "./...")
		file := filepath.Join(dir, "again_test.go")
		emitInto(t, file, "-tags", tags, token)
		emitted, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, want, string(emitted[:min(len(want), len(emitted))]))
		require.NoError(t, os.Remove(file))
	}
}

func TestNoRegressionTestOfAnExecutionThatPasses(t *testing.T) {
	t.Parallel()
	dir, _ := brokenAndRepaired(t)
	token := tokenOf(t, dir, "-race=false", "./...")
	token = token[:strings.LastIndex(token, ":")] + ":0"
	a := surewake(t, dir, "replay", "-race=false", token, "-emit-test")
	require.Equal(t, exitTrouble, a.Code, "%s", a)
	require.Empty(t, a.Stdout)
	require.Contains(t, a.Stderr, "-emit-test wants the token of an execution that fails; of this "+
		"one: this execution passes")
}

// Where the module has the tool the test starts that, whatever printed it.
func TestTheCommandOfARegressionTest(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("go.mod", []byte("module a\n\ntool "+modulePath+"\n"), 0o666))
	require.NoError(t, os.Mkdir("inside", 0o777))
	require.Equal(t, []string{"go", "tool", "surewake"}, selfAnywhere("./surewake", "inside"))

	require.NoError(t, os.WriteFile("go.mod", []byte("module a\n"), 0o666))
	require.Equal(t, []string{"go", "run", modulePath},
		selfAnywhere("/tmp/go-build123/b001/exe/surewake", "inside"))
	own, err := os.Executable()
	require.NoError(t, err)
	require.Equal(t, []string{own}, selfAnywhere("./surewake", "inside"))
	t.Setenv("PATH", filepath.Dir(own))
	require.Equal(t, []string{filepath.Base(own)}, selfAnywhere("./surewake", "inside"))
}
