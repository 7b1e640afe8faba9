// Package wire is what a test binary and the command say to each other, and
// the names that both use for it.
//
//	settings.go  the command to the binary: what to explore, as JSON in the environment
//	message.go   the binary to the command: progress and results, marked lines of its output
//	verdict.go   verdicts, and the kinds of what was found
//	trace.go     one execution, operation by operation, for package report to draw
//	schedule.go  where an execution left the default policy, as short text
//	token.go     the name of one execution of one check, for people to pass on
//
// The engine (package explore) fills in traces and decisions, package model
// sends them, package driver receives them. Nothing here depends on any of
// these.
package wire
