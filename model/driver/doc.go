// Package driver runs checks from the outside: it has packages rewritten and
// built, runs the binaries, and turns what they say into verdicts.
//
// Only the command uses it. The way of one check:
//
//	plan.go      packages -> the Test functions that hold checks
//	check.go     one binary a package and mode, one process a Test function and mode
//	process.go   a process: its group, its messages, its watchdog
//	stream.go    the output of a process, taken apart into messages and the rest
//	diagnose.go  what a failure that wrote no result has to say
//	merge.go     plain run + race run -> one row
//	table.go     rows for people; json.go for programs; live.go while it lasts
//
// replay.go runs one schedule again, and mutants.go puts known bugs back, one
// at a time (patch.go), to see that the checks or tests object.
//
// A verdict is never better than what was seen: a binary that ends without a
// result, exits for a reason that no result explains, or falls silent is a
// failed check.
package driver
