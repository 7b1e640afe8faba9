// Package proofs is the index of what is proved about packages idle, park, deque, fork,
// taskstate and injector and about the end of package runtime, and redoes the proofs.
//
// A [Theorem] is one line of the index: what is claimed, for how many workers and tasks, under
// which assumptions. [Audit] checks theorems with the tools that they need. It checks each
// theorem's mutants too: protocols weakened in one place, of which the same claim must be refuted.
// So a proof that goes through whatever the protocol is does not count.
//
// A theorem goes one way through this package:
//
//	index_*     what is claimed: statement, scope, assumptions, and which proof it is
//	mutants/    the weakened protocols, one file each
//	method_*    how a kind of proof is checked: invariants, states, Coq, Spin, refinement
//	tool        the programs that the methods run
//	audit       checks theorems and their mutants
//	row*        the results, and the page that shows them
//
// Package spec holds the transition tables, smt turns them into questions for solvers, refine holds
// the shipped code against them. README.md lists the theorems, says how to read them, and what is
// not proved.
package proofs
