package spec

// A Relied is what one participant relies on of the others: whatever they do, however often, Keeps
// holds between the state before, whose variables are called was_X there, and the state after.
type Relied struct{ Name, Keeps string }

// IdleRely is what a goroutine relies on of all others in the table of idle. A rule moves one
// worker at most, so that what is said of the sum of all workers in a place is true of each.
func IdleRely() []Relied {
	return []Relied{
		{"closed is not taken back", "closed >= was_closed && closed <= 2"},
		{"once closed is set, nobody gets past the look at it with its bit",
			"implies(was_closed > 0, B_b + P_b <= was_B_b + was_P_b)"},
	}
}
