// Package refine holds the shipped code against the tables of package spec, step by step.
//
// The checker runs the real code; after each atomic access, a [Machine] asks the table whether it
// can do the same. It keeps the set of states in which the table may be, given what was seen so
// far: first the one that the execution starts in. An access leads from it to
//
//   - the states after a rule whose Code names this access: one of its functions is on the stack,
//     the address is that of the field, the operation is the same, and the goroutine is one whose
//     turn the rule is;
//   - and the same states again, since an access may also mean nothing;
//
// of these, those in which the table's shared variables have the values that the real memory has
// now. If none is left, the code has done what the table does not allow, and the check fails there.
// So nobody writes down at which line the code is when: that is what the set knows.
//
// # Names
//
// The tables count those who do the same; here they have names, the goroutines'. [Unfold] gives
// each a copy of some variables, and each rule an instance for each who may do it. What a run of
// the unfolded table does, the counted one does as well: a variable is the sum of its copies, and
// an instance has the rule's condition and effect, or a stricter condition. Strictness is that a
// goroutine does one thing after the other: who owes a token gives it before anything else.
//
// # One order for many
//
// The checker runs one order of steps that do not depend on one another, which are those on
// different objects. A rule's condition and effect speak of one object and of what belongs to those
// who take part, so the table can do such steps in either order, too (TestARuleSpeaksOfOneObject),
// and what was seen of one order is true of the other.
package refine
