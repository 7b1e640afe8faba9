package driver

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/instrument"
)

// The plain runs of these tests would fail.
func TestTheRaceRunStandsForBoth(t *testing.T) {
	r := one(t, Options{Race: true}, "TestStands")
	require.Equal(t, Proved, r.Verdict, "%+v", r)
	require.Equal(t, racesNone, r.Races)
	require.InDelta(t, 0.5, r.Seconds, 0, "one run was made")

	r = one(t, Options{Race: true}, "TestCountedUnderRace")
	require.Equal(t, Bounded, r.Verdict, "%+v", r)
	require.Equal(t, cutBoth, r.Cut)
	require.InDelta(t, 0.5, r.Seconds, 0, "one run was made")

	r = one(t, Options{}, "TestStands")
	require.Equal(t, Failed, r.Verdict, "without the race detector there is the plain run")
	require.Equal(t, racesNotChecked, r.Races)
}

func TestThePlainRunIsMadeWhereItMaySayMore(t *testing.T) {
	type kase struct {
		target fakeTarget
		opts   Options
	}
	for test, cases := range map[string][]kase{
		"TestObserved":          {{}},
		"TestCutUnderRace":      {{}},
		"TestSkipsMore":         {{}},
		"TestFailsUnderRaceToo": {{}},
		"TestStands": {
			{target: fakeTarget{otherRace: true}},
			{target: fakeTarget{raceError: errNoCgo}},
			{opts: Options{Both: true}},
			{opts: Options{Budget: Budget{Time: time.Minute}}},
			{opts: Options{Certify: t.TempDir()}},
		},
	} {
		for _, c := range cases {
			c.opts.Race = true
			rows, _, err := runScenarios(t, c.target, c.opts, test)
			require.NoError(t, err)
			require.NotEmpty(t, rows)
			require.Equal(t, Failed, rows[0].Verdict, "%s %+v", test, c)
			require.Equal(t, "assertion failed: lost 3", rows[0].Message, "%s %+v", test, c)
			require.Equal(t, racesNotChecked, rows[0].Races, "%s %+v", test, c)
		}
	}
}

// What has both runs in it keeps both.
func TestFilesHaveBothRuns(t *testing.T) {
	for _, opts := range []Options{
		{Shard: Part{K: 1, Of: 2}}, {Merge: &Shards{}}, {Checkpoint: "c"}, {CoverProfile: "p"},
		{Certify: "d"}, {Both: true}, {Budget: Budget{Time: 1}},
	} {
		opts.Race = true
		require.False(t, (&runner{options: &opts}).raceFirst(), "%+v", opts)
	}
	for _, opts := range []Options{{}, {Jobs: 2}, {Strategy: "pos"}, {Preemptions: 1},
		{Tests: "."}, {Budget: Budget{Executions: 10}}} {
		require.False(t, (&runner{options: &opts}).raceFirst(), "%+v", opts)
		opts.Race = true
		require.True(t, (&runner{options: &opts}).raceFirst(), "%+v", opts)
		require.False(t, (&runner{options: &opts, noRace: "no gcc"}).raceFirst(), "%+v", opts)
	}
}

// An interrupt of the race run, or of a plain run after it, leaves what was told before.
func TestInterruptOfTheRaceRunLeavesTheResultsSoFar(t *testing.T) {
	opts := Options{Race: true, Procs: 2, Watchdog: time.Hour}
	require.NoError(t, opts.normalize())
	r, err := newRunner(&opts, fakeTarget{})
	require.NoError(t, err)
	defer r.close()
	p, err := plan([]instrument.Package{{
		Path: "example.com/ring", Dir: t.TempDir(), Checks: []string{
			"TestLongRace", "TestLongSecond",
		},
	}}, "", &opts)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	l := &listener{active: func(_ int, active []Activity) {
		n := 0
		for _, a := range active {
			if a.Executions == 7 {
				n++
			}
		}
		if n == 2 {
			cancel()
		}
	}}
	_, err = r.all(ctx, p, l)
	require.ErrorIs(t, err, context.Canceled)
	var rows []string
	for _, row := range l.rows {
		rows = append(rows, fmt.Sprintf("%s %s %d %s, cut %s, races %s",
			row.Name, row.Verdict, row.Complete, row.Bounded, row.Cut, row.Races))
	}
	n := proved("").Complete
	require.Equal(t, []string{
		"TestLongRace bounded 7 interrupted after 7 executions, cut race, races not checked",
		fmt.Sprintf("TestLongSecond/first bounded %d interrupted before its test ended, "+
			"cut plain, races none", n),
		fmt.Sprintf("TestLongSecond/second bounded %d interrupted before its test ended, "+
			"cut plain, races none", n),
	}, rows)
}
