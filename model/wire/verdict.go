package wire

// Verdicts of a check.
const (
	Proved  = "proved"  // every schedule was explored, and none failed
	Bounded = "bounded" // no schedule failed, but not all were explored
	Failed  = "FAILED"  // a schedule failed
)
