// Package regressions holds tests that replay a schedule of another one.
package regressions

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// lost loses an update in an execution with a preemption.
func lost(x *model.Exec) {
	var n atomic.Int32
	for range 2 {
		x.Go("adder", func() { n.Store(n.Load() + 1) })
	}
	x.Join()
	x.Assert(n.Load() == 2, "n is %d", n.Load())
}

// verdict: bounded at most 0 preemptions
func TestLost(t *testing.T) { model.Check(t, lost, model.Preemptions(0)) }

// The schedule is run first, whatever bounds there are.
//
// verdict: FAILED n is 1.*its schedule fails
//
//surewake:replay TestLost 1c
func TestLostReplay(t *testing.T) {}

// The schedule is another one. All others come after it.
//
// verdict: bounded its schedule passes.*at most 0 preemptions
//
//surewake:replay TestLost c
func TestLostReplayPasses(t *testing.T) {}

// verdict: proved
func TestRepaired(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var mu sync.Mutex
		n := 0
		for range 2 {
			x.Go("adder", func() { mu.Lock(); n++; mu.Unlock() })
		}
		x.Join()
		x.Assert(n == 2, "n is %d", n)
	})
}

// The schedule is one of TestBroken.
//
// verdict: proved its schedule no longer applies to the changed program: adder cannot run at step 2
//
//surewake:replay TestRepaired 1cbc
func TestRepairedReplay(t *testing.T) {}

// The schedule is one of a longer program.
//
// verdict: FAILED n is 1.*no longer applies to the changed program: the execution ends at step
//
//surewake:replay TestBroken 10b
func TestBrokenReplay(t *testing.T) {}

// verdict: FAILED n is 1
func TestBroken(t *testing.T) { model.Check(t, lost) }

// A schedule that no longer applies hides nothing: all others are run.
//
// verdict: FAILED n is 1.*no longer applies to the changed program: value 7 of step 1 is none of 2; what was run in its place fails
//
//surewake:replay TestBrokenByChoice 1=7.
func TestBrokenByChoiceReplay(t *testing.T) {}

// verdict: FAILED n is 1
func TestBrokenByChoice(t *testing.T) {
	model.Check(t, func(x *model.Exec) { x.Assert(x.Choose(2) == 0, "n is 1") })
}

// verdict: skipped not here
func TestSkips(t *testing.T) {
	t.Skip("not here")
	model.Check(t, lost)
}

// verdict: skipped not here
//
//surewake:replay TestSkips 3b
func TestSkipsReplay(t *testing.T) {}

// verdict: undecided it replays a schedule of TestGone, and the package has no such test
//
//surewake:replay TestGone 3b
func TestGoneReplay(t *testing.T) {}

// verdict: undecided it replays a schedule of TestBroken/sub: TestBroken ended without running a check
//
//surewake:replay TestBroken/sub 3b
func TestGoneSubtestReplay(t *testing.T) {}

// verdict: undecided want //surewake:replay TEST SCHEDULE
//
//surewake:replay TestBroken
func TestMalformedReplay(t *testing.T) {}

// verdict: undecided schedule "3!", character 2
//
//surewake:replay TestBroken 3!
func TestBadScheduleReplay(t *testing.T) {}
