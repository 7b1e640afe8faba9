// Package tickets gives out numbers.
package tickets

import "sync/atomic"

// A Roll gives out the numbers from 1 to Last, each once.
type Roll struct {
	Last int64
	next atomic.Int64
}

// Take returns a number, and false if there is none left.
func (r *Roll) Take() (int64, bool) {
	n := r.next.Load()
	if n >= r.Last {
		return 0, false
	}
	r.next.Store(n + 1)
	return n + 1, true
}
