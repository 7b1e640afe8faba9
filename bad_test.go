package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/internal/commandtest"
	"github.com/surewake/surewake/model/driver"
	"github.com/surewake/surewake/model/wire"
)

// The packages below testdata/bad are wrong on purpose, each in its own way.

func TestNothingIsCheckedOfWhatDoesNotBuild(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, want string }{
		{"check ./testdata/bad/broken", "broken.go:4:23: undefined: nothing"},
		{"check -json ./testdata/bad/broken", "broken.go:4:23: undefined: nothing"},
		{"check ./testdata/bad/brokentest", "brokentest_test.go:10:"},
		{"mutants ./testdata/bad/broken", "broken.go:4:23: undefined: nothing"},
		{"check ./testdata/bad/nochecks",
			"no checks in github.com/surewake/surewake/testdata/bad/nochecks " +
				"(a check is a Test function that calls model.Check; -test . explores the others)"},
		{"mutants ./testdata/bad/nochecks", "no mutants (testdata/mutants/*.mutant) in " +
			modulePath + "/testdata/bad/nochecks"},
		{"check ./testdata/bad/absent", "testdata/bad/absent"},
		{"check ./testdata/bad/absent/...", "testdata/bad/absent/"},
		{"check ./testdata/...", "the patterns match no packages"},
		{"check -run Absent ./testdata/bad/lostupdate",
			"-run Absent matches no check; there are TestCount"},
		{"check -test . ./testdata/bad/lostupdate",
			"no ordinary tests in " + modulePath + "/testdata/bad/lostupdate"},
		{"check -test Absent ./testdata/bad/nochecks",
			"-test Absent matches no test; there are TestPlain"},
		{"check -test TestPlain/absent ./testdata/bad/nochecks",
			"-test TestPlain/absent matches no subtest"},
		{"check -test TestPlain/( ./testdata/bad/nochecks", "-test TestPlain/(: error parsing"},
		{"check -test . -run . ./testdata/bad/nochecks",
			"-run selects checks, -test selects ordinary tests: give one of them"},
		{"check -test= ./testdata/bad/nochecks", "want a regular expression; . is every test"},
	} {
		a := surewake(t, ".", strings.Fields(c.args)...)
		require.Equal(t, 2, a.Code, "%s\n%s", c.args, a)
		require.Empty(t, a.Stdout, c.args)
		require.Contains(t, a.Stderr, c.want, c.args)
	}
}

// badRows checks one of the packages and returns its rows by name.
func badRows(t *testing.T, pkg string) map[string]driver.Row {
	t.Helper()
	a := surewake(t, ".", "check", "-json", "./testdata/bad/"+pkg)
	rows, sum := a.Rows(t)
	switch {
	case sum.Failed > 0:
		require.Equal(t, 1, a.Code, "%s", a)
	case sum.Undecided > 0:
		require.Equal(t, 3, a.Code, "%s", a)
	default:
		t.Fatalf("nothing is wrong: %s", a)
	}
	byName := map[string]driver.Row{}
	for _, r := range rows {
		byName[r.Name] = r
	}
	return byName
}

// A decision is what a check that does not pass must say.
type decision struct {
	kind    wire.Kind
	message string // regular expression
}

// requireDecisions wants every named check to be decided so, and no other check
// to be there.
func requireDecisions(t *testing.T, pkg string, want map[string]decision) {
	t.Helper()
	rows := badRows(t, pkg)
	require.Len(t, rows, len(want))
	for name, d := range want {
		r := rows[name]
		if d.kind == "" {
			d.kind = r.Kind // any that is no bug of the program
			assert.Equal(t, driver.Undecided, r.Verdict, "%s: %+v", name, r)
		}
		assert.Equal(t, d.kind, r.Kind, "%s: %+v", name, r)
		assert.Equal(t, d.kind.Verdict(), r.Verdict, "%s: %+v", name, r)
		assert.Regexp(t, regexp.MustCompile(`(?s)`+d.message), r.Message, name)
		assert.NotContains(t, r.File, "model/", "%s: %s", name, r.Message)
		if place, ok := places[name]; ok {
			assert.Equal(
				t, "testdata/bad/"+pkg+"/"+place, fmt.Sprintf("%s:%d", r.File, r.Line), name,
			)
		}
	}
}

// places are where "file" and "line" of some checks point.
var places = map[string]string{
	"TestBlock":       "endless_test.go:32",
	"TestCloseOfNil":  "channels_test.go:15",
	"TestNobodySends": "channels_test.go:49",
	"TestLeak":        "channels_test.go:58",
	"TestNilChannel":  "channels_test.go:70",
	"TestFailNow":     "exits_test.go:14",
	"TestExit":        "exits_test.go:28",
	"TestFailsAfter":  "exits_test.go:55",
	"TestPanic":       "exits_test.go:60",
	"TestServer":      "behind_test.go:15",
}

func TestBodiesThatDoNotEnd(t *testing.T) {
	t.Parallel()
	requireDecisions(t, "endless", map[string]decision{
		"TestLoop": {
			wire.KindLimit,
			`not reached a scheduling point .*the body never ends, or blocks.*endless\.count\(`,
		},
		"TestBlock": {
			wire.KindLimit,
			`not reached a scheduling point .*endless\.TestBlock\..*endless_test\.go:32`,
		},
		"TestSpin": {wire.KindLivelock, `livelock`},
		"TestBusy": {wire.KindLimit, `^limit: no end after \d+ (steps|operations)`},
	})
}

func TestBodiesThatEndMoreThanThemselves(t *testing.T) {
	t.Parallel()
	requireDecisions(t, "exits", map[string]decision{
		"TestFailNow":  {wire.KindAssertion, `FailNow`},
		"TestFatal":    {wire.KindAssertion, `exits_test\.go:20: enough is enough`},
		"TestSkip":     {wire.KindRefused, `Skip`},
		"TestExit":     {wire.KindRefused, `exits_test\.go:28:\d+: .*os\.Exit`},
		"TestLogFatal": {wire.KindRefused, `exits_test\.go:32:\d+: .*log\.Fatal`},
		"TestExitBefore": {
			wire.KindRefused,
			`ended without a result: exit status 3; something called os\.Exit or log\.Fatal`,
		},
		"TestExitZeroBefore": {wire.KindRefused, `unexpected call to os\.Exit\(0\) during test`},
		"TestFailsBefore": {
			wire.KindAssertion,
			`failed outside the executions of a check.*no such luck`,
		},
		"TestFailsAfter": {
			wire.KindAssertion,
			`failed outside the executions of a check.*too late`,
		},
		"TestPanic": {wire.KindPanic, `out of cheese`},
	})
}

func TestWorkBehindTheCheckersBackIsUndecided(t *testing.T) {
	t.Parallel()
	requireDecisions(t, "behind", map[string]decision{
		"TestServer":   {wire.KindRefused, `behind_test\.go:15:\d+: .*httptest`},
		"TestParallel": {wire.KindRefused, `Parallel`},
		// The goroutine is met, or what it did is, whichever happens first.
		"TestStartedBefore": {"", `goroutine`},
		"TestMapOrder": {wire.KindNondeterminism,
			`does not control.*part at step \d+:\n\t\w+: Add.* at behind_test\.go:50\n\t\w+: Add`},
		"TestKeptState": {wire.KindNondeterminism,
			`does not control.*part at step \d+:\n\t\w+: Add.* at behind_test\.go:67\n\t`},
		"TestFailsOnce": {wire.KindNondeterminism, `run 5.*did not show again`},
	})
}

// The execution is drawn up to the step that was refused, and the replay comes to it again.
func TestStepsThatAnObserverRefusesAreFailures(t *testing.T) {
	t.Parallel()
	requireDecisions(t, "observed", map[string]decision{
		"TestNegativeForAnInstant": {
			wire.KindAssertion,
			`step refused: step 1, by down, Add: n is negative`,
		},
		"TestObserverThatPanics": {wire.KindPanic, `up panicked: two is too much`},
	})
	a := surewake(t, ".", "replay", badRows(t, "observed")["TestNegativeForAnInstant"].Token)
	require.Equal(t, 1, a.Code, "%s", a)
	require.Contains(t, a.Stdout, "the failure shows again")
	require.Contains(t, a.Stdout, "observed_test.go")
	require.NotContains(t, a.Stdout, "by up")
}

func TestMisuseOfChannels(t *testing.T) {
	t.Parallel()
	requireDecisions(t, "channels", map[string]decision{
		"TestCloseOfNil": {
			wire.KindPanic,
			`panicked: close of nil channel.*channels_test\.go:15`,
		},
		"TestCloseTwice": {
			wire.KindPanic,
			`two panicked: close of closed channel.*channels_test\.go:23`,
		},
		"TestSendOnClosed": {
			wire.KindPanic,
			`sender panicked: send on closed channel.*channels_test\.go:31`,
		},
		"TestClosedWhileSending": {
			wire.KindPanic,
			`sender panicked: send on closed channel.*channels_test\.go:40`,
		},
		"TestNobodySends": {
			wire.KindDeadlock,
			`deadlock.*main in Join, receiver in channel receive.*` +
				`receiver is blocked for ever in channel receive at channels_test\.go:49`,
		},
		"TestLeak": {
			wire.KindLeak,
			`goroutine leak: the body returned, but 1 of 2 .*` +
				`worker is blocked for ever in channel send at channels_test\.go:58`,
		},
		"TestNilChannel": {
			wire.KindDeadlock,
			`every goroutine waits for ever: main in select\n.*channels_test\.go:70`,
		},
		"TestSelectWithoutCases": {
			wire.KindDeadlock,
			`main is blocked for ever in select at channels_test\.go:78`,
		},
		"TestEverybodyMeets": {wire.KindAssertion, `received 3`},
		"TestLoopThatNobodyEnds": {
			wire.KindDeadlock,
			`consumer is blocked for ever in channel receive at channels_test\.go:102`,
		},
		"TestTickerForEver": {
			wire.KindLivelock,
			`main at channels_test\.go:112`,
		},
		"TestTimerFromOutside": {
			wire.KindRefused,
			`not modelled: Stop of a timer that was made outside of the check`,
		},
		"TestContextFromOutside": {
			wire.KindRefused,
			`not modelled: the end of a context that was made outside of the check`,
		},
		"TestCancelledOutside": {wire.KindAssertion, `the child's error is context canceled`},
	})
}

func TestAFailureCanBeReplayed(t *testing.T) {
	commandtest.NeedRace(t)
	t.Parallel()
	const pkg = "./testdata/bad/lostupdate"

	table := surewake(t, ".", "check", pkg)
	require.Equal(t, 1, table.Code, "%s", table)
	rows := badRows(t, "lostupdate")
	require.Equal(t, driver.Proved, rows["TestOneAlone"].Verdict)
	lost := rows["TestCount"]
	require.Equal(t, driver.Failed, lost.Verdict)
	require.Contains(t, lost.Message, "two increments made 1")
	require.True(t, strings.HasPrefix(lost.Token, "testdata/bad/lostupdate:TestCount:"), lost.Token)

	// The table names the same token and the command that replays it.
	require.Contains(t, table.Stdout, "two increments made 1")
	require.Contains(t, table.Stdout, "    replay  "+command+" replay "+lost.Token+"\n")
	require.Regexp(t, `(?m)^3 checks: 1 proved, 0 bounded, 2 failed\n\z`, table.Stdout)

	a := surewake(t, ".", "replay", lost.Token)
	require.Equal(t, 1, a.Code, "%s", a)
	require.Contains(t, a.Stdout, "preempted") // the lanes
	require.Contains(t, a.Stdout, "two increments made 1")
	require.Contains(t, a.Stdout, "the failure shows again")

	// A failure that only the race detector sees.
	race := rows["TestPlainRead"]
	require.Equal(t, driver.Failed, race.Verdict)
	require.Contains(t, race.Message, "WARNING: DATA RACE")
	require.Contains(t, race.Message, "lostupdate_test.go:4")
	require.NotContains(t, race.Message, "surewake/model/")
	require.Regexp(t, `^found [1-9]`, race.Races)
	a = surewake(t, ".", "replay", race.Token)
	require.Equal(t, 1, a.Code, "%s", a)
	require.Contains(t, a.Stdout, "the failure shows again under the race detector")
	a = surewake(t, ".", "replay", "-race=false", race.Token)
	require.Zero(t, a.Code, "%s", a)
	require.Contains(t, a.Stdout, "this execution passes")

	// Tokens that do not fit.
	part := strings.Split(lost.Token, ":")
	token := func(pkg, check, source string) string {
		return strings.Join([]string{pkg, check, source, part[3]}, ":")
	}
	for token, want := range map[string]string{
		token(part[0], part[1], "00000000"):              "the token is from other source",
		token(part[0], "TestAbsent", part[2]):            "has no check TestAbsent",
		token("testdata/bad/absent", part[1], part[2]):   "testdata/bad/absent",
		token("testdata/bad/nochecks", part[1], part[2]): "has no check TestCount",
		part[0]: "1 parts instead of 4",
	} {
		a := surewake(t, ".", "replay", token)
		require.Equal(t, 2, a.Code, "%s\n%s", token, a)
		require.Empty(t, a.Stdout)
		require.Contains(t, a.Stderr, want)
	}
}

// A race that only another order of independent steps shows is searched for again.
func TestReplayOfARaceInAnotherOrder(t *testing.T) {
	commandtest.NeedRace(t)
	t.Parallel()
	a := surewake(t, ".", "check", "-json", "-run", "TestManyReadsBeforeTheWrite",
		"./testdata/verdicts/racewords")
	rows, _ := a.Rows(t)
	require.Len(t, rows, 1)
	a = surewake(t, ".", "replay", rows[0].Token)
	require.Equal(t, 1, a.Code, "%s", a)
	require.Contains(t, a.Stdout, "TestManyReadsBeforeTheWrite: the failure shows again under the "+
		"race detector, in another order of steps that do not depend on one another\n")
}

// anotherModule makes a module in dir that requires this one, and returns what
// writes files of it.
func anotherModule(t *testing.T, dir string) (write func(name, text string)) {
	t.Helper()
	here, err := os.Getwd()
	require.NoError(t, err)
	write = func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	}
	gomod, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	gosum, err := os.ReadFile("go.sum")
	require.NoError(t, err)
	write(
		"go.mod",
		strings.Replace(string(gomod), "module "+modulePath, "module example.com/other", 1)+
			"\nrequire "+modulePath+" v0.0.0\nreplace "+modulePath+" => "+here+"\n",
	)
	write("go.sum", string(gosum))
	return write
}

// The package of a token may be the root of the module, named ".".
func TestReplayOfAPackageAtTheRoot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := anotherModule(t, dir)
	write("root_test.go", `package root

import (
	"testing"

	"github.com/surewake/surewake/model"
)

func TestNever(t *testing.T) {
	model.Check(t, func(x *model.Exec) { x.Assert(x.Choose(2) == 0, "chosen") })
}
`)
	a := surewake(t, dir, "check", "-json", "-race=false")
	require.Equal(t, 1, a.Code, "%s", a)
	rows, sum := a.Rows(t)
	require.Equal(t, driver.Summary{Version: driver.JSONVersion, Checks: 1, Failed: 1}, sum)
	require.Equal(t, wire.KindAssertion, rows[0].Kind)
	require.Equal(t, "root_test.go:10", fmt.Sprintf("%s:%d", rows[0].File, rows[0].Line))
	require.True(t, strings.HasPrefix(rows[0].Token, ".:TestNever:"), rows[0].Token)
	a = surewake(t, dir, "replay", "-race=false", rows[0].Token)
	require.Equal(t, 1, a.Code, "%s", a)
	require.Contains(t, a.Stdout, "chosen")
	require.Contains(t, a.Stdout, "the failure shows again")
}

// What is undecided has an exit code of its own, and its token shows the reason again.
func TestWhatIsUndecidedIsNoFailure(t *testing.T) {
	t.Parallel()
	a := surewake(
		t, ".", "check", "-race=false", "-run", "^(TestContextFromOutside|TestTimerFromOutside)$",
		"./testdata/bad/channels",
	)
	require.Equal(t, 3, a.Code, "%s", a)
	require.Regexp(t, `(?m)^2 checks: 0 proved, 0 bounded, 0 failed, 2 undecided\n\z`, a.Stdout)
	require.NotContains(t, a.Stdout, "FAILED")
	token := regexp.MustCompile(`(?m)^    token   (\S*TestTimerFromOutside\S*)$`).
		FindStringSubmatch(a.Stdout)
	require.NotNil(t, token, "%s", a)
	a = surewake(t, ".", "replay", "-race=false", token[1])
	require.Equal(t, 3, a.Code, "%s", a)
	require.Contains(t, a.Stdout, "the reason why it is undecided shows again")
}

// Another module that requires this one, in a directory reached by a symbolic
// link, edited between check and replay, and with mutants of its own.
func TestAnotherModule(t *testing.T) {
	commandtest.NeedRace(t)
	t.Parallel()
	real := t.TempDir()
	dir := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(real, dir))
	write := anotherModule(t, dir)
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
	require.Zero(t, a.Code, "%s", a)
	require.Contains(t, a.Stdout, "1 checks: 1 proved, 0 bounded, 0 failed")

	bug := func(id, declaration, edit string) {
		write(
			"counter/testdata/mutants/"+id+".mutant",
			"A bug.\n\n-- counter/counter.go: "+declaration+" --\n"+edit,
		)
	}
	bug("1-lost", "Counter.Add", "- c.n.Add(1)\n+ c.n.Store(c.n.Load() + 1)\n")
	bug("2-even", "Counter.Odd", "- return c.n.Load()%2 == 1\n+ return c.n.Load()%2 == 0\n")
	a = surewake(t, dir, "mutants", "./...")
	require.Zero(t, a.Code, "%s", a)
	require.Regexp(
		t,
		`^1-lost \.\.\. killed by TestAdd  \d+\.\ds\n`+
			`2-even \.\.\. killed by TestOdd  \d+\.\ds\n2 mutants: 2 killed, 0 survived\n$`,
		a.Stdout,
	)

	a = surewake(t, dir, "mutants", "-part", "2/2", "./...")
	require.Zero(t, a.Code, "%s", a)
	require.Regexp(t, `^2-even .*\n1 mutant: 1 killed, 0 survived\n$`, a.Stdout)
	a = surewake(t, dir, "mutants", "-part", "3/3", "./...")
	require.Equal(t, 2, a.Code, "%s", a)
	require.Equal(t, "surewake: -part 3/3: there are only 2 mutants\n", a.Stderr)
	a = surewake(t, dir, "mutants", "-part", "4/3")
	require.Equal(t, 2, a.Code, "%s", a)
	require.Contains(t, a.Stderr, "want K/N, the K-th of N parts, with 1 <= K <= N")

	bug("3-name", "Counter.Name", "- \"counter\"\n+ \"\"\n")
	bug("4-old", "Counter.Add", "- c.n.Sub(1)\n+ c.n.Add(1)\n")
	bug("5-wrong", "Counter.Add", "- c.n.Add(1)\n+ c.n.Add(one)\n")
	a = surewake(t, dir, "mutants", "-run", "3|4|5")
	require.Equal(t, 1, a.Code, "%s", a)
	require.Regexp(t, `^3-name \.\.\. SURVIVED  \d+\.\ds\n`, a.Stdout)
	require.Contains(
		t, a.Stdout,
		"4-old ... ERROR 4-old.mutant: line 4: counter/counter.go: Counter.Add has no\n"+
			"    \tc.n.Sub(1)\n    nearest is counter/counter.go:10\n    \tc.n.Add(1)\n",
	)
	require.Regexp(
		t, `(?s)5-wrong \.\.\. ERROR does not compile:\n.*counter\.go:10:\d+: undefined: one`,
		a.Stdout,
	)
	require.Contains(t, a.Stdout, "3 mutants: 0 killed, 1 survived, 2 in error\n")
	a = surewake(t, dir, "mutants", "-run", "3|4|5", "-for", "1ms")
	require.Equal(t, 3, a.Code, "%s", a)
	require.Equal(t, "3 mutants: 0 killed, 0 survived, 3 not tried in 1ms; -for 0 tries all\n", a.Stdout)
	a = surewake(t, dir, "mutants", "-for", "-1s")
	require.Equal(t, 2, a.Code, "%s", a)
	require.Contains(t, a.Stderr, "for -1s: must not be negative")

	write("counter/counter_plan9.go", "package counter\n\nfunc other() int { return 1 }\n")
	write("counter/testdata/mutants/6-elsewhere.mutant",
		"A bug.\n\n-- counter/counter_plan9.go: other --\n- 1\n+ 2\n")
	a = surewake(t, dir, "mutants", "-run", "6")
	require.Equal(t, 1, a.Code, "%s", a)
	require.Contains(t, a.Stdout, "6-elsewhere ... ERROR 6-elsewhere.mutant: what it changes is "+
		"not part of the test binary of ")
	write("counter/counter_race.go", "//go:build race\n\npackage counter\n\n"+
		"func watched() int { return 1 }\n")
	write("counter/testdata/mutants/7-watched.mutant",
		"A bug.\n\n-- counter/counter_race.go: watched --\n- 1\n+ 2\n")
	a = surewake(t, dir, "mutants", "-run", "7")
	require.Contains(t, a.Stdout, "7-watched ... SURVIVED")

	// The tree was never touched, and now it is.
	now, err := os.ReadFile(filepath.Join(dir, "counter", "counter.go"))
	require.NoError(t, err)
	require.Equal(t, good, string(now))
	write(
		"counter/counter.go",
		strings.Replace(good, "\tc.n.Add(1)", "\tc.n.Store(c.n.Load() + 1)", 1),
	)
	a = surewake(t, dir, "check", "-json", "./counter")
	require.Equal(t, 1, a.Code, "%s", a)
	rows, _ := a.Rows(t)
	token := rows[0].Token
	require.True(t, strings.HasPrefix(token, "counter:TestAdd:"), token)
	a = surewake(t, dir, "replay", token)
	require.Equal(t, 1, a.Code, "%s", a)
	write("counter/counter.go", good)
	a = surewake(t, dir, "replay", token)
	require.Equal(t, 2, a.Code, "%s", a)
	require.Contains(t, a.Stderr, "the token is from other source")
}

func TestMisuseOfCoroutines(t *testing.T) {
	t.Parallel()
	requireDecisions(t, "coro", map[string]decision{
		"TestNextInside": {
			wire.KindPanic,
			`main panicked: iter\.Pull: next called again before yield`,
		},
		"TestNextOfTwo": {
			wire.KindPanic,
			`panicked: iter\.Pull2: next called again before yield`,
		},
		"TestYieldOutside": {
			wire.KindPanic,
			`main panicked: iter\.Pull: yield called again before next`,
		},
		"TestYieldOfAnother": {
			wire.KindRefused,
			`not modelled: iter\.Pull: yield was called by a goroutine that does not run`,
		},
		"TestStopInside": {
			wire.KindRefused,
			`not modelled: iter\.Pull: stop was called while the iterator runs`,
		},
		"TestKept": {wire.KindNondeterminism, `does not control`},
		"TestMadeBefore": {
			wire.KindRefused,
			`not modelled: the use of an iter\.Pull that was made outside of the check`,
		},
		"TestPanicInside":   {wire.KindPanic, `drives panicked: out of cheese.*coro\.explode`},
		"TestFailNowInside": {wire.KindAssertion, `FailNow`},
		"TestEndlessInside": {wire.KindLimit, `not reached a scheduling point .*coro\.count\(`},
		"TestTrace": {
			wire.KindRefused,
			`coro_test\.go:\d+:\d+: trace\.Start is not modelled`,
		},
	})
}
