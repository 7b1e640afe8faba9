package model

import "github.com/surewake/surewake/model/explore"

// A Word is one on the stack of a goroutine, see [Before].
type Word = explore.Word

// Memory is a part of the heap, see [Before].
type Memory = explore.Memory

// What a Word may be.
const (
	WordAsItIs  = explore.WordAsItIs
	WordOnStack = explore.WordOnStack
	WordChecker = explore.WordChecker
)

// Before calls f before each operation of sync/atomic, each Lock of a sync.Mutex and each futex
// call of each goroutine that the body starts, on that goroutine. f may call [Exec.Choose], and
// then change memory as others may have done since the goroutine's last operation. So one goroutine
// is checked among others who are not there. It is for bodies that start one. Before a Lock others
// have come to their Unlock: f leaves the mutex as it is.
//
// Step.Stack has all that the goroutine keeps for itself but what is on the heap: if it is the
// same, with the heap and the clock, as before an operation of an earlier execution, then all that
// follows is the same, and f may end the execution by a panic that the goroutine's function
// recovers. It must not where Step.Again says that an earlier execution has come to this operation
// by the same choices.
//
// A futex wait never blocks then: if the word has the value it ends by a wake, by its timeout or by
// a signal; and a wake wakes one goroutine or none.
//
// The run under the race detector does not call f, and so explores nothing that others do.
func Before(f func(*Step)) Option {
	return func(o *options) {
		o.before = f
		o.assume = append(o.assume, "data races are looked for by other checks")
	}
}
