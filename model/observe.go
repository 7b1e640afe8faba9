package model

import "github.com/surewake/surewake/model/explore"

// A Step is one operation of an explored execution: what [Observe] is shown.
// It is valid until the observer returns.
type Step = explore.Step

// Observe calls f after each operation of each explored execution, before any other goroutine runs.
// If f returns an error the check fails, and the picture ends with that operation.
//
// f runs on the goroutine that made the operation. It may read all that the body has made, with
// atomic operations too, and must change nothing. It is not called for
//
//   - what the body does while no other goroutine can see it, before it starts the first one and
//     after it has joined the last one,
//   - accesses to plain memory,
//   - the run under the race detector, which explores the same executions, and `go test`.
func Observe(f func(*Step) error) Option { return func(o *options) { o.observe = f } }
