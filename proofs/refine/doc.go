// Package refine holds the shipped code against the tables of package spec, step by step.
//
// The checker runs the real code; after each atomic access, a [Machine] asks whether the table can
// do the same. It keeps the set of states in which the table may be, given what was seen so far:
// first the state in which the execution starts. An access leads from the set to
//
//   - the states after a rule whose Code names this access: one of its functions is on the stack,
//     the address is that of the field, the operation is the same, and the rule is one of this
//     goroutine's;
//   - and the same states again, since an access may also change nothing;
//
// and of these to those in which the table's shared variables have the values that the real memory
// has now. If none is left, the code has done what the table does not allow, and the check fails
// there. So nobody has to write down where in the table each line of the code is: the set knows.
//
// # Names
//
// The tables count the goroutines that do the same; here they have names. A [Binding] gives each
// goroutine copies of some variables, and an [Instance] of each rule that it may do. Whatever the
// table with copies does, the counted one does as well: a variable is the sum of its copies, and an
// instance has the rule's condition and effect, or a stricter condition. The stricter condition is
// that a goroutine does one thing after the other: if it owes a token, it gives the token first.
//
// # One order for many
//
// The checker runs one order of independent steps, which are those on different objects. A rule's
// condition and effect speak of one object and of what belongs to those that take part, so the
// table can do such steps in either order (TestARuleSpeaksOfOneObject), and what was seen of one
// order holds of the other.
//
// # One among any number
//
// A [Solo] runs one goroutine, and what others do between its accesses is chosen: [Crowd] for the
// table of idle, [ParkCrowd] for that of park, [RingCrowd] for that of deque,
// [ForkCrowd] for that of fork, [TaskCrowd] for that of taskstate, [InjectorCrowd] for the part of
// that of the injector which is about its queue. What is seen so holds with any number of others.
package refine
