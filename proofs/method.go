package proofs

import "context"

// A proof is one way to check a theorem.
type proof interface {
	method() string
	tools() []tool
	file() string // relative to this directory
	check(ctx context.Context, b *bench) error
}

// refuted is the error of a proof that has an answer, and it is no. Any other error is no answer.
type refuted struct{ why string }

func (r *refuted) Error() string { return r.why }
