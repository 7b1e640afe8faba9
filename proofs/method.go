package proofs

import "context"

// A proof is one way to check a theorem.
type proof interface {
	method() string
	tools() []tool
	anyN() bool   // whether it bounds nothing: what it goes through are not states
	file() string // relative to this directory
	check(ctx context.Context, b *bench) error
}

// refuted is the error of a proof whose answer is no. With any other error there is no answer.
type refuted struct{ why string }

func (r *refuted) Error() string { return r.why }

// tablesOf names the transition tables that what a proof speaks about is made from, and says
// whether it was copied by hand instead.
func tablesOf(p proof) (tables []string, byHand bool) {
	if p, ok := p.(interface{ tables() []string }); ok {
		tables = p.tables()
	}
	by, ok := p.(interface{ byHand() bool })
	return tables, ok && by.byHand()
}
