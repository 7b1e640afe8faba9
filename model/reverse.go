package model

import (
	"time"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/wire"
)

// reversing bounds the search for a reversal.
const reversing = 2 * time.Second

// failDecided is fail for an execution that cfg has recorded, as res. When the result has been sent
// it looks for what decides that the execution fails: if one of those that are run for this ends
// the process, or hangs, the result stands.
func (c *check) failDecided(r wire.Result, cfg explore.Config, res *explore.Result) {
	c.t.Helper()
	c.sendFailure(&r)
	if other := c.reversal(&r, cfg, res); other != nil {
		send(wire.Message{Reversal: other})
	}
	c.t.Errorf("%s", r.Message)
}

// reversal returns what decides that the execution fails which cfg has recorded, nil if that is not
// found. Under the race detector it does not look: reports about other executions would be taken
// for those of the check. Nor does it where code that is not rewritten makes the test fail, which
// it can do once.
func (c *check) reversal(
	r *wire.Result, cfg explore.Config, res *explore.Result,
) *wire.Reversal {
	if explore.Race || res.Failure == nil || r.Verdict != wire.Failed ||
		r.Kind == wire.KindRace || !mustShowAgain(res.Failure) {
		return nil
	}
	other := explore.Reverse(cfg, c.execution(&cfg), res, reversing)
	if other == nil || c.t.Failed() {
		return nil
	}
	steps := len(res.Trace)
	shown := func(step int) (n int) { // its number in r.Trace
		for i := range step {
			if !isLeftOut(&res.Trace[i]) {
				n++
			}
		}
		return n
	}
	at := &wire.Reversal{First: shown(other.First), Schedule: encoded(cfg, other.Schedule)}
	switch n := other.Second; {
	case n == explore.AfterAll:
		at.Second = wire.AfterAll
	case n >= steps:
		at.Second = len(r.Trace.Steps) + n - steps
	default:
		at.Second = shown(n)
	}
	return at
}
