package proofs

// Theorems returns the index, in the order in which README.md explains it.
//
// An id is the package and a number, with a letter in front: I (idle), P (park), D (deque), T (taskstate) and J (the injector)
// for theorems without bounds; X, in each package, for what holds in every state of the same table within bounds, and S for what holds
// of a second model in Promela. Where a hazard or a rejected variant that the package's essay names has the same id, the theorem
// is the one that it would break.
func Theorems() []Theorem {
	var all []Theorem
	for _, part := range [][]Theorem{idleTheorems(), parkTheorems(), dequeTheorems(), taskTheorems(), injectorTheorems()} {
		all = append(all, part...)
	}
	return all
}
