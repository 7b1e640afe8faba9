//go:build !race

package explore_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/explore"
	"pgregory.net/rapid"
)

// interrupted searches as cfg says, and stops again and again, about once in every n executions.
// Each time it goes on from the state.
func (s *search) interrupted(n int) tally {
	all := tally{complete: map[string]int{}, dead: map[string]int{}}
	cfg := s.cfg
	for {
		var state *explore.State
		cfg.Between = func(p explore.Part) bool {
			if s.rand.IntN(n) > 0 {
				return true
			}
			state = copied(s.t, p.State())
			return false
		}
		got := s.of(cfg)
		for k, times := range got.complete {
			all.complete[k] += times
		}
		for k, times := range got.dead {
			all.dead[k] += times
		}
		all.res = got.res
		if state == nil {
			return all
		}
		cfg.From = state
	}
}

// copied returns a state as another process reads it.
func copied(t require.TestingT, s *explore.State) *explore.State {
	text, err := json.Marshal(s)
	require.NoError(t, err)
	out := new(explore.State)
	require.NoError(t, json.Unmarshal(text, out))
	return out
}

// sameInterrupted holds searches that were interrupted against one that was not: they must run the
// same executions, in the same order.
func sameInterrupted(
	t tester, p program, run func(*world), cfg explore.Config, key func(*world) string, seed uint64,
) {
	if cfg.Executions == 0 {
		cfg.Executions = 2_000
	}
	s := &search{t, p, run, key, cfg, rand.New(rand.NewPCG(seed, 0))}
	want := s.of(cfg)
	if f := want.res.Failure; f != nil {
		f.Stack, f.Later = "", false // the goroutines and the first execution of the process
	}
	for _, n := range []int{1, 3, 20} {
		got := s.interrupted(n)
		how := fmt.Sprintf("interrupted once in %d\n%v", n, p)
		if f := got.res.Failure; f != nil {
			f.Stack, f.Later = "", false
		}
		got.res.Seconds, want.res.Seconds = 0, 0
		require.Equal(t, want.res, got.res, how)
		if want.res.Failure == nil {
			require.True(t, maps.Equal(want.complete, got.complete), how)
			require.True(t, maps.Equal(want.dead, got.dead), how)
		}
	}
}

// kinds of programs, and of their operations.
var kinds = map[string][]string{
	"atomics": {"load", "store", "cas", "add"},
	"mutexes": {"load", "store", "lock", "lock", "unlock", "trylock"},
	"rwmutex": {
		"rlock", "wlock", "tryrlock", "trywlock", "rwunlock", "rwunlock", "load", "store",
	},
	"choices":    {"load", "store", "cas", "choose"},
	"waitgroups": {"load", "store", "wgadd", "wgadd", "wgdone", "wgdone", "wgwait"},
	"conditions": {"load", "store", "lock", "condwait", "signal", "unlock", "broadcast"},
	"once":       {"load", "store", "once", "once", "lock", "unlock"},
	"spinning":   {"load", "store", "await", "cas", "lock", "unlock"},
	"watching":   {"load", "store", "watch", "cas", "claim"},
	"sends":      {"send", "recv", "recv", "close", "store", "load"},
	"looks":      {"send", "recv", "poll", "offer", "len", "load", "store"},
	"selects":    {"send", "recv", "either", "both", "close", "poll", "same"},
	"requests":   {"send", "recv", "recv", "both", "offer", "give", "either", "close"},
	"polling":    {"send", "recv", "close", "keep polling", "keep offering"},
	"timers": {
		"send", "await or expire", "expire", "expired", "stop", "reset", "sleep", "now",
	},
	"timers apart": {
		"send", "rest", "rest", "alarm", "rearm", "value or alarm", "value or timeout", "look",
		"load", "store",
	},
}

func TestInterruptedSearchesAreTheSame(t *testing.T) {
	for name, ops := range kinds {
		t.Run(name, func(t *testing.T) {
			gen := genProgram(ops, 4, 3)
			rapid.Check(t, func(t *rapid.T) {
				p := gen.Draw(t, "program")
				cfg := explore.Config{Preemptions: -1}
				switch rapid.IntRange(0, 5).Draw(t, "how") {
				case 0:
					cfg.Preemptions = rapid.IntRange(0, 3).Draw(t, "preemptions")
				case 1:
					cfg.Strategy = rapid.SampledFrom([]explore.Strategy{
						explore.Random, explore.POS, explore.PCT,
					}).Draw(t, "strategy")
					cfg.Executions, cfg.Seed = 50, 7
				case 2:
					cfg.Unreduced, cfg.Executions = true, 200
				}
				switch name {
				case "timers":
					cfg.EarlyTimeouts = rapid.IntRange(0, 2).Draw(t, "early")
					cfg.TimePasses = rapid.Bool().Draw(t, "passes")
				case "timers apart":
					cfg.EarlyTimeouts = rapid.IntRange(0, 6).Draw(t, "early")
				}
				seed := rapid.Uint64().Draw(t, "seed")
				sameInterrupted(t, p, p.run, cfg, (*world).outcome, seed)
			})
		})
	}
}

// Threads have other numbers in other executions.
func TestInterruptedSearchesOfNestedThreadsAreTheSame(t *testing.T) {
	for _, c := range []struct {
		name string
		ops  []string
	}{
		{"atomics", []string{"load", "store", "add"}},
		{"locks", []string{"load", "store", "lock", "lock", "unlock"}},
		{"channels", []string{"send", "recv", "close", "load", "store", "len"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			gen := nested(c.ops, 5, 2)
			rapid.Check(t, func(t *rapid.T) {
				p := buffered(gen.Draw(t, "program"))
				seed := rapid.Uint64().Draw(t, "seed")
				cfg := explore.Config{Preemptions: -1, Executions: 500}
				sameInterrupted(t, p, p.runNested, cfg, (*world).outcome, seed)
			})
		})
	}
}

// The execution that sees the clock has left out nothing; one before it has.
func TestInterruptedSearchesKnowWhatTheyLeftOut(t *testing.T) {
	p := program{
		{{Op: "choose"}, {Op: "alarm that polls", Cond: true}},
		{{Op: "rest"}, {Op: "rest"}},
	}
	cfg := explore.Config{Preemptions: -1, EarlyTimeouts: 9}
	for seed := range uint64(5) {
		sameInterrupted(t, p, p.run, cfg, (*world).outcome, seed)
	}
}

// Of these programs, a search that goes on runs other executions if it forgets something.
func TestInterruptedSearchesOfKeptProgramsAreTheSame(t *testing.T) {
	for name, p := range map[string]program{
		"two threads start one each": {
			{{Op: "load", Var: 1}, {Op: "go", Val: 2}},
			{{Op: "load"}, {Op: "go", Val: 3}},
			{{Op: "load"}},
			{{Op: "load", Var: 1}},
			{{Op: "store", Var: 1}},
		},
		"two threads start one each, which store": {
			{{Op: "store"}, {Op: "go", Val: 2}},
			{{Op: "store"}, {Op: "go", Val: 3}},
			{{Op: "store", Var: 1}, {Op: "load"}},
			{{Op: "load", Var: 1}, {Op: "store"}, {Op: "store", Var: 1}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(5) {
				cfg := explore.Config{Preemptions: -1}
				sameInterrupted(t, p, p.runNested, cfg, (*world).outcome, seed)
			}
		})
	}
}
