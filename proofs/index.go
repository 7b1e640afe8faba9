package proofs

import "strings"

// AnyN is the scope of a theorem that bounds nothing.
const AnyN = "any N"

// A Theorem is one claim and how it is checked.
type Theorem struct {
	ID          string
	Statement   string   // in one line
	Scope       string   // begins with AnyN, or gives the bounds
	Assumptions []string // besides those of the method, see README.md
	Code        []string // the shipped Go that it speaks about
	proof       proof
	mutants     []weakened // besides those in mutants/ that name the theorem
}

// weakened is a mutant: the same proof about a protocol of which the theorem is false. It must be
// refuted, which is more than not to go through: see refuted. If it is harmless it is no bug, and
// the proof must go through: one that fails whatever is edited shows nothing when it fails.
type weakened struct {
	id, what string
	proof    proof
	harmless bool
}

// Method says by which kind of proof the theorem is checked.
func (t *Theorem) Method() string { return t.proof.method() }

// File returns where the proof stands, relative to this directory.
func (t *Theorem) File() string { return t.proof.file() }

// Theorems returns the index, in the order of README.md.
//
// An id is a package and a letter with a number:
//
//	I, P, D, K, T, J idle, park, deque, fork, taskstate and the injector, without bounds
//	X                what holds in every state of the same table, within bounds
//	S                what holds of a second model, in Promela
//	R                the shipped code, whose accesses are held against the table
//	M                litmus tests of memory orders
//
// If a hazard or a rejected alternative that a package's essay names has the id of a theorem, it is
// the theorem that it would break.
func Theorems() []Theorem {
	var all []Theorem
	for _, part := range [][]Theorem{idleTheorems(), parkTheorems(), dequeTheorems(),
		forkTheorems(),
		taskTheorems(), injectorTheorems(), memoryTheorems()} {
		all = append(all, part...)
		name, _, _ := strings.Cut(part[0].ID, "/")
		for _, r := range refinements() {
			if strings.HasPrefix(r.ID, name+"/") {
				all = append(all, r)
			}
		}
	}
	for i := range all {
		all[i].mutants = append(all[i].mutants, mutantsOf(&all[i])...)
	}
	return all
}
