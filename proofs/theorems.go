package proofs

// Theorems returns the index, in the order in which README.md explains it.
//
// An id is the package and a number; the letter in front of the number says how it is checked: I (idle), P (park), T (task)
// and D (deque) for the theorems without bounds, and among the bounded ones X for every state of the same table, and S for a
// second model in Promela.
func Theorems() []Theorem {
	var all []Theorem
	for _, part := range [][]Theorem{idleTheorems(), parkTheorems(), dequeTheorems(), taskTheorems()} {
		all = append(all, part...)
	}
	return all
}
