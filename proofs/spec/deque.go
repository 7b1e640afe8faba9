package spec

// Deque is the ring of package deque, its positions not counted modulo 2^32 (see
// proofs/coq/Wrap.v), for any capacity.
//
// steal, real and tail are as in the code, cap is the capacity and half a half of it. own is how
// many slots after the tail the owner has found free and is writing: one in Push, any number in
// StealInto as the destination. claim is how many slots the open steal took, 0 if none is open. One
// thief is followed: looked is 0, 1 after head.Load, 2 after tail.Load, and hs, hr, ht are what it
// read; the others take whatever is queued. taken counts values that were taken.
func Deque() *System {
	return &System{
		Name: "deque",
		Vars: []string{"cap", "half", "steal", "real", "tail", "own", "claim", "looked", "hs",
			"hr", "ht", "taken", "left"},
		Params:  []string{"n"},
		Samples: []Sample{{map[string]int{"half": 1, "cap": 2, "left": 4}, 2}},
		Init: "half >= 1 && cap == 2*half && left >= 0" +
			" && steal == 0 && real == 0 && tail == 0 && own == 0 && claim == 0 && looked == 0 " +
			"&& hs == 0 && hr == 0 && ht == 0 && taken == 0",
		Rules: []Rule{
			{"room", "Push, PushBatch, pushFull, room: head.Load",
				"own == 0 && n >= 1 && n <= cap - (tail - steal) && n <= left",
				"own = n; left -= n"},
			{"publish", "Push, publish: tail.Store", "own > 0", "tail += own; own = 0"},
			{"overflow", "pushFull: head.CompareAndSwap",
				"own == 0 && steal == real && tail - steal == cap",
				"steal += half; real += half; taken += half"},
			{"pop", "Pop: head.CompareAndSwap", "own == 0 && real < tail",
				"real++; taken++; steal = either(steal == real, real + 1, steal)"},
			{"look_head", "look: head.Load", "looked == 0", "looked = 1; hs = steal; hr = real"},
			{"look_tail", "look: tail.Load", "looked == 1", "looked = 2; ht = tail"},
			{"give_up", "StealInto: Empty or Contended", "looked > 0",
				"looked = 0; hs = 0; hr = 0; ht = 0"},
			{
				"claim", "claim: head.CompareAndSwap",
				"looked == 2 && steal == hs && real == hr && hs == hr && ht - hr <= cap && n >= " +
					"1 && 2*n <= ht - hr + 1",
				"real += n; taken += n; claim = n; looked = 0; hs = 0; hr = 0; ht = 0",
			},
			{"claim_other", "claim, by another thief",
				"steal == real && n >= 1 && n <= tail - real", "real += n; taken += n; claim = n"},
			{"release", "release: head.CompareAndSwap", "claim > 0", "steal = real; claim = 0"},
		},
	}
}

const (
	// DequeBound: the three positions are in order, and no further apart than the capacity.
	DequeBound = "0 <= real - steal && real <= tail && tail - steal <= cap"

	// NoOverwrite: no slot that the owner writes is one of [steal, tail): their positions are
	// between 1 and cap-1 apart.
	NoOverwrite = "implies(own > 0, tail + own - 1 - steal < cap)"

	// ClaimSound: if the head is what the thief read, what it counted is queued, and all of it
	// since it read it.
	ClaimSound = "implies(looked == 2 && steal == hs && real == hr, hr <= ht && ht <= tail)"

	// TakenOnce: the positions below real were taken, each by one, and no others.
	TakenOnce = "taken == real"

	// ClaimHeld: while a steal is open the steal head protects its slots; when none is,
	// the two heads agree.
	ClaimHeld = "claim >= 0 && claim <= real - steal && implies(claim == 0, steal == real) && " +
		"implies(claim > 0, real > steal)"

	dequeRoom  = "half >= 1 && cap == 2*half && own >= 0 && left >= 0 && tail + own <= steal + cap"
	dequeThief = "looked >= 0 && looked <= 2 && implies(looked >= 1, hs <= steal && hr <= real " +
		"&& hr <= tail) && implies(looked == 2, hr <= ht && ht <= tail)"

	// DequeInvariant is why all of these hold.
	DequeInvariant = DequeBound + " && " + ClaimHeld + " && " + dequeRoom + " && " + dequeThief
)
