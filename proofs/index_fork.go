package proofs

import (
	"github.com/surewake/surewake/proofs/smt"
	"github.com/surewake/surewake/proofs/spec"
)

func forkTheorems() []Theorem {
	code := []string{"fork/stack.go", "fork/frame.go"}
	anyNumber := "any N thieves, any number of forks, joins, polls and panics"
	about := func(proof func(*spec.System) proof) onTable { return on("Fork", spec.Fork(), proof) }
	invariantOf := func(s *spec.System, goals ...string) invariant {
		return invariant{smt.Proof{
			System: s, Goals: goals,
			Invariant: []string{spec.ForkPositions, spec.ForkOnce, spec.ForkReach, spec.ForkFed,
				spec.ForkFates, spec.ForkShape},
		}, "fork.go"}
	}
	prove := func(goals ...string) onTable {
		return about(func(s *spec.System) proof { return invariantOf(s, goals...) })
	}
	// proveAt says as well what holds when a rule fires.
	proveAt := func(at map[string]string, goals ...string) onTable {
		return about(func(s *spec.System) proof {
			p := invariantOf(s, goals...)
			p.At = at
			return p
		})
	}
	const mine = "implies(top - 1 == at, fate == 1 && runs == 0)"
	return []Theorem{
		{
			ID: "fork/K1",
			Statement: "each fork that is joined runs exactly once, by its owner or by the thief " +
				"who has claimed it, and the owner leaves it alone until that has ended; one that " +
				"is abandoned runs at most once",
			Scope: anyNumber, Code: code,
			proof: proveAt(map[string]string{
				"claim":     "implies(tail == at, fate == 1 && runs == 0)",
				"join_fast": mine, "join_slow": mine, "join_taken": mine,
				"join_claimed": "implies(top - 1 == at, fate == 2 && runs == 1 && done == 1)",
				"fork_fast":    "implies(top == at, fate == 0)",
				"push":         "implies(top == at, fate == 0)",
				"drop":         mine, "drop_taken": mine,
			}, spec.ForkOnce),
		},
		{
			ID: "fork/K2",
			Statement: "the owner stores the word only when nothing is public: it overwrites no " +
				"claim, and at most one thief's asking, which it answers",
			Scope: anyNumber, Code: code,
			proof: proveAt(map[string]string{"expose_store": "tail == pub && split <= tail"},
				spec.ForkPositions),
		},
		{
			ID: "fork/K3",
			Statement: "a thief claims only a fork that was made and not joined, and the owner " +
				"makes new ones at depths that nobody has claimed",
			Scope: anyNumber, Code: code,
			proof: proveAt(map[string]string{
				"claim":     "tail < split && split <= top && implies(tail == at, at < top)",
				"fork_fast": "implies(fate == 2, at < top)",
				"push":      "implies(fate == 2, at < top)",
			}, spec.ForkFates),
		},
		{
			ID: "fork/K4",
			Statement: "between two operations of the owner, all forks that were not joined but " +
				"the K youngest are claimed, or can be claimed by one compare-and-swap",
			Scope: anyNumber + ", any K of at least 2", Code: code,
			proof: prove(spec.ForkReach+" && implies(tail == pub, split <= tail) && "+
				"implies(tail < pub, pub == split)", spec.ForkReach),
		},
		{
			ID: "fork/K5",
			Statement: "after a thief has asked, the first fork, join or poll of the owner makes " +
				"at least the older half of the private forks public, if there are any",
			Scope: anyNumber, Code: code,
			proof: proveAt(map[string]string{
				"poll_quiet":   "implies(due == 1, fed == 1)",
				"expose_store": "2*n >= top - split",
				"expose_swap":  "2*n >= top - split",
				"fork_fast":    "hungry == 0", "join_fast": "hungry == 0",
			}, spec.ForkFed),
		},
	}
}
