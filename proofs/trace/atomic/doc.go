// Package atomic takes the place of sync/atomic in a build that package trace makes of the shipped
// code, and records each access. The shipped code does not import it.
//
// An access and its record are made under one lock, so the records are in the order in which the
// accesses happened. [Enter] and [Result] record what no access shows: whose a call is, and what a
// function said. The records go to the file that the environment variable SUREWAKE_TRACE names, up
// to SUREWAKE_TRACE_EVENTS of them; after these, and without a file, the accesses are made only.
package atomic
