package proofs

import (
	"github.com/surewake/surewake/proofs/smt"
	"github.com/surewake/surewake/proofs/spec"
)

func dequeTheorems() []Theorem {
	code := []string{"deque/owner.go", "deque/steal.go"}
	window := []string{"fewer than 2^32 advances between a thief's head.Load and its claim " +
		"(deque/D7 is about this window)"}
	about := func(proof func(*spec.System) proof) onTable {
		return on("Deque", spec.Deque(),
			proof)
	}
	invariantOf := func(s *spec.System, goal string, parts ...string) invariant {
		return invariant{smt.Proof{
			System: s, Invariant: append([]string{spec.DequeInvariant}, parts...),
			Goals: []string{goal},
		}, "deque.go"}
	}
	prove := func(goal string, parts ...string) onTable {
		return about(func(s *spec.System) proof { return invariantOf(s, goal, parts...) })
	}
	// claims says as well what holds at each claim of the thief that is followed.
	claims := about(func(s *spec.System) proof {
		p := invariantOf(s, spec.ClaimSound)
		p.At = map[string]string{"claim": "real == hr && n <= tail - real && n <= cap"}
		return p
	})
	within := about(func(s *spec.System) proof {
		return exploration{s, spec.Question{
			Start: map[string]int{"half": 2, "cap": 4, "left": 6}, Params: 4,
			Always: []string{spec.DequeBound, spec.NoOverwrite, spec.ClaimSound, spec.TakenOnce,
				spec.ClaimHeld},
			Ends: "false",
		}, "deque.go"}
	})
	ring := func(theorem string) lemma { return lemma{source: "Deque.v", theorem: theorem} }
	together := func(theorem string) lemma { return lemma{source: "Rings.v", theorem: theorem} }
	wrap := func(theorem string) lemma {
		return lemma{source: "Wrap.v", theorem: theorem,
			numbers: true}
	}
	counter := func(theorem string) refutation { return refutation{wrap(theorem)} }
	return []Theorem{
		{
			ID: "deque/D1", Statement: "real-steal and tail-steal stay between 0 and the capacity",
			Scope: "any N thieves, any capacity", Assumptions: window, Code: code,
			proof: prove(spec.DequeBound),
		},
		{
			ID: "deque/D2",
			Statement: "no slot that is written is one of [steal, tail), which are queued or " +
				"still being copied",
			Scope: "any N thieves, any capacity", Assumptions: window, Code: code,
			proof: prove(spec.NoOverwrite),
		},
		{
			ID: "deque/D3",
			Statement: "a claim that succeeds takes values that were queued ever since the " +
				"thief read the head, at most a capacity of them",
			Scope: "any N thieves, any capacity", Assumptions: window, Code: code,
			proof: claims,
		},
		{
			ID:        "deque/D4",
			Statement: "each position below real was taken once, by one taker, and no other was",
			Scope:     "any N thieves, any capacity", Assumptions: window, Code: code,
			proof: prove(spec.TakenOnce, spec.TakenOnce),
		},
		{
			ID:        "deque/D5",
			Statement: "what a taker reads at a position is what the owner pushed there",
			Scope:     "any N thieves, any capacity, any width of a word", Assumptions: window,
			Code:  code,
			proof: ring("takes_what_was_pushed"),
		},
		{
			ID: "deque/D6",
			Statement: "no loss, no duplication: every position below real is read once, or " +
				"about to be, and no other is",
			Scope: "any N thieves, any capacity, any width of a word", Assumptions: window,
			Code:  code,
			proof: ring("no_loss_no_duplication"),
		},
		{
			ID: "deque/D7",
			Statement: "ABA window: a head that equals the one that was read is the same head, " +
				"if it advanced fewer times than a word can count",
			Scope: "any N bits in a word", Assumptions: nil, Code: code,
			proof: wrap("same_word_same_position"),
			mutants: []weakened{{id: "round", what: "exactly one round of advances",
				proof: counter("same_head_after_a_round")}},
		},
		{
			ID:        "deque/D8",
			Statement: "no overwrite: a slot that is written is none that anybody will still read",
			Scope:     "any N thieves, any capacity, any width of a word", Assumptions: window,
			Code:  code,
			proof: ring("no_overwrite"),
		},
		{
			ID: "deque/D9",
			Statement: "a difference of positions is right across the wrap, if it is less than " +
				"a word can count",
			Scope: "any N bits in a word", Assumptions: nil, Code: []string{"deque/head.go"},
			proof: wrap("difference_of_words"),
			mutants: []weakened{{id: "round", what: "a difference of one round",
				proof: counter("difference_after_a_round")}},
		},
		{
			ID: "deque/D10",
			Statement: "a position's slot can be told from the word that counts it, if the " +
				"capacity divides the number of words",
			Scope: "any N bits in a word, any capacity", Assumptions: nil,
			Code:  []string{"deque/deque.go"},
			proof: wrap("slot_of_word"),
			mutants: []weakened{{id: "D3", what: "a width that the capacity does not divide",
				proof: counter("slot_of_other_word")}},
		},
		{
			ID: "deque/D11",
			Statement: "linearization: each operation linearizes at one access, on a queue " +
				"that no other access changes: a push at tail.Store, a take at its CAS, Empty " +
				"at the load that says so",
			Scope: "any N thieves, any capacity, any width of a word",
			Assumptions: []string{"fewer advances than a word can count between a thief's " +
				"head.Load and its tail.Load and claim"}, Code: code,
			proof: ring("linearization"),
		},
		{
			ID: "deque/D12",
			Statement: "rings together: what was pushed to any of them is in one of them, in " +
				"transit in one pair of hands, or handed out; once",
			Scope:       "any N rings, owners, steals, any capacity, any width of a word",
			Assumptions: []string{"as deque/D11, for each ring"}, Code: code,
			proof: together("union"),
		},
		{
			ID: "deque/X1", Statement: "D1 to D4 in every state",
			Scope: "capacity 4, 6 pushes, any number of thieves", Assumptions: window, Code: code,
			proof: within,
		},
		{
			ID: "deque/S1",
			Statement: "three rings that steal from each other: every task runs once or is " +
				"still queued, and no steal stays open",
			Scope: "capacity 4, 8 tasks, indices modulo 16", Assumptions: window, Code: code,
			proof: model{source: "deque.pml", defines: []string{"CAP=4", "IDX=16"}},
		},
		{
			ID: "deque/S2",
			Statement: "a claim takes what is queued if the owner does fewer operations in the " +
				"thief's window than bring the head round",
			Scope: "capacity 4, indices modulo 16, 31 pushes and pops", Assumptions: nil,
			Code:  code,
			proof: model{source: "window.pml", defines: []string{"CAP=4", "IDX=16"}},
		},
	}
}
