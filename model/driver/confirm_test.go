package driver

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/wire"
)

func init() {
	later := func(name string, change func(*wire.Result, wire.Settings)) func(wire.Settings) int {
		return func(s wire.Settings) int {
			r := failing(name)
			if s.Mode == wire.Replay {
				r = proved(name)
			}
			change(&r, s)
			return ends(r)
		}
	}
	scenarios["TestOnlyLater"] = later("TestOnlyLater", func(*wire.Result, wire.Settings) {})
	scenarios["TestFirst"] = later("TestFirst", func(r *wire.Result, _ wire.Settings) {
		r.Later = false
	})
	scenarios["TestRacesLater"] = later("TestRacesLater", func(r *wire.Result, _ wire.Settings) {
		if r.Verdict == Failed {
			r.Kind = wire.KindRace
		}
	})
	scenarios["TestOnlyLaterInTheRaceRun"] = later("TestOnlyLaterInTheRaceRun",
		func(r *wire.Result, s wire.Settings) {
			if !s.Race {
				*r = proved("TestOnlyLaterInTheRaceRun")
			}
		})
	// Its failure has a reversal, with which only the race detector objects to it.
	scenarios["TestReversed"] = func(s wire.Settings) int {
		r := failing("TestReversed")
		r.Later = false
		if s.Schedule == "0" {
			r = proved("TestReversed")
			r.Verdict, r.Bounded = Bounded, "one schedule"
		}
		if s.Race && (s.Schedule == "0" || s.Mode == wire.Explore) {
			r = failing("TestReversed")
			r.Races, r.Kind, r.Message = 1, wire.KindRace, "data race"
			fmt.Fprint(os.Stderr, sampleRace)
		}
		r.Trace = &wire.Trace{Steps: []wire.Step{
			{Name: "owner", Op: "Push", Object: "r"}, {Name: "thief", Op: "Steal", Object: "r"},
		}}
		say(r)
		if !s.Race {
			_ = wire.Message{Reversal: &wire.Reversal{Second: 1, Schedule: "0"}}.Write(os.Stdout)
		}
		return 1
	}
	// Each schedule passes but those of a search under the race detector.
	scenarios["TestSearched"] = func(s wire.Settings) int {
		r := proved("TestSearched")
		if s.Race && s.Mode == wire.Explore {
			r = failing("TestSearched")
			r.Races, r.Kind = 1, wire.KindRace
		}
		return ends(r)
	}
	scenarios["TestRaceBesideAFailure"] = func(s wire.Settings) int {
		say(failing("TestRaceBesideAFailure/a"))
		if s.Race {
			return ends(failing("TestRaceBesideAFailure/b"))
		}
		return ends(proved("TestRaceBesideAFailure/b"))
	}
	scenarios["TestInTheRaceRun"] = func(s wire.Settings) int {
		if s.Race {
			return ends(failing("TestInTheRaceRun"))
		}
		return ends(proved("TestInTheRaceRun"))
	}
}

// ends says a result, and returns the exit status.
func ends(r wire.Result) int {
	say(r)
	if r.Verdict == Failed {
		return 1
	}
	return 0
}

func TestWhatFailsOnlyBehindOtherExecutionsIsUndecided(t *testing.T) {
	for _, test := range []string{"TestOnlyLater", "TestOnlyLaterInTheRaceRun"} {
		r := one(t, Options{Race: true}, test)
		require.Equal(t, Undecided, r.Verdict, test)
		require.Equal(t, wire.KindNondeterminism, r.Kind)
		require.Contains(t, r.Message, "passes when it is the first of its process")
		require.Contains(t, r.Message, "assertion failed: lost 3", "what it said is kept")
		require.NotEmpty(t, r.Token)
	}
}

func TestFailuresThatStandByThemselvesAreNotDoubted(t *testing.T) {
	for _, test := range []string{"TestFirst", "TestRacesLater", "TestInTheRaceRun"} {
		r := one(t, Options{Race: true}, test)
		require.Equal(t, Failed, r.Verdict, "%s: %s", test, r.Message)
		require.NotContains(t, r.Message, onlyLater)
	}
}

// What only the race run finds is told, too, where another check of the test fails in both.
func TestAFailureOfTheRaceRunStandsBesideOthers(t *testing.T) {
	rows, _, err := runScenarios(t, fakeTarget{}, Options{Race: true}, "TestRaceBesideAFailure")
	require.NoError(t, err)
	require.Len(t, rows, 2)
	require.NotContains(t, rows[0].Message, inRaceRun)
	require.Equal(t, Failed, rows[1].Verdict)
	require.Contains(t, rows[1].Message, inRaceRun)
}

// The execution that passes is run under the race detector as well, once.
func TestWhatPassesIsJudgedByTheRaceDetector(t *testing.T) {
	const order = "with step 2 (Steal r) before step 1 (Push r)"
	r := one(t, Options{}, "TestReversed")
	require.Equal(t, order, r.Passes)
	r = one(t, Options{Race: true}, "TestReversed")
	require.Equal(t, Failed, r.Verdict)
	require.Equal(t, wire.KindAssertion, r.Kind)
	require.Equal(t, order+", but then there is a data race", r.Passes)
	require.True(t, r.Trace.Reversal.Races)
}

// A schedule that is to pass is not searched for races in other orders.
func TestReplayOfWhatPassesIsNoSearch(t *testing.T) {
	for passing, race := range map[bool]bool{true: false, false: true} {
		tok := wire.Token{Check: "TestSearched", Schedule: "1", Passing: passing}
		opts := Options{Race: true}
		require.NoError(t, opts.normalize())
		r, err := newRunner(&opts, fakeTarget{})
		require.NoError(t, err)
		defer r.close()
		test := planned{test: tok.Check, run: "^(" + tok.Check + ")$"}
		again, err := r.replay(t.Context(), test, tok)
		require.NoError(t, err)
		require.Equal(t, race, again.OtherOrder)
		require.Equal(t, race, again.Shows)
	}
}
