package proofs

import "strings"

// Theorems returns the index, in the order in which README.md explains it.
//
// An id is the package and a number, with a letter in front: I (idle), P (park), D (deque), T (taskstate) and J (the injector)
// for theorems without bounds; M for litmus tests of memory orders; X, in each package, for what holds in every state of the same table within bounds, S for what holds
// of a second model in Promela, and R for the shipped code, whose accesses are held against the table. Where a hazard or a
// rejected variant that the package's essay names has the same id, the theorem is the one that it would break.
func Theorems() []Theorem {
	var all []Theorem
	for _, part := range [][]Theorem{idleTheorems(), parkTheorems(), dequeTheorems(), taskTheorems(), injectorTheorems(), memoryTheorems()} {
		all = append(all, part...)
		name, _, _ := strings.Cut(part[0].ID, "/")
		for _, r := range refinements() {
			if strings.HasPrefix(r.ID, name+"/") {
				all = append(all, r)
			}
		}
	}
	return all
}
