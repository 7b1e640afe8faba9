package proofs

import (
	"github.com/surewake/surewake/proofs/smt"
	"github.com/surewake/surewake/proofs/spec"
)

func parkTheorems() []Theorem {
	code := []string{"park/park.go", "park/futex_linux.go"}
	futex := []string{"the kernel compares the word and sleeps in one step, and a wake finds whoever sleeps then", "one parker at a time"}
	prove := func(s *spec.System, goal string, parts ...string) invariant {
		return invariant{smt.Proof{System: s, Invariant: append([]string{spec.ParkShape}, parts...), Goals: []string{goal}}, "park.go"}
	}
	park := spec.Park()
	stores := park.With(spec.Rule{Name: "leave_token", When: "at == 6 && word == 1", Do: "word = 0; at = 0"})
	blind := park.With(spec.Rule{Name: "sleep", When: "at == 2", Do: "at = 3"})
	noWake := park.With(spec.Rule{Name: "unpark_asleep", When: "left > 0 && word == 2", Do: "left--; word = 1; given++"})
	two := park.With(spec.Rule{Name: "second_take", When: "word == 1", Do: "word = 0; taken++"})
	quiet := func(s *spec.System) exploration {
		s = s.Without("interrupted").Without("look_over")
		return exploration{s, spec.Question{Start: map[string]int{"left": 4}, Always: []string{spec.TokenKept, spec.WakeOwed, spec.ParkNoMisuse},
			Ends: spec.Asleep, Terminates: true}, "park.go"}
	}
	return []Theorem{
		{
			ID: "park/P1", Statement: "each token that an Unpark leaves is taken by one Park, or is still there: no timeout, signal or late wake eats it",
			Scope: "any N wakers, timeouts and signals", Assumptions: futex, Code: code,
			proof:   prove(park, spec.TokenKept, spec.TokenKept),
			mutants: []mutant{{"P1", "the way out stores empty and does not look at what was there", prove(stores, spec.TokenKept, spec.TokenKept)}},
		},
		{
			ID: "park/P2", Statement: "a parker that sleeps although its token has come is about to be woken",
			Scope: "any N wakers, timeouts and signals", Assumptions: futex, Code: code,
			proof: prove(park, spec.WakeOwed, spec.WakeOwed),
			mutants: []mutant{
				{"blind", "the sleep does not compare the word", prove(blind, spec.WakeOwed, spec.WakeOwed)},
				{"no-wake", "Unpark does not wake whom it saw asleep", prove(noWake, spec.WakeOwed, spec.WakeOwed)},
			},
		},
		{
			ID: "park/P3", Statement: "with one parker no access finds what makes the code panic for misuse",
			Scope: "any N wakers, timeouts and signals", Assumptions: futex, Code: code,
			proof:   prove(park, spec.ParkNoMisuse),
			mutants: []mutant{{"two", "a second goroutine takes tokens", prove(two, spec.ParkNoMisuse)}},
		},
		{
			ID: "park/X1", Statement: "without timeouts every run ends in a sleep whose tokens were all taken",
			Scope: "4 calls of Unpark", Assumptions: futex, Code: code,
			proof: quiet(park),
			mutants: []mutant{
				{"no-wake", "Unpark does not wake whom it saw asleep", quiet(noWake)},
				{"blind", "the sleep does not compare the word", quiet(blind)},
			},
		},
	}
}
