// Package fuzz holds the checker and the parts against oracles that do not
// share their code. Its tests replay what is kept in testdata and draw a few
// new cases; its fuzz targets draw as many as they are told.
//
// # Programs against Go
//
// A program (package prog) is data, drawn at random and interpreted by ordinary
// Go code over everything that the checker models. It is run natively many times
// under scheduling noise, and it is explored. What each run shows is compared:
// the values that each goroutine saw, panics, how each goroutine ended, where
// those stand that wait for ever, and what the shared variables hold.
//
//   - Every native outcome is among the explored ones. If not, the checker can
//     call a program proved that fails.
//   - Programs with timers run in a bubble of testing/synctest, and are explored in one, too. Those
//     that wait for quiet are explored in one only.
//   - The search with reduction sees exactly the outcomes of the search without. Where that has
//     too many executions, it sees those of the first of them and of random schedules.
//   - Where the race detector reports a race natively, it reports one in an
//     explored execution.
//
// TestProgramsReachWhatMatters counts how many of the programs wait, panic, cancel and the
// like, and fails where none does.
//
// What it cannot tell: an outcome that Go allows and no native run has shown is
// not missed when the searches with and without reduction both lack it, and an
// explored outcome that Go does not allow is not noticed at all. Verdicts,
// messages and replays are not looked at: programs are explored by package
// explore without the command. Weak memory does not show, as Go's atomics are
// sequentially consistent. Programs with more traces than the limit are not
// compared; the tests bound how many those may be. There is no CompareAndSwap of an
// atomic.Value: Go's fails also when an equal value is stored meanwhile at another address,
// and no explored one does. Programs in which a TryLock of an RWMutex may meet another
// writer run on one processor only: on two it may fail though nobody gets the lock, which the
// checker assumes not to happen. No timer is reset to 0: Go's Reset then fires at once in a bubble
// of testing/synctest, where programs with timers run, and returns false for a timer that fired and
// that nobody received from; outside of a bubble it returns true, as the explored one does.
//
// # Other suites
//
// Programs of one goroutine do the same as they stand, rewritten, and explored
// (rewritten_test.go). A pool made of deque, idle and park runs what a slice would
// (pool_test.go). Messages, tokens, settings and traces survive hostile text
// (hostile_test.go). Random graphs of tasks are compared with their plan beside the
// runtime, in runtime/task_graph_test.go.
package fuzz
