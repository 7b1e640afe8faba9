// Package driver runs checks from the outside: it has packages rewritten and
// built, runs the binaries, and turns what they say into verdicts.
//
// Only the command uses it. The way of one check:
//
//	plan.go      packages -> the Test functions that hold checks
//	check.go     one binary per package and mode, one process per Test function and mode
//	process.go   a process: its group, its messages, its watchdog
//	stream.go    the output of a process: messages, and the rest
//	diagnose.go  why a process ended without a result; race_report.go: a data race;
//	             race_history.go: whether the race detector has forgotten one
//	merge.go     plain run + race run -> one row
//	coverage.go  what the executions of all checks have reached
//	table.go     rows for people; json.go for programs; testlog.go for readers of go test -v;
//	             live.go while the checks run
//
// replay.go runs one schedule again. mutants.go puts known bugs back, one at a time (package
// mutant), and looks whether the checks or tests (gotest.go) object; mutants_together.go does so
// with one build of a package for many of them.
//
// A verdict is never better than what was seen: a binary that ends without a result, exits for a
// reason that no result explains, or falls silent leaves its check undecided or failed.
package driver
