// Package proofs is the index of what is proved about packages idle, park, deque and taskstate and about an injector between
// them, and redoes the proofs.
//
// A [Theorem] is one line of the index: what is claimed, for how many workers and tasks, under which assumptions. [Audit]
// checks them with the tools that each needs, and each theorem's mutants with it: weakened protocols of which the same claim must
// be refuted, so that a proof that would go through whatever the protocol is does not count. README.md says how to read
// them, and what is not proved.
package proofs
