package spec

// Fork is the stack of package fork, for any number of thieves and forks.
//
// tail, pub and hungry are the word, its split called pub; top and split are the owner's; most is
// how many forks may be private. pc is where the owner is: 0 between two operations, 1 in a Fork
// before the new fork, 2 before the look whether a thief has asked, 3 and 4 before it makes forks
// public, 5 before a store that does so, 6 when it has taken the youngest fork back, 7 when it
// waits for a thief. back is where pc goes when forks have become public. due is hungry at the
// begin of the operation, fed whether it has made forks public.
//
// One depth is followed, at: fate is 0 if there is no fork, 1 if it has not begun, 2 if a thief has
// claimed it; runs is how often the fork at that depth was begun, done whether its thief has ended.
func Fork() *System {
	const (
		// forks is a new fork: not begun.
		forks = "top++; fate = either(top == at, 1, fate); runs = either(top == at, 0, runs); " +
			"done = either(top == at, 0, done)"
		// calls ends the youngest fork, which the owner calls itself.
		calls = "top--; runs = either(top - 1 == at, runs + 1, runs); " +
			"fate = either(top - 1 == at, 0, fate)"
		// drops ends it without a call.
		drops  = "top--; fate = either(top - 1 == at, 0, fate)"
		begins = "due = hungry; fed = 0"
	)
	return &System{
		Name: "fork",
		Vars: []string{"most", "tail", "pub", "hungry", "top", "split", "pc", "back", "due", "fed",
			"at", "fate", "runs", "done"},
		Params:  []string{"n"},
		Samples: []Sample{{map[string]int{"most": 2}, 3}},
		Init: "most >= 2 && at >= 0 && tail == 0 && pub == 0 && hungry == 0 && top == 0 && " +
			"split == 0 && pc == 0 && back == 0 && due == 0 && fed == 0 && fate == 0 && " +
			"runs == 0 && done == 0",
		Rules: []Rule{
			{"fork_fast", "isHungry: word.Load",
				"pc == 0 && hungry == 0 && top - split < most", forks + "; due = 0; fed = 0"},
			{"fork_slow", "makeRoom", "pc == 0", "pc = 1; " + begins},
			{"room", "makeRoom", "pc == 1 && top - split == most", "pc = 3; back = 1"},
			{"push", "forkSlowly", "pc == 1 && top - split < most", forks + "; pc = 2"},
			{"join_fast", "isHungry: word.Load", "pc == 0 && hungry == 0 && top > split",
				calls + "; due = 0; fed = 0"},
			{"join_slow", "join", "pc == 0 && top > split", calls + "; pc = 2; " + begins},
			{"take", "take: word.CompareAndSwap",
				"pc == 0 && top == split && tail < pub && n >= tail && n < split && " +
					"2*(split - n) <= most",
				"pub = n; split = n; pc = 6; " + begins},
			{"join_taken", "join", "pc == 6", calls + "; pc = 2"},
			{"drop_taken", "Abandon", "pc == 6", drops + "; pc = 0"},
			{"drop", "Abandon", "pc == 0 && top > split", drops + "; due = 0; fed = 0"},
			{"wait", "take: word.Load", "pc == 0 && top == split && top > 0 && tail >= split",
				"pc = 7; " + begins},
			{"join_claimed", "ended", "pc == 7 && (top - 1 > at || top - 1 < at || done == 1)",
				drops + "; split = top - 1; pc = 2"},
			{"drop_claimed", "Abandon", "pc == 7 && (top - 1 > at || top - 1 < at || done == 1)",
				drops + "; split = top - 1; pc = 0"},
			{"poll", "Poll", "pc == 0", "pc = 2; " + begins},
			{"share", "Share", "pc == 0 && top > split", "pc = 3; back = 0; " + begins},
			{"poll_quiet", "isHungry: word.Load", "pc == 2 && hungry == 0", "pc = 0"},
			{"poll_nothing", "isHungry: word.Load",
				"pc == 2 && hungry == 1 && top == split", "pc = 0"},
			{"poll_feed", "isHungry: word.Load", "pc == 2 && hungry == 1 && top > split",
				"pc = 3; back = 0"},
			{"look_empty", "expose: word.Load", "(pc == 3 || pc == 4) && tail == pub", "pc = 5"},
			{"look_public", "expose: word.Load", "(pc == 3 || pc == 4) && tail < pub", "pc = 4"},
			{"expose_store", "expose: word.Store",
				"pc == 5 && n >= 1 && n <= top - split && 2*n >= top - split",
				"tail = split; pub = split + n; split = split + n; hungry = 0; fed = 1; pc = back"},
			{"expose_swap", "expose: word.CompareAndSwap",
				"pc == 4 && tail < pub && n >= 1 && n <= top - split && 2*n >= top - split",
				"pub = split + n; split = split + n; fed = 1; pc = back"},
			{"claim", "Claim: word.CompareAndSwap", "tail < pub && n >= 0 && n <= 1",
				"tail++; hungry = either(tail + 1 == pub, n, 0); " +
					"fate = either(tail == at, 2, fate); runs = either(tail == at, runs + 1, runs)"},
			{"ask", "Claim: word.CompareAndSwap", "tail == pub", "hungry = 1"},
			{"end", "Run: state.Swap", "fate == 2 && done == 0", "done = 1"},
		},
	}
}

const (
	// ForkPositions: what is public lies between what is claimed and what is private, each fork is
	// one of the three, and a word that says hungry has nothing public.
	ForkPositions = "0 <= tail && tail <= pub && 0 <= split && split <= top && " +
		"implies(tail < pub, pub == split) && implies(tail == pub, split <= tail) && " +
		"hungry >= 0 && hungry <= 1 && implies(hungry == 1, tail == pub)"

	// ForkOnce: no fork is begun twice, and a thief has begun one exactly if it has claimed it.
	ForkOnce = "runs >= 0 && runs <= 1 && implies(fate == 1, runs == 0) && implies(fate == 2, " +
		"runs == 1)"

	// ForkReach: all forks but the youngest most are claimed, or public.
	ForkReach = "top - split <= most"

	// ForkFed: as long as an operation has not made forks public, a thief that had asked before it
	// is still unanswered.
	ForkFed = "implies(pc > 0 && due == 1 && fed == 0, hungry == 1)"

	// ForkFates: the depth that is followed has a fork if the stack is that deep, and a claimed one
	// if it is one of those below both tail and split.
	ForkFates = "fate >= 0 && fate <= 2 && implies(fate > 0, at < top) && implies(at < top, " +
		"fate > 0) && implies(fate == 2, at < tail && at < split) && implies(at < tail && at < " +
		"split && at < top, fate == 2) && done >= 0 && done <= 1 && implies(fate == 1, done == 0)"

	// ForkShape: the rest of why all of these hold.
	ForkShape = "most >= 2 && at >= 0 && pc >= 0 && pc <= 7 && back >= 0 && back <= 1 && due >= 0 " +
		"&& due <= 1 && fed >= 0 && fed <= 1 && implies(pc >= 3 && pc <= 5, top > split) && " +
		"implies(pc == 5, tail == pub) && implies(pc == 6, top > split) && implies(pc == 7, " +
		"top == split && top > 0 && tail >= split)"
)
