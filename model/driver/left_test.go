package driver

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/wire"
)

func TestWhatABudgetCutOff(t *testing.T) {
	for _, c := range []struct {
		left float64
		n    int64
		want string
	}{
		{0, 20_000, ""},
		{123_456, 20_000, "executions left: about 120,000 (28,000 to 410,000)"},
		{1, 1000, "executions left: about 1 (at most 2,000)"},
		{2e15, 20_000, "executions left: more than 10^15"},
	} {
		require.Equal(t, c.want, leftText(c.left, c.n))
	}
}

func TestRowSaysWhatIsLeft(t *testing.T) {
	run := testRun{}
	cut := wire.Result{
		Check: "TestX", Verdict: wire.Bounded, Bounded: "budget of 900 executions",
		Complete: 600, Deadlocked: 200, Pruned: 100, Cut: true, Left: 5000,
	}
	plain, race := run.rowOf(&result{Result: cut}), run.rowOf(&result{Result: cut})
	require.EqualValues(t, 5000, plain.Left)
	require.Equal(t, "budget of 900 executions; executions left: about 5,000 (1,100 to 17,000)",
		note(plain))

	whole := plain
	whole.merge(race)
	require.Equal(t, note(plain), note(whole), "both are cut short: that of the plain run")

	proved := run.rowOf(&result{Result: wire.Result{Check: "TestX", Verdict: wire.Proved}})
	proved.merge(race)
	require.EqualValues(t, 5000, proved.Left)
	require.Equal(t, "the race run was cut short: budget of 900 executions; "+
		"executions left: about 5,000 (1,100 to 17,000)", note(proved))

	plain.object(wire.KindRace, "data race")
	require.Zero(t, plain.Left)
	require.Empty(t, plain.Cut)
	require.Empty(t, note(plain))
}

// A run that is complete within a bound on preemptions does not hide that the other was cut short.
func TestRowSaysWhichRunWasCutShort(t *testing.T) {
	const bound = "at most 2 preemptions"
	within := wire.Result{Check: "TestX", Verdict: wire.Bounded, Bounded: bound}
	cut := wire.Result{Check: "TestX", Verdict: wire.Bounded, Bounded: "budget of 1s", Cut: true}
	for _, c := range []struct {
		plain, race wire.Result
		cut, why    string
		counted     int
	}{
		{within, within, "", bound, 0},
		{cut, within, "plain", "budget of 1s", 1},
		{within, cut, "race", bound + "; the race run was cut short: budget of 1s", 1},
		{cut, cut, "both", "budget of 1s", 1},
	} {
		run := testRun{
			options: &Options{}, test: "TestX",
			plain: &outcome{results: []result{{Result: c.plain}}},
			race:  &outcome{results: []result{{Result: c.race}}},
		}
		rows := run.rows()
		require.Len(t, rows, 1)
		require.Equal(t, c.cut, rows[0].Cut)
		require.Equal(t, c.why, rows[0].Bounded)
		var sum Summary
		sum.add(rows[0])
		require.Equal(t, Summary{Checks: 1, Bounded: 1, Cut: c.counted}, sum)
	}
}

// What a budget leaves of what is left is all that is still waited for.
func TestWaitForNoMoreThanTheBudgetAllows(t *testing.T) {
	for _, c := range []struct{ left, most, want float64 }{
		{-1, 0, -1}, {-1, 50, -1}, {70, 0, 70}, {70, 50, 50}, {40, 50, 40},
	} {
		a := Activity{}
		a.tell(&wire.Progress{Check: "TestX", Left: c.left, Most: c.most})
		require.InDelta(t, c.want, a.Left, 0)
	}
}

// Both runs of a check take no longer than its budget: the plain run has half of it.
func TestRaceRunHasTheRestOfTheBudget(t *testing.T) {
	took := func(seconds ...float64) (all []result) {
		for _, s := range seconds {
			all = append(all, result{Result: wire.Result{Seconds: s}})
		}
		return all
	}
	for _, c := range []struct {
		plain []result
		want  float64
	}{
		{nil, 30}, {took(1), 29}, {took(15), 15}, {took(1, 12, 3), 18}, {took(15.5), 15},
	} {
		require.InDelta(t, c.want, raceSeconds(30, c.plain), 1e-9)
	}
	require.Zero(t, raceSeconds(0, took(5)), "no budget")
}
