package hook

import (
	"testing"
	"testing/synctest"

	"github.com/surewake/surewake/model/explore"
)

// SynctestTest is the hook of testing/synctest.Test. In an execution the function runs on the first
// goroutine of the bubble, as a test that has the name of t and is part of it.
//
//go:norace
//go:noinline
func SynctestTest(t *testing.T, f func(*testing.T)) {
	if !explore.InExecution() {
		synctest.Test(t, f)
		return
	}
	if asyncTimers {
		panic("synctest.Run not supported with asynctimerchan!=0")
	}
	s := Test{t}.state()
	in := &testState{
		t: new(testing.T), name: Test{t}.Name(), parent: s, bubble: true, next: tests.states,
	}
	tests.states = in
	explore.RunBubble(func() {
		if s.ending {
			panic("testing: synctest.Run called during t.Cleanup")
		}
		in.run(f)
	})
	if in.failed {
		in.failNow()
	}
}

// SynctestWait is the hook of testing/synctest.Wait.
//
//go:norace
//go:noinline
func SynctestWait() {
	if !explore.QuietWait() {
		synctest.Wait()
	}
}

// noBubble panics as package testing does if the test runs in a bubble of its own.
//
//go:norace
func (s *testState) noBubble(method string) {
	if s.bubble {
		panic("testing: t." + method + " called inside synctest bubble")
	}
}
