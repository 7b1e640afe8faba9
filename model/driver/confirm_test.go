package driver

import (
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
