// Package late has a mutant that only the last of many long executions shows.
package late

// Holds is true.
func Holds() bool { return true }
