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
	ring := func(theorem string) lemma { return lemma{source: "Deque.v", theorem: theorem} }
	broken := func(theorem, old, new, falseLemma string) lemma {
		return lemma{source: "Deque.v", theorem: theorem, old: old, new: new, falseLemma: falseLemma}
	}
	together := func(theorem string) lemma { return lemma{source: "Rings.v", theorem: theorem} }
	apart := func(theorem, old, new, falseLemma string) lemma {
		return lemma{source: "Rings.v", theorem: theorem, old: old, new: new, falseLemma: falseLemma}
	}
	wrap := func(theorem string) lemma { return lemma{source: "Wrap.v", theorem: theorem} }
	counter := func(theorem string) refutation { return refutation{wrap(theorem)} }
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
			ID: "deque/D5", Statement: "what a taker reads at a position is what the owner pushed there",
			Scope: "any N thieves, any capacity, any width of a word", Assumptions: window, Code: code,
			proof:   ring("takes_what_was_pushed"),
			mutants: []mutant{{"D1", "room is measured from the real head", broken("takes_what_was_pushed", "sub (word (length l)) (word s) < cap ->", "sub (word (length l)) (word r) < cap ->", "step_ordered")}},
		},
		{
			ID: "deque/D6", Statement: "no loss, no duplication: every position below real is read once, or about to be, and no other is",
			Scope: "any N thieves, any capacity, any width of a word", Assumptions: window, Code: code,
			proof: ring("no_loss_no_duplication"),
			mutants: []mutant{
				{"reads-on", "a thief reads one slot more than it has claimed", broken("no_loss_no_duplication",
					"true (seq r n) ps out", "true (seq r (n+1)) ps out", "step_holds")},
				{"frees", "a pop during a steal moves the steal head, too", broken("no_loss_no_duplication",
					"(if word s =? word r then r+1 else s)", "(r+1)", "step_opened")},
			},
		},
		{
			ID: "deque/D7", Statement: "ABA window: a head that equals the one that was read is the same head, if it advanced fewer times than a word can count",
			Scope: "any N bits in a word", Assumptions: nil, Code: code,
			proof:   wrap("same_word_same_position"),
			mutants: []mutant{{"round", "exactly one round of advances", counter("same_head_after_a_round")}},
		},
		{
			ID: "deque/D8", Statement: "no overwrite: a slot that is written is none that anybody will still read",
			Scope: "any N thieves, any capacity, any width of a word", Assumptions: window, Code: code,
			proof: ring("no_overwrite"),
			mutants: []mutant{{"D5", "a push comes between a pop and its read, as if another than the owner popped", broken("no_overwrite",
				"h out k v : sub (word (length l)) (word s) < cap ->\n    step (Writes v) (St m s r t l o h [] out k) (St (put m (idx (length l)) (Some v)) s r t (l ++ [v]) o h [] out k)",
				"h ps out k v : sub (word (length l)) (word s) < cap ->\n    step (Writes v) (St m s r t l o h ps out k) (St (put m (idx (length l)) (Some v)) s r t (l ++ [v]) o h ps out k)", "step_holds")}},
		},
		{
			ID: "deque/D9", Statement: "a difference of positions is right across the wrap, if it is less than a word can count",
			Scope: "any N bits in a word", Assumptions: nil, Code: []string{"deque/head.go"},
			proof:   wrap("difference_of_words"),
			mutants: []mutant{{"round", "a difference of one round", counter("difference_after_a_round")}},
		},
		{
			ID: "deque/D10", Statement: "a position's slot can be told from the word that counts it, if the capacity divides the number of words",
			Scope: "any N bits in a word, any capacity", Assumptions: nil, Code: []string{"deque/deque.go"},
			proof:   wrap("slot_of_word"),
			mutants: []mutant{{"D3", "a width that the capacity does not divide", counter("slot_of_other_word")}},
		},
		{
			ID: "deque/D11", Statement: "linearization: each operation takes effect at one access, on a queue that no other access changes: a push at tail.Store, a take at its CAS, Empty at the load that says so",
			Scope: "any N thieves, any capacity, any width of a word", Assumptions: []string{"fewer advances than a word can count between a thief's head.Load and its tail.Load and claim"}, Code: code,
			proof: ring("linearization"),
			mutants: []mutant{
				{"stalls", "a thief stalls between its two loads for a whole round", broken("linearization", "t < hr + width -> word t = word hr ->", "word t = word hr ->", "linearization")},
				{"open", "a thief that sees another's steal says Empty", broken("linearization", "t < hr + width -> word t = word hr ->", "hs < hr ->", "linearization")},
				{"stale", "the claim compares the steal head only", broken("linearization", "word s = word hs -> word r = word hr ->", "word s = word hs ->", "step_ordered")},
				{"early", "the tail goes up before the slot is written", broken("linearization",
					"o h [] out k) (St m s r (length l) l o h [] out k)\n(* Pop", "o h [] out k) (St m s r (length l + 1) l o h [] out k)\n(* Pop", "step_ordered")},
			},
		},
		{
			ID: "deque/D12", Statement: "rings together: what was pushed to any of them is in one of them, in transit in one pair of hands, or handed out; once",
			Scope: "any N rings, owners, steals, any capacity, any width of a word", Assumptions: []string{"as deque/D11, for each ring"}, Code: code,
			proof: together("union"),
			mutants: []mutant{
				{"leaves", "a thief drops what it reads", apart("union", "(* j steals from i *)\n    step (St R L sp hd) (St (upd i s' R) (upd j (h ++ opt v) L) sp hd)",
					"step (St R L sp hd) (St (upd i s' R) L sp hd)", "step_accounts")},
				{"twice", "what lands in a thief's ring stays in its hands", apart("union", "(St (upd j s' R) (upd j (a ++ b) L) sp hd)", "(St (upd j s' R) L sp hd)", "step_accounts")},
			},
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
		{
			ID: "deque/S1", Statement: "three rings that steal from each other: every task runs once or is still queued, and no steal stays open",
			Scope: "capacity 4, 8 tasks, indices modulo 16", Assumptions: window, Code: code,
			proof: model{source: "deque.pml", defines: []string{"CAP=4", "IDX=16"}},
			mutants: []mutant{
				{"D1", "room in the destination is not looked at", model{source: "deque.pml", defines: []string{"CAP=4", "IDX=16", "NOROOM"}}},
				{"D4", "the release is tried once", model{source: "deque.pml", defines: []string{"CAP=4", "IDX=16", "ABANDON"}}},
			},
		},
		{
			ID: "deque/S2", Statement: "a claim takes what is queued if the owner does fewer operations in the thief's window than bring the head round",
			Scope: "capacity 4, indices modulo 16, 31 pushes and pops", Assumptions: nil, Code: code,
			proof:   model{source: "window.pml", defines: []string{"CAP=4", "IDX=16", "OPS=31"}},
			mutants: []mutant{{"D2", "enough of them to bring the head round once", model{source: "window.pml", defines: []string{"CAP=4", "IDX=16", "OPS=40"}}}},
		},
	}
}
