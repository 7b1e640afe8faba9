package model

import "github.com/surewake/surewake/model/explore"

// A Step is one operation of an explored execution: what [Observe] is shown.
// It is valid until the observer returns.
type Step = explore.Step

// Observe has f look at each operation of each explored execution, just after it was executed and
// before anything else is. An error fails the check, with the trace up to that operation.
//
// While f runs the execution stands still: f may read all that the body has made, by atomics too,
// and must not change it. It is called by the goroutine that did the operation. It is not called
// for what the body does alone, before the first goroutine is started and after the last one was
// joined; nor for plain memory; nor under the race detector, which watches the same executions, nor
// in an ordinary go test.
func Observe(f func(*Step) error) Option { return func(o *options) { o.observe = f } }
