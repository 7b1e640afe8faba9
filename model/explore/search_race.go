package explore

import "slices"

// The race detector keeps four accesses of each aligned word of 8 bytes; one more replaces one of
// them. So it misses a race if others have used the word in between: a goroutine reads one byte,
// another reads six others and then writes that one. In the opposite order it sees that race, as
// nothing comes between. The executions of a larger search differ in what comes first, and in what
// is replaced, which depends on how much a goroutine has done before. A search of at most
// smallSearch executions runs once more, with further orders of each trace (Config.Linearize), so
// that either of two unordered accesses comes first. A race stays hidden if in every order at least
// four accesses to the word come between.
const smallSearch = 64

// searchAgain starts a small search of a race run a second time, which looks for races only: what
// the first one counted is kept. It reports false if there is nothing to start.
func (e *engine) searchAgain() bool {
	again := Race && e.reduce && e.certificate == nil && e.counted == nil && !e.isPart() &&
		(e.bounded || e.ordersLeft || !e.cfg.Linearize) &&
		e.res.Failure == nil && e.res.Executions() <= smallSearch &&
		e.longest*e.n <= mostOrders
	if !again {
		return false
	}
	counted := e.res
	counted.Assumed = slices.DeleteFunc(counted.Assumed, func(text string) bool {
		return text == orderNotRun // these orders are run now
	})
	e.counted = &counted
	e.cfg.Linearize = true
	return e.startAgain()
}

// endOfSearches restores what the first search counted, unless the second one found a race.
func (e *engine) endOfSearches() {
	if e.counted == nil || e.res.Failure != nil {
		return
	}
	if e.res.Executions() < e.counted.Executions() { // its budget was used up
		e.assumeNoOtherOrder()
	}
	assumed := e.res.Assumed
	e.res = *e.counted
	for _, text := range assumed {
		e.assume(text)
	}
}
