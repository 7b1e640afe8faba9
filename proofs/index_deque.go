package proofs

import (
	"github.com/surewake/surewake/proofs/smt"
	"github.com/surewake/surewake/proofs/spec"
)

func dequeTheorems() []Theorem {
	code := []string{"deque/owner.go", "deque/steal.go"}
	window := []string{"fewer than 2^32 advances between a thief's head.Load and its claim (deque/D7 is about this window)"}
	deque := spec.Deque()
	prove := func(s *spec.System, goal string, parts ...string) invariant {
		return invariant{smt.Proof{System: s, Invariant: append([]string{spec.DequeInvariant}, parts...), Goals: []string{goal}}, "deque.go"}
	}
	// claims is the same with what holds at each claim of the thief that is followed.
	claims := func(s *spec.System) invariant {
		p := prove(s, spec.ClaimSound)
		p.At = map[string]string{"claim": "real == hr && n <= tail - real && n <= cap"}
		return p
	}
	roomFromReal := deque.With(spec.Rule{Name: "room", When: "own == 0 && n >= 1 && n <= cap - (tail - real) && n <= left", Do: "own = n; left -= n"})
	stale := deque.With(spec.Rule{Name: "claim", When: "looked == 2 && steal == hs && hs == hr && ht - hr <= cap && n >= 1 && 2*n <= ht - hr + 1",
		Do: "real += n; taken += n; claim = n; looked = 0; hs = 0; hr = 0; ht = 0"})
	tailFirst := deque.With(spec.Rule{Name: "look_head", When: "looked == 0", Do: "looked = 1; ht = tail"}).
		With(spec.Rule{Name: "look_tail", When: "looked == 1", Do: "looked = 2; hs = steal; hr = real"})
	twice := deque.With(spec.Rule{Name: "pop_after", When: "own == 0 && real < tail && looked == 0", Do: "taken++"})
	within := func(s *spec.System) exploration {
		return exploration{s, spec.Question{Start: map[string]int{"half": 2, "cap": 4, "left": 6}, Params: 4,
			Always: []string{spec.DequeBound, spec.NoOverwrite, spec.ClaimSound, spec.TakenOnce, spec.ClaimHeld}, Ends: "false"}, "deque.go"}
	}
	return []Theorem{
		{
			ID: "deque/D1", Statement: "real-steal and tail-steal stay between 0 and the capacity",
			Scope: "any N thieves, any capacity", Assumptions: window, Code: code,
			proof:   prove(deque, spec.DequeBound),
			mutants: []mutant{{"D1", "room in the destination is measured from its real head", prove(roomFromReal, spec.DequeBound)}},
		},
		{
			ID: "deque/D2", Statement: "no slot that is written is one of [steal, tail), which are queued or still being copied",
			Scope: "any N thieves, any capacity", Assumptions: window, Code: code,
			proof:   prove(deque, spec.NoOverwrite),
			mutants: []mutant{{"D1", "room in the destination is measured from its real head", prove(roomFromReal, spec.NoOverwrite)}},
		},
		{
			ID: "deque/D3", Statement: "a claim that succeeds takes values that were queued ever since the thief read the head, at most a capacity of them",
			Scope: "any N thieves, any capacity", Assumptions: window, Code: code,
			proof: claims(deque),
			mutants: []mutant{
				{"stale", "the claim compares the steal head only", claims(stale)},
				{"tail-first", "the thief loads the tail before the head", claims(tailFirst)},
			},
		},
		{
			ID: "deque/D4", Statement: "each position below real was taken once, by one taker, and no other was",
			Scope: "any N thieves, any capacity", Assumptions: window, Code: code,
			proof:   prove(deque, spec.TakenOnce, spec.TakenOnce),
			mutants: []mutant{{"pop-after", "a taker reads without moving the head", prove(twice, spec.TakenOnce, spec.TakenOnce)}},
		},
		{
			ID: "deque/X1", Statement: "D1 to D4 in every state",
			Scope: "capacity 4, 6 pushes, any number of thieves", Assumptions: window, Code: code,
			proof: within(deque),
			mutants: []mutant{
				{"D1", "room in the destination is measured from its real head", within(roomFromReal)},
				{"stale", "the claim compares the steal head only", within(stale)},
			},
		},
	}
}
