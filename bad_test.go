package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/driver"
)

// The packages below testdata/bad are wrong on purpose, each in its own way.

func TestNothingIsCheckedOfWhatDoesNotBuild(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, want string }{
		{"check ./testdata/bad/broken", "broken.go:4:23: undefined: nothing"},
		{"check -json ./testdata/bad/broken", "broken.go:4:23: undefined: nothing"},
		{"check ./testdata/bad/brokentest", "brokentest_test.go:10:"},
		{"mutants ./testdata/bad/broken", "broken.go:4:23: undefined: nothing"},
		{"check ./testdata/bad/nochecks", "no checks in github.com/surewake/surewake/testdata/bad/nochecks (a check is a Test function that calls model.Check)"},
		{"mutants ./testdata/bad/nochecks", "no mutants (testdata/mutants/*.mutant) in github.com/surewake/surewake/testdata/bad/nochecks"},
		{"check ./testdata/bad/absent", "testdata/bad/absent"},
		{"check ./testdata/bad/absent/...", "testdata/bad/absent/"},
		{"check ./testdata/...", "the patterns match no packages"},
		{"check -run Absent ./testdata/bad/lostupdate", "-run Absent matches no check; there are TestCount"},
	} {
		a := surewake(t, ".", strings.Fields(c.args)...)
		require.Equal(t, 2, a.code, "%s\n%s", c.args, a)
		require.Empty(t, a.stdout, c.args)
		require.Contains(t, a.stderr, c.want, c.args)
	}
}

// badRows checks one of the packages and returns its rows by name.
func badRows(t *testing.T, pkg string) map[string]driver.Row {
	t.Helper()
	a := surewake(t, ".", "check", "-json", "./testdata/bad/"+pkg)
	require.Equal(t, 1, a.code, "%s", a)
	rows, _ := a.rows(t)
	byName := map[string]driver.Row{}
	for _, r := range rows {
		byName[r.Name] = r
	}
	return byName
}

// requireFailures wants every named check to fail with a message that matches,
// and no other check to be there.
func requireFailures(t *testing.T, pkg string, want map[string]string) {
	t.Helper()
	rows := badRows(t, pkg)
	require.Len(t, rows, len(want))
	for name, pattern := range want {
		r := rows[name]
		assert.Equal(t, driver.Failed, r.Verdict, "%s: %+v", name, r)
		assert.Regexp(t, regexp.MustCompile(`(?s)`+pattern), r.Message, name)
	}
}

func TestBodiesThatDoNotEndAreFailures(t *testing.T) {
	t.Parallel()
	requireFailures(t, "endless", map[string]string{
		"TestLoop":  `not reached a scheduling point .*the body never ends, or blocks.*endless\.count\(`,
		"TestBlock": `not reached a scheduling point .*endless\.TestBlock\..*endless_test\.go:32`,
		"TestSpin":  `livelock`,
		"TestBusy":  `livelock`,
	})
}

func TestBodiesThatEndMoreThanThemselvesAreFailures(t *testing.T) {
	t.Parallel()
	requireFailures(t, "exits", map[string]string{
		"TestFailNow":        `FailNow`,
		"TestFatal":          `FailNow|Fatal`,
		"TestSkip":           `Skip`,
		"TestExit":           `exits_test\.go:28:\d+: .*os\.Exit`,
		"TestLogFatal":       `exits_test\.go:32:\d+: .*log\.Fatal`,
		"TestExitBefore":     `ended without a result: exit status 3; something called os\.Exit or log\.Fatal`,
		"TestExitZeroBefore": `unexpected call to os\.Exit\(0\) during test`,
		"TestFailsBefore":    `failed outside the executions of a check.*no such luck`,
		"TestFailsAfter":     `failed outside the executions of a check.*too late`,
		"TestSkipped":        `ended without running a check`,
		"TestPanic":          `out of cheese`,
	})
}

func TestWorkBehindTheCheckersBackIsAFailure(t *testing.T) {
	t.Parallel()
	requireFailures(t, "behind", map[string]string{
		"TestServer":        `behind_test\.go:14:\d+: .*httptest`,
		"TestSubtest":       `behind_test\.go:18:\d+: .*Run`,
		"TestStartedBefore": `goroutine`,
		"TestMapOrder":      `(map order|nondeterminis|does not control|not deterministic)`,
		"TestKeptState":     `(map order|nondeterminis|does not control|not deterministic)`,
	})
}

// The execution is drawn up to the step that was refused, and the replay comes to it again.
func TestStepsThatAnObserverRefusesAreFailures(t *testing.T) {
	t.Parallel()
	requireFailures(t, "observed", map[string]string{
		"TestNegativeForAnInstant": `step refused: step 1, by down, Add: n is negative`,
		"TestObserverThatPanics":   `up panicked: two is too much`,
	})
	a := surewake(t, ".", "replay", badRows(t, "observed")["TestNegativeForAnInstant"].Token)
	require.Equal(t, 1, a.code, "%s", a)
	require.Contains(t, a.stdout, "the failure shows again")
	require.Contains(t, a.stdout, "observed_test.go")
	require.NotContains(t, a.stdout, "by up")
}

func TestMisuseOfChannelsIsAFailure(t *testing.T) {
	t.Parallel()
	requireFailures(t, "channels", map[string]string{
		"TestCloseOfNil":         `panicked: close of nil channel.*channels_test\.go:15`,
		"TestCloseTwice":         `two panicked: close of closed channel.*channels_test\.go:23`,
		"TestSendOnClosed":       `sender panicked: send on closed channel.*channels_test\.go:31`,
		"TestClosedWhileSending": `sender panicked: send on closed channel.*channels_test\.go:40`,
		"TestNobodySends":        `deadlock.*main in Join, receiver in channel receive.*receiver is blocked for ever in channel receive at channels_test\.go:49`,
		"TestLeak":               `goroutine leak: the body returned, but 1 of 2 .*worker is blocked for ever in channel send at channels_test\.go:58`,
		"TestNilChannel":         `every goroutine waits for ever: main in select\n.*channels_test\.go:70`,
		"TestSelectWithoutCases": `main is blocked for ever in select at channels_test\.go:78`,
		"TestEverybodyMeets":     `received 3`,
		"TestLoopThatNobodyEnds": `consumer is blocked for ever in channel receive at channels_test\.go:102`,
		"TestTickerForEver":      `livelock`,
		"TestTimerFromOutside":   `not modelled: Stop of a timer that was made outside of the check`,
		"TestContextFromOutside": `waiter in channel receive: the channel was closed behind the checker's back`,
		"TestCancelledOutside":   `the child's error is context canceled`,
	})
}

func TestAFailureCanBeReplayed(t *testing.T) {
	needRace(t)
	t.Parallel()
	const pkg = "./testdata/bad/lostupdate"

	table := surewake(t, ".", "check", pkg)
	require.Equal(t, 1, table.code, "%s", table)
	rows := badRows(t, "lostupdate")
	require.Equal(t, driver.Proved, rows["TestOneAlone"].Verdict)
	lost := rows["TestCount"]
	require.Equal(t, driver.Failed, lost.Verdict)
	require.Contains(t, lost.Message, "two increments made 1")
	require.True(t, strings.HasPrefix(lost.Token, "testdata/bad/lostupdate:TestCount:"), lost.Token)

	// The table names the same token and the command that replays it.
	require.Contains(t, table.stdout, "two increments made 1")
	require.Contains(t, table.stdout, "    replay  "+command+" replay "+lost.Token+"\n")
	require.Regexp(t, `(?m)^3 checks: 1 proved, 0 bounded, 2 failed\n\z`, table.stdout)

	a := surewake(t, ".", "replay", lost.Token)
	require.Equal(t, 1, a.code, "%s", a)
	require.Contains(t, a.stdout, "preempted") // the lanes
	require.Contains(t, a.stdout, "two increments made 1")
	require.Contains(t, a.stdout, "the failure shows again")

	// A failure that only the race detector sees.
	race := rows["TestPlainRead"]
	require.Equal(t, driver.Failed, race.Verdict)
	require.Contains(t, race.Message, "WARNING: DATA RACE")
	require.Contains(t, race.Message, "lostupdate_test.go:4")
	require.NotContains(t, race.Message, "surewake/model/")
	require.Regexp(t, `^found [1-9]`, race.Races)
	a = surewake(t, ".", "replay", race.Token)
	require.Equal(t, 1, a.code, "%s", a)
	require.Contains(t, a.stdout, "the failure shows again under the race detector")
	a = surewake(t, ".", "replay", "-race=false", race.Token)
	require.Zero(t, a.code, "%s", a)
	require.Contains(t, a.stdout, "this execution passes")

	// Tokens that do not fit.
	part := strings.Split(lost.Token, ":")
	for token, want := range map[string]string{
		strings.Join([]string{part[0], part[1], "00000000", part[3]}, ":"):              "the token is from other source",
		strings.Join([]string{part[0], "TestAbsent", part[2], part[3]}, ":"):            "has no check TestAbsent",
		strings.Join([]string{"testdata/bad/absent", part[1], part[2], part[3]}, ":"):   "testdata/bad/absent",
		strings.Join([]string{"testdata/bad/nochecks", part[1], part[2], part[3]}, ":"): "has no check TestCount",
		part[0]: "1 parts instead of 4",
	} {
		a := surewake(t, ".", "replay", token)
		require.Equal(t, 2, a.code, "%s\n%s", token, a)
		require.Empty(t, a.stdout)
		require.Contains(t, a.stderr, want)
	}
}

// Another module that requires this one, in a directory reached by a symbolic
// link, edited between check and replay, and with mutants of its own.
func TestAnotherModule(t *testing.T) {
	needRace(t)
	t.Parallel()
	here, err := os.Getwd()
	require.NoError(t, err)
	real := t.TempDir()
	dir := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(real, dir))
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	gomod, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	gosum, err := os.ReadFile("go.sum")
	require.NoError(t, err)
	write("go.mod", strings.Replace(string(gomod), "module "+modulePath, "module example.com/other", 1)+
		"\nrequire "+modulePath+" v0.0.0\nreplace "+modulePath+" => "+here+"\n")
	write("go.sum", string(gosum))
	const good = `package counter

import "sync/atomic"

// Counter counts.
type Counter struct{ n atomic.Int64 }

// Add is for all.
func (c *Counter) Add() {
	c.n.Add(1)
}

// Odd is not called concurrently.
func (c *Counter) Odd() bool {
	return c.n.Load()%2 == 1
}

// Name is not looked at.
func (c *Counter) Name() string { return "counter" }
`
	write("counter/counter.go", good)
	write("counter/counter_test.go", `package counter

import (
	"testing"

	"github.com/surewake/surewake/model"
)

func TestAdd(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var c Counter
		x.Go("one", c.Add)
		x.Go("two", c.Add)
		x.Join()
		x.Assert(c.n.Load() == 2, "%d instead of 2", c.n.Load())
	})
}

func TestOdd(t *testing.T) {
	var c Counter
	c.Add()
	if !c.Odd() {
		t.Error("1 is odd")
	}
}
`)
	a := surewake(t, dir, "check")
	require.Zero(t, a.code, "%s", a)
	require.Contains(t, a.stdout, "1 checks: 1 proved, 0 bounded, 0 failed")

	bug := func(id, declaration, edit string) {
		write("counter/testdata/mutants/"+id+".mutant", "A bug.\n\n-- counter/counter.go: "+declaration+" --\n"+edit)
	}
	bug("1-lost", "Counter.Add", "- c.n.Add(1)\n+ c.n.Store(c.n.Load() + 1)\n")
	bug("2-even", "Counter.Odd", "- return c.n.Load()%2 == 1\n+ return c.n.Load()%2 == 0\n")
	a = surewake(t, dir, "mutants", "./...")
	require.Zero(t, a.code, "%s", a)
	require.Regexp(t, `^1-lost \.\.\. killed by TestAdd  \d+\.\ds\n2-even \.\.\. killed by TestOdd  \d+\.\ds\n2 mutants: 2 caught, 0 missed\n$`, a.stdout)

	bug("3-name", "Counter.Name", "- \"counter\"\n+ \"\"\n")
	bug("4-old", "Counter.Add", "- c.n.Sub(1)\n+ c.n.Add(1)\n")
	bug("5-wrong", "Counter.Add", "- c.n.Add(1)\n+ c.n.Add(one)\n")
	a = surewake(t, dir, "mutants", "-run", "3|4|5")
	require.Equal(t, 1, a.code, "%s", a)
	require.Regexp(t, `^3-name \.\.\. SURVIVED  \d+\.\ds\n`, a.stdout)
	require.Contains(t, a.stdout, "4-old ... ERROR 4-old.mutant: line 4: counter/counter.go: Counter.Add has no\n    \tc.n.Sub(1)\n    nearest is line 10:\n    \tc.n.Add(1)\n")
	require.Regexp(t, `(?s)5-wrong \.\.\. ERROR does not compile:\n.*counter\.go:10:\d+: undefined: one`, a.stdout)
	require.Contains(t, a.stdout, "3 mutants: 0 caught, 1 missed, 2 in error\n")

	// The tree was never touched, and now it is.
	now, err := os.ReadFile(filepath.Join(dir, "counter", "counter.go"))
	require.NoError(t, err)
	require.Equal(t, good, string(now))
	write("counter/counter.go", strings.Replace(good, "\tc.n.Add(1)", "\tc.n.Store(c.n.Load() + 1)", 1))
	a = surewake(t, dir, "check", "-json", "./counter")
	require.Equal(t, 1, a.code, "%s", a)
	rows, _ := a.rows(t)
	token := rows[0].Token
	require.True(t, strings.HasPrefix(token, "counter:TestAdd:"), token)
	a = surewake(t, dir, "replay", token)
	require.Equal(t, 1, a.code, "%s", a)
	write("counter/counter.go", good)
	a = surewake(t, dir, "replay", token)
	require.Equal(t, 2, a.code, "%s", a)
	require.Contains(t, a.stderr, "the token is from other source")
}

func TestMisuseOfCoroutinesIsAFailure(t *testing.T) {
	t.Parallel()
	requireFailures(t, "coro", map[string]string{
		"TestNextInside":     `main panicked: iter\.Pull: next called again before yield`,
		"TestNextOfTwo":      `panicked: iter\.Pull2: next called again before yield`,
		"TestYieldOutside":   `main panicked: iter\.Pull: yield called again before next`,
		"TestYieldOfAnother": `not modelled: iter\.Pull: yield was called by a goroutine that does not run the iterator`,
		"TestStopInside":     `not modelled: iter\.Pull: stop was called while the iterator runs`,
		"TestKept":           `does not control`,
		"TestMadeBefore":     `real goroutine: a goroutine that the checker did not start used checked code`,
		"TestPanicInside":    `drives panicked: out of cheese.*coro\.explode`,
		"TestFailNowInside":  `FailNow`,
		"TestEndlessInside":  `not reached a scheduling point .*coro\.count\(`,
		"TestProcs":          `GOMAXPROCS cannot be changed`,
		"TestTrace":          `coro_test\.go:\d+:\d+: trace\.Start is not modelled`,
	})
}
