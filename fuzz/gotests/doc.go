// Package gotests runs Go's own tests of sync, sync/atomic, context, time,
// testing/synctest, internal/synctest, of the channels of runtime, and of the pipes
// of io and net under the checker, and compares the verdicts with table.txt, which
// has a row for each of them.
//
// The tests are copied from GOROOT into a module of their own when the test of
// this package runs; nothing of them is kept here. A copy differs from the
// original in this, and keeps its line numbers:
//
//   - Each Test function runs as the body of a check.
//   - testing.Short() is true. Calls of t.Parallel() and the constraint
//     "//go:build !race" are left out.
//   - Declarations that do not compile outside of GOROOT are left out: those that
//     use an internal package, what the package exports only to its own tests, or
//     a function without a body, and those that use such a declaration. A test
//     that is lost in this way is absent.
//   - The tests of internal/synctest call testing/synctest.Test in place of Run.
//   - The changes that table.txt names.
//
// The time zone is that of Los Angeles, which the tests of time ask for in a file
// that does not compile outside of GOROOT.
//
// # Rows
//
// A row has the package, the test, its verdict, and the reason, if there is one
// to give. The verdicts are those of the command, and two more:
//
//	proved, bounded  the checker decides the test; bounded after the budget of the test
//	FAILED           rightly: the reason says which assumption of the test is no guarantee of Go
//	undecided        the reason begins with the kind that the checker reports
//	absent           the test does not compile outside of GOROOT
//	left out         is not run: the reason says why
//
// Indented lines below a row belong to it:
//
//	in FUNC: OLD => NEW  a change of the text of FUNC: NEW for each OLD
//	OLD => NEW           the same in the test itself
//	since go1.26         the test is in this release and later ones
//	until go1.25         the test is in this release and earlier ones
package gotests
