// Package modules runs the tests of public modules under the checker, as they are, and compares the
// verdicts with testdata/modules/table.txt.
//
// testdata/modules/list.txt has a module, its version and its packages in each line. The modules
// come from the registry when the test of this package runs, and are copied, because the module
// cache is read-only; one without a go.mod gets one.
//
// A row of the table has the module, the package, the test, its verdict, how long that took, and
// the reason, which FAILED and undecided need:
//
//	proved, bounded  no failure: which of the two depends on the machine, and both are accepted
//	FAILED           rightly: the reason begins with the kind of the failure, and says what the
//	                 test assumes that need not be so, or which bug it has found; bounded is
//	                 accepted too, as a slow machine may not come to the failure
//	undecided        the reason begins with the kind that the checker reports
//	undecided|proved the same, but a machine that is fast enough decides it
//
// -modules.update writes the table anew, and keeps the reasons of rows whose verdict and kind are
// what they were. A failure that is new has the reason "explain".
package modules
