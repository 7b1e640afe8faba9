package spec

// Compile returns an expression as a function of a state, which has the value of each variable at
// its place. Conditions are 0 or 1.
func (v Vars) Compile(text string) func(state []int) int { return v.number(text) }

// Mentions reports whether an expression, or a rule's effect, has a variable in it.
func Mentions(text, variable string) bool { return mentions(text, variable) }
