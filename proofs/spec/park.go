package spec

// Park is a Parker that sleeps on a futex, with any number of wakers.
//
// word is the Parker's word: 0 empty, 1 token, 2 asleep. at is where the parker is:
//
//	0  not in a call       1  has found no token       2  has announced itself
//	3  asleep there        4  back from the kernel     5  has failed to announce itself
//	6  about to leave
//
// owed counts wakers that have seen asleep and have yet to make the system call; left, the calls of
// Unpark to come. given and taken count the tokens that were left and the calls that took one.
func Park() *System {
	return &System{
		Name:    "park",
		Vars:    []string{"left", "word", "at", "owed", "given", "taken"},
		Init:    "left >= 0 && word == 0 && at == 0 && owed == 0 && given == 0 && taken == 0",
		Samples: []Sample{{Start: map[string]int{"left": 3}}},
		Rules: []Rule{
			{"unpark", "Unpark: Swap, nobody asleep", "left > 0 && word != 2",
				"left--; word = 1; given += either(word == 0, 1, 0)"},
			{"unpark_asleep", "Unpark: Swap, somebody asleep", "left > 0 && word == 2",
				"left--; word = 1; given++; owed++"},
			{"wake", "Unpark: futex wake", "owed > 0 && at == 3", "owed--; at = 4"},
			{"wake_nobody", "Unpark: futex wake", "owed > 0 && at != 3", "owed--"},
			{"take", "take: CompareAndSwap", "at == 0 && word == 1", "word = 0; taken++"},
			{"take_none", "take: CompareAndSwap fails", "at == 0 && word == 0", "at = 1"},
			{"announce", "announce: CompareAndSwap", "at == 1 && word == 0", "word = 2; at = 2"},
			{"announce_fails", "announce: CompareAndSwap fails", "at == 1 && word != 0", "at = 5"},
			{"retake", "announce: take", "at == 5 && word == 1", "word = 0; taken++; at = 0"},
			{"sleep", "futex wait: the kernel compares", "at == 2 && word == 2", "at = 3"},
			{"again", "futex wait: EAGAIN", "at == 2 && word != 2", "at = 4"},
			{"interrupted", "futex wait: ETIMEDOUT, EINTR, a spurious wake", "at == 3",
				"at = 4"},
			{"look_asleep", "wait: Load, time is left", "at == 4 && word == 2", "at = 2"},
			{"look_over", "wait: Load, the time is over", "at == 4 && word == 2", "at = 6"},
			{"look_woken", "wait: Load", "at == 4 && word != 2", "at = 6"},
			{"leave_token", "leave: Swap", "at == 6 && word == 1", "word = 0; taken++; at = 0"},
			{"leave_none", "leave: Swap", "at == 6 && word == 2", "word = 0; at = 0"},
		},
	}
}

const (
	// TokenKept: a token that was left is there, or was taken by one call.
	TokenKept = "given == taken + either(word == 1, 1, 0)"

	// WakeOwed: if the parker sleeps in the kernel although a token has come, a waker is about to
	// wake it.
	WakeOwed = "implies(at == 3 && word != 2, owed > 0)"

	// ParkNoMisuse: with one parker, no access finds what makes the shipped code panic.
	ParkNoMisuse = "implies(at == 5, word == 1) && implies(at == 6, word != 0)"

	// ParkShape is what the word may be where the parker is.
	ParkShape = "word >= 0 && word <= 2 && at >= 0 && at <= 6 && owed >= 0 && left >= 0" +
		" && implies(at <= 1, word != 2) && implies(at == 5, word == 1) && implies(at == 2 || " +
		"at == 3 || at == 4 || at == 6, word != 0)"

	// Asleep: the parker sleeps, rightly.
	Asleep = "left == 0 && at == 3 && word == 2 && owed == 0 && given == taken"
)
