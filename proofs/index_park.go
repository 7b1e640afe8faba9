package proofs

import (
	"github.com/surewake/surewake/proofs/smt"
	"github.com/surewake/surewake/proofs/spec"
)

func parkTheorems() []Theorem {
	code := []string{"park/park.go", "park/futex_linux.go"}
	futex := []string{"the kernel compares the word and sleeps in one step, and a wake finds " +
		"whoever sleeps then", "one parker at a time"}
	about := func(proof func(*spec.System) proof) onTable { return on("Park", spec.Park(), proof) }
	prove := func(goal string, parts ...string) onTable {
		return about(func(s *spec.System) proof {
			return invariant{smt.Proof{
				System: s, Invariant: append([]string{spec.ParkShape}, parts...),
				Goals: []string{goal},
			}, "park.go"}
		})
	}
	quiet := about(func(s *spec.System) proof {
		return exploration{s.Without("interrupted").Without("look_over"), spec.Question{
			Start:  map[string]int{"left": 4},
			Always: []string{spec.TokenKept, spec.WakeOwed, spec.ParkNoMisuse},
			Ends:   spec.Asleep, Terminates: true,
			Never: []string{"leave_none"}, // the time is never over
		}, "park.go"}
	})
	return []Theorem{
		{
			ID: "park/P1",
			Statement: "each token that an Unpark leaves is taken by one Park, or is still " +
				"there: no timeout, signal or late wake eats it",
			Scope: "any N wakers, timeouts and signals", Assumptions: futex, Code: code,
			proof: prove(spec.TokenKept, spec.TokenKept),
		},
		{
			ID:        "park/P2",
			Statement: "a parker that sleeps although its token has come is about to be woken",
			Scope:     "any N wakers, timeouts and signals", Assumptions: futex, Code: code,
			proof: prove(spec.WakeOwed, spec.WakeOwed),
		},
		{
			ID:        "park/P3",
			Statement: "with one parker no access finds what makes the code panic for misuse",
			Scope:     "any N wakers, timeouts and signals", Assumptions: futex, Code: code,
			proof: prove(spec.ParkNoMisuse),
		},
		{
			ID:        "park/X1",
			Statement: "without timeouts every run ends in a sleep whose tokens were all taken",
			Scope:     "4 calls of Unpark", Assumptions: futex, Code: code,
			proof: quiet,
		},
	}
}
