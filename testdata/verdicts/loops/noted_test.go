package loops

import (
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// Nothing may preempt the loop, which notes what it sees, until it has come to the bound on steps.
//
// verdict: bounded at most 1 preemptions; of a loop that waits
func TestNotesWithinABound(t *testing.T) {
	model.Check(t, func(*model.Exec) {
		var x atomic.Int32
		go func() { x.Store(1); x.Store(2); x.Store(3) }()
		n := [4]int{}
		for n[3] == 0 {
			n[x.Load()]++
		}
	}, model.Preemptions(1), model.MaxSteps(1<<20))
}
