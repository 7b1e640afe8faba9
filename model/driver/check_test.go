package driver

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/instrument"
	"github.com/surewake/surewake/model/wire"
)

func one(t *testing.T, opts Options, test string) Row {
	t.Helper()
	rows, _, err := runScenarios(t, fakeTarget{}, opts, test)
	require.NoError(t, err)
	require.Len(t, rows, 1)
	return rows[0]
}

func TestProvedNeedsBothRuns(t *testing.T) {
	r := one(t, Options{Race: true}, "TestProved")
	require.Equal(t, Row{
		Package: "example.com/ring", Place: ".", Name: "TestProved", Verdict: Proved,
		Complete: 12, Deadlocked: 3, Pruned: 4, Steps: 1234, Seconds: 1,
		Assumptions: []string{}, Races: "none", digest: "abc", source: "1f3a9c2e",
	}, r)

	r = one(t, Options{Race: false}, "TestProved")
	require.Equal(t, Bounded, r.Verdict)
	require.Equal(t, "races not checked", r.Bounded)
	require.Equal(t, "not checked", r.Races)
}

// What passes beside a check that fails is proved by both runs, too.
func TestRowsKeepTheOrderOfThePlan(t *testing.T) {
	rows, sum, err := runScenarios(t, fakeTarget{}, Options{Race: true},
		"TestProved", "TestSubtests", "TestCutShort", "TestAssumes")
	require.NoError(t, err)
	var names []string
	for _, r := range rows {
		names = append(names, r.Name+" "+r.Verdict)
	}
	require.Equal(
		t,
		[]string{"TestProved proved", "TestSubtests/a proved", "TestSubtests/b FAILED",
			"TestSubtests/c proved", "TestCutShort bounded", "TestAssumes proved"},
		names,
	)
	require.Equal(t, Summary{Checks: 6, Proved: 4, Bounded: 1, Failed: 1, Cut: 1}, sum)
	require.Equal(t, ".:TestSubtests/b:1f3a9c2e:3b2a", rows[2].Token)
	require.Equal(t, "owner", rows[2].Trace.Steps[0].Name)
	require.Equal(t, "budget of 1s", rows[4].Bounded)
	require.Equal(t, []string{"timeouts fire last"}, rows[5].Assumptions)
}

func TestARaceFailsTheCheckAndIsQuotedWithoutOurFrames(t *testing.T) {
	r := one(t, Options{Race: true}, "TestRacy")
	require.Equal(t, Failed, r.Verdict)
	require.Equal(t, "found 1", r.Races)
	require.NotEmpty(t, r.Token)
	require.Contains(t, r.Message, "in the race run: data race\nWARNING: DATA RACE\nWrite at")
	require.Contains(t, r.Message, "/src/ring/ring.go:31")
	require.Contains(t, r.Message, "/src/ring/ring.go:47")
	require.NotContains(t, r.Message, "surewake/model")
	require.NotContains(t, r.Message, "testing.tRunner")
	require.NotContains(
		t, r.Message, "Goroutine 9 (running) created at", "a section of our frames only",
	)
}

func TestEachCheckOfATestHasItsOwnRace(t *testing.T) {
	rows, _, err := runScenarios(t, fakeTarget{}, Options{Race: true}, "TestTwoRaces")
	require.NoError(t, err)
	require.Len(t, rows, 2)
	require.Contains(t, rows[0].Message, "/src/ring/a.go:31")
	require.Contains(t, rows[1].Message, "/src/ring/b.go:31")
}

func TestARaceRunCutShortIsNoProof(t *testing.T) {
	r := one(t, Options{Race: true}, "TestRaceCutShort")
	require.Equal(t, Bounded, r.Verdict)
	require.Equal(t, "the race run was cut short: budget of 1s", r.Bounded)
	require.Equal(t, "race", r.Cut)
}

func TestOtherSchedulesUnderTheRaceDetectorAreUndecided(t *testing.T) {
	r := one(t, Options{Race: true}, "TestOtherSchedules")
	require.Equal(t, Undecided, r.Verdict)
	require.Equal(t, wire.KindNondeterminism, r.Kind)
	require.Contains(t, r.Message, "the race run explored other schedules")
}

// What decides that a check fails comes after its result, which stands if the search for it ends
// the process.
func TestWhatDecidesIsOfTheFailureBeforeIt(t *testing.T) {
	rows, _, err := runScenarios(t, fakeTarget{}, Options{}, "TestDecided", "TestDiesDeciding")
	require.NoError(t, err)
	require.Len(t, rows, 3)
	require.Equal(t, []string{"TestDecided/a", "TestDecided/b", "TestDiesDeciding"},
		[]string{rows[0].Name, rows[1].Name, rows[2].Name})
	require.Empty(t, rows[0].Passing)
	require.Equal(t, ".:TestDecided/b:1f3a9c2e:,1c", rows[1].Passing)
	require.Equal(t, "with step 1 (Push) after all that the other goroutines can do",
		rows[1].Passes)
	require.Equal(t, Failed, rows[2].Verdict)
	require.Equal(t, wire.KindAssertion, rows[2].Kind)
	require.Equal(t, "assertion failed: lost 3", rows[2].Message)
	require.Empty(t, rows[2].Passing)
}

func TestARaceOfTheCheckerIsAnInternalError(t *testing.T) {
	r := one(t, Options{Race: true}, "TestOwnRace")
	require.Equal(t, Undecided, r.Verdict)
	require.Equal(t, wire.KindInternal, r.Kind)
	require.Contains(t, r.Message, "internal error of the checker")
	require.Contains(t, r.Message, "explore.(*engine).step()")
}

func TestAnUndecidedCheckHasKindPlaceAndToken(t *testing.T) {
	rows, sum, err := runScenarios(t, fakeTarget{}, Options{Race: true}, "TestGivesUp")
	require.NoError(t, err)
	require.Equal(t, Summary{Checks: 1, Undecided: 1}, sum)
	r := rows[0]
	require.Equal(t, Undecided, r.Verdict)
	require.Equal(t, wire.KindLimit, r.Kind)
	require.Equal(t, "ring_test.go", filepath.Base(r.File))
	require.Equal(t, 7, r.Line)
	require.Equal(t, ".:TestGivesUp:1f3a9c2e:0", r.Token)
	require.Equal(t, "limit: no end after 20000 steps", r.Message)
}

func TestAFailureOutweighsWhatIsUndecided(t *testing.T) {
	r := Row{Verdict: Proved}
	r.object(wire.KindLimit, "one")
	require.Equal(t, Row{Verdict: Undecided, Kind: wire.KindLimit, Message: "one"}, r)
	r.object(wire.KindRefused, "two")
	require.Equal(t, Row{Verdict: Undecided, Kind: wire.KindLimit, Message: "one\ntwo"}, r)
	r.object(wire.KindRace, "three")
	require.Equal(t, Row{Verdict: Failed, Kind: wire.KindRace, Message: "one\ntwo\nthree"}, r)
	r.object(wire.KindInternal, "four")
	require.Equal(t, Row{Verdict: Failed, Kind: wire.KindRace, Message: "one\ntwo\nthree\nfour"}, r)
}

func TestEndsThatNoResultExplains(t *testing.T) {
	for test, c := range map[string]struct {
		kind wire.Kind
		want []string
	}{
		"TestNothing": {wire.KindRefused, []string{"ended without running a check"}},
		"TestExits": {wire.KindRefused,
			[]string{"ended without a result: exit status 3", "os.Exit or log.Fatal", "| goodbye"}},
		"TestPanics": {wire.KindPanic,
			[]string{"ended without a result", "  | panic: out of cheese"}},
		"TestFailsAfterwards": {wire.KindAssertion,
			[]string{"failed outside the executions of a check", "not after all"}},
		"TestOdd": {wire.KindInternal, []string{`unknown verdict "perhaps"`}},
	} {
		t.Run(test, func(t *testing.T) {
			t.Parallel()
			r := one(t, Options{Race: true}, test)
			require.Equal(t, c.kind, r.Kind)
			require.Equal(t, c.kind.Verdict(), r.Verdict)
			for _, w := range c.want {
				require.Contains(t, r.Message, w)
			}
			require.NotNil(t, r.Assumptions)
			switch test {
			case "TestPanics":
				require.Equal(t, "fake_test.go", filepath.Base(r.File))
			case "TestFailsAfterwards":
				require.Equal(t, "x_test.go:3", fmt.Sprintf("%s:%d", filepath.Base(r.File), r.Line))
			}
		})
	}
}

func TestSilenceIsUndecidedAndNamesThePlace(t *testing.T) {
	for test, want := range map[string]string{
		"TestLoops":  "driver.neverReturns at ",
		"TestBlocks": "driver.init.func",
	} {
		t.Run(test, func(t *testing.T) {
			t.Parallel()
			r := one(t, Options{Race: true, Watchdog: time.Second}, test)
			require.Equal(t, Undecided, r.Verdict)
			require.Equal(t, wire.KindLimit, r.Kind)
			require.Equal(t, "fake_test.go", filepath.Base(r.File))
			require.Contains(
				t, r.Message,
				"no progress for 1s: the body blocks outside the checker's control, "+
					"or loops without a scheduling point",
			)
			require.Contains(t, r.Message, want)
			require.Contains(t, r.Message, "fake_test.go:")
		})
	}
}

func TestWithoutARaceBuildChecksAreBounded(t *testing.T) {
	rows, sum, err := runScenarios(
		t, fakeTarget{raceError: errNoCgo}, Options{Race: true}, "TestProved", "TestAssumes",
	)
	require.NoError(t, err)
	require.Equal(t, 2, sum.Bounded)
	for _, r := range rows {
		require.Equal(t, "races not checked: -race requires cgo", r.Bounded)
	}
}

func TestABuildErrorIsNoVerdict(t *testing.T) {
	_, _, err := runScenarios(
		t, fakeTarget{raceError: &instrument.BuildError{Output: "./x.go:1: undefined: y"}},
		Options{Race: true}, "TestProved",
	)
	var build *instrument.BuildError
	require.ErrorAs(t, err, &build)
	require.Contains(t, build.Output, "undefined: y")
}

func TestInterruptEndsTheProcesses(t *testing.T) {
	opts := Options{Watchdog: time.Hour}
	require.NoError(t, opts.normalize())
	r, err := newRunner(&opts, fakeTarget{})
	require.NoError(t, err)
	defer r.close()
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	p, err := plan(
		[]instrument.Package{
			{Path: "example.com/ring", Dir: t.TempDir(), Checks: []string{"TestLoops"}},
		},
		"",
		&opts,
	)
	require.NoError(t, err)
	begin := time.Now()
	_, err = r.all(ctx, p, &listener{})
	require.True(t, errors.Is(err, context.DeadlineExceeded), "%v", err)
	require.Less(t, time.Since(begin), 10*time.Second)
}

// An interrupt leaves rows of what was told before it: never better than bounded, and FAILED if a
// failure was told.
func TestInterruptLeavesTheResultsSoFar(t *testing.T) {
	opts := Options{Race: true, Both: true, Procs: 5, Watchdog: time.Hour}
	require.NoError(t, opts.normalize())
	r, err := newRunner(&opts, fakeTarget{})
	require.NoError(t, err)
	defer r.close()
	p, err := plan([]instrument.Package{{
		Path: "example.com/ring", Dir: t.TempDir(), Checks: []string{
			"TestBlocks", "TestLong", "TestLongAndWrong", "TestLongRace", "TestProved",
		},
	}}, "", &opts)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	// All have told what they have to tell when four processes have no more.
	told := func(active []Activity) bool {
		n := 0
		for _, a := range active {
			if a.Executions > 0 && a.Executions != 5 || a.Name == "TestBlocks" && !a.Building {
				n++
			}
		}
		return n == 4
	}
	l := &listener{active: func(done int, active []Activity) {
		if done == 1 && told(active) {
			cancel()
		}
	}}
	sum, err := r.all(ctx, p, l)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, 1, sum.Missing)
	var rows []string
	for _, row := range l.rows {
		rows = append(rows, fmt.Sprintf("%s %s %d %s%s",
			row.Name, row.Verdict, row.Complete, row.Bounded, row.Message))
		require.Equal(t, row.Name == "TestProved", row.Races == racesNone, "%+v", row)
	}
	n := proved("").Complete
	require.Equal(t, []string{
		fmt.Sprintf("TestLong/first bounded %d races not checked: interrupted", n),
		"TestLong/second bounded 12345 interrupted after 12,345 executions; " +
			"races not checked: interrupted",
		"TestLongAndWrong FAILED 7 leak: a waits",
		fmt.Sprintf("TestLongRace bounded %d races not checked: interrupted", n),
		fmt.Sprintf("TestProved proved %d ", n),
	}, rows)
}

// A test that was ended without a result does not count as done, also if that is learned before the
// interrupt is.
func TestAnInterruptIsNoEnd(t *testing.T) {
	opts := Options{Watchdog: time.Hour}
	require.NoError(t, opts.normalize())
	r, err := newRunner(&opts, fakeTarget{})
	require.NoError(t, err)
	defer r.close()
	p, err := plan([]instrument.Package{{
		Path: "example.com/ring", Dir: t.TempDir(), Checks: []string{"TestBlocks", "TestLoops"},
	}}, "", &opts)
	require.NoError(t, err)
	for range 6 {
		ctx, cancel := context.WithCancel(t.Context())
		sum, err := r.all(ctx, p, &listener{active: func(int, []Activity) {
			cancel()
			time.Sleep(100 * time.Millisecond) // the processes end
		}})
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, Summary{Missing: 2}, sum)
	}
}

func TestRunSelectsChecks(t *testing.T) {
	rows, _, err := runScenarios(t, fakeTarget{}, Options{Run: "Prov"}, "TestProved", "TestNothing")
	require.NoError(t, err)
	require.Len(t, rows, 1)

	for run, want := range map[string]string{
		"Zzz": "-run Zzz matches no check; there are TestProved, TestNothing",
		"(":   "-run (: error parsing regexp",
	} {
		_, _, err = runScenarios(t, fakeTarget{}, Options{Run: run}, "TestProved", "TestNothing")
		var usage *UsageError
		require.ErrorAs(t, err, &usage)
		require.Contains(t, err.Error(), want)
	}

	_, _, err = runScenarios(t, fakeTarget{}, Options{})
	require.ErrorContains(t, err, "no checks in example.com/ring")

	first, rest := splitRun("A[/]b/c/d")
	require.Equal(t, []string{"A[/]b", "/c/d"}, []string{first, rest})
}

func TestTestsAreSelectedLikeChecks(t *testing.T) {
	packages := []instrument.Package{
		{Path: "example.com/ring", Checks: []string{"TestA", "TestAB", "TestB"}},
	}
	tests, err := plan(packages, "", &Options{Tests: "A/[/]x/^y$"})
	require.NoError(t, err)
	require.Len(t, tests, 2)
	require.Equal(t, "^(TestAB)$", tests[1].run)
	require.Equal(t, []string{"[/]x", "^y$"}, tests[1].subtests)
	require.True(t, tests[1].some)

	r := runner{options: &Options{Tests: "A"}, target: fakeTarget{}}
	s := r.settings(tests[1], false)
	require.True(t, s.Tests)
	require.Equal(t, tests[1].subtests, s.Subtests)

	for pattern, want := range map[string]string{
		"Zzz": "-test Zzz matches no test; there are TestA, TestAB, TestB",
		"(":   "-test (: error parsing regexp", "A/(": "-test A/(: error parsing regexp",
	} {
		_, err = plan(packages, "", &Options{Tests: pattern})
		var usage *UsageError
		require.ErrorAs(t, err, &usage)
		require.Contains(t, err.Error(), want)
	}
	_, err = plan([]instrument.Package{{Path: "example.com/ring"}}, "", &Options{Tests: "."})
	require.ErrorContains(t, err, "no ordinary tests in example.com/ring")
	require.ErrorContains(t, (&Options{Tests: ".", Run: "."}).normalize(), "give one of them")
}

func TestSubtestsThatNoPatternMatchesAreAnError(t *testing.T) {
	_, _, err := runScenarios(t, fakeTarget{}, Options{Tests: "TestNothing/absent"}, "TestNothing")
	var usage *UsageError
	require.ErrorAs(t, err, &usage)
	require.Contains(t, err.Error(), "-test TestNothing/absent matches no subtest")
}

func TestStrategiesAreKnownByName(t *testing.T) {
	o := Options{Strategy: "luck"}
	require.ErrorContains(t, o.normalize(), `strategy "luck": want one of dpor, random, pos, pct`)
	o = Options{Strategy: "pos"}
	require.NoError(t, o.normalize())
}

func TestMessagesAreToldFromOtherOutput(t *testing.T) {
	var got []string
	s := splitter{
		rest:      newOutput(100),
		onMessage: func(m wire.Message) { got = append(got, m.Result.Check) },
	}
	const a, b = `{"result":{"check":"A"}}`, `{"result":{"check":"B"}}`
	text := "one\ntwo" + wire.Mark + a + "\n" + wire.Mark + "{broken\n" +
		wire.Mark + "{}\n" + wire.Mark + b + "\nlast"
	for i := range text { // in the smallest pieces
		s.Write([]byte{text[i]})
	}
	s.flush()
	require.Equal(t, []string{"A", "B"}, got)
	require.Equal(t, "one\ntwo"+wire.Mark+"{broken\n"+wire.Mark+"{}\nlast", s.rest.String())
}

func TestOutputKeepsBothEnds(t *testing.T) {
	o := newOutput(4)
	for _, b := range strings.Repeat("x", 100) + "tail" {
		o.Write([]byte(string(b)))
	}
	require.True(t, strings.HasPrefix(o.String(), "xxxx\n[...]\n"), o.String())
	require.True(t, strings.HasSuffix(o.String(), "tail"))
}

func TestBothRunsShareTheBudget(t *testing.T) {
	for _, c := range []struct {
		opts        Options
		plain, race string
	}{
		{Options{Budget: Budget{Time: 30 * time.Second}}, "30s", "races not checked"},
		// The plain run used half a second of its part.
		{Options{Budget: Budget{Time: 30 * time.Second}, Race: true},
			"15s", "race run was cut short: 29.5s"},
		{Options{Race: true}, "0s", "race run was cut short: 0s"},
	} {
		r := one(t, c.opts, "TestBudget")
		require.Equal(t, []string{c.plain}, r.Assumptions)
		require.Contains(t, r.Bounded, c.race)
	}
}

func TestFilesAreNamedFromTheRootOfTheModule(t *testing.T) {
	r := runner{root: filepath.FromSlash("/m")}
	for file, want := range map[string]string{
		"": "", "/m/deque/steal.go": "deque/steal.go", "steal_test.go": "deque/steal_test.go",
		"/other/x.go": "/other/x.go", "/mm/x.go": "/mm/x.go",
	} {
		require.Equal(t, want, r.relative("/m/deque", file), file)
	}
	require.Equal(t, "/m/x.go", (&runner{}).relative("/m", "x.go"))
}

// The plain run writes the traces, and the race run has the same steps.
func TestBothRunsOfACertifiedCheckHaveAllSteps(t *testing.T) {
	r := runner{options: &Options{Certify: "traces"}, target: fakeTarget{}}
	for _, race := range []bool{false, true} {
		s := r.settings(planned{}, race)
		require.True(t, s.AllSteps)
		require.Equal(t, !race, s.Certify != "")
	}
	r.options.Certify = ""
	require.False(t, r.settings(planned{}, true).AllSteps)
}
