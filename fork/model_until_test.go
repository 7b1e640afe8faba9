package fork

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// An ending is a loop that is over when a certain call has been made.
type ending struct {
	x    *model.Exec
	at   int
	done atomic.Bool
	told [2]bool // by the number of the worker: over has told it; accessed by it
}

func (e *ending) over(h *hand) bool {
	if e.done.Load() {
		e.told[h.number()] = true
	}
	return e.told[h.number()]
}

// begins is called with a call that begins.
func (e *ending) begins(h *hand, i int) {
	e.x.Assert(!e.told[h.number()], "call %d begins though over has said so", i)
	if i == e.at {
		e.done.Store(true)
	}
}

// number returns the number of h in its crew.
func (h *hand) number() int {
	if h.crew.workers[0] == h {
		return 0
	}
	return 1
}

// A reduction that is over has no result, and adds nothing to what was left out: what is added are
// results of blocks that follow each other. (K13)
func TestAReductionThatIsOverAddsNothingThatIsLeftOut(t *testing.T) {
	for last := range 4 {
		t.Run(fmt.Sprint("at ", last), func(t *testing.T) {
			checkCrew(t, 2, 2, func(x *model.Exec, h *hand) {
				e := &ending{x: x, at: last}
				sum, all := ReduceUntil(h, 0, 4, e.over, func(h *hand, lo, hi int) (s string) {
					for i := lo; i < hi; i++ {
						e.begins(h, i)
						s += "0123"[i : i+1]
					}
					return s
				}, func(a, b string) string {
					neighbours := a != "" && b != "" && a[len(a)-1]+1 == b[0]
					x.Assert(neighbours, "%q and %q are added", a, b)
					return a + b
				})
				x.Assert(all && sum == "0123" || !all && sum == "", "%q, all: %v", sum, all)
			})
		})
	}
}

// ForEachUntil begins no call where over has said so, be it one that a thief was left with; when it
// returns, none runs and none is left. (K9, K13)
func TestForEachThatIsOverLeavesTheRest(t *testing.T) {
	for last := range 3 {
		t.Run(fmt.Sprint("at ", last), func(t *testing.T) {
			checkCrew(t, 2, 2, func(x *model.Exec, h *hand) {
				e := &ending{x: x, at: last}
				var begun, ended [3]atomic.Int32
				all := ForEachUntil(h, slices.Values([]int{0, 1, 2}), e.over, func(h *hand, i int) {
					begun[i].Add(1)
					e.begins(h, i)
					ended[i].Add(1)
				})
				x.Assert(h.Len() == 0, "%d forks are left", h.Len())
				made := true
				for i := range begun {
					n := begun[i].Load()
					x.Assert(n <= 1 && n == ended[i].Load(), "call %d began %d times, ended %d",
						i, n, ended[i].Load())
					made = made && n == 1
				}
				x.Assert(!all || made, "some calls were left out unsaid")
			})
		})
	}
}
