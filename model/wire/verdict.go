package wire

// Verdicts of a check.
const (
	Proved    = "proved"    // every schedule was explored, and none failed
	Bounded   = "bounded"   // no schedule failed, but not all were explored
	Undecided = "undecided" // no answer: see the kinds that are no bug of the program
	Failed    = "FAILED"    // a schedule failed: a bug of the program
)

// A Kind says what decided a verdict that is neither proved nor bounded.
type Kind string

// Bugs of the program. The verdict is Failed.
const (
	KindDeadlock  Kind = "deadlock"  // goroutines wait for ever
	KindLeak      Kind = "leak"      // the body returned, and goroutines wait for ever
	KindLivelock  Kind = "livelock"  // goroutines repeat iterations without effect
	KindRace      Kind = "race"      // a data race
	KindPanic     Kind = "panic"     // a panic that nothing recovered, or a fatal error
	KindAssertion Kind = "assertion" // Assert, a method of testing.T, an observer
	KindHistory   Kind = "history"   // results that the specification does not allow
	KindTiming    Kind = "timing"    // a failure that needs a timer to fire early
)

// Reasons why there is no answer. The verdict is Undecided.
const (
	KindRefused        Kind = "refused"        // something that the checker does not model
	KindNondeterminism Kind = "nondeterminism" // the same schedule gave something else
	KindLimit          Kind = "limit"          // more steps, goroutines or time than allowed
	KindInternal       Kind = "internal"       // the checker itself is broken
)

// Verdict returns what a check gets that is decided by k. A kind that is not
// listed above is a defect of the checker, so Undecided.
func (k Kind) Verdict() string {
	switch k {
	case KindDeadlock, KindLeak, KindLivelock, KindRace, KindPanic, KindAssertion, KindHistory,
		KindTiming:
		return Failed
	}
	return Undecided
}
