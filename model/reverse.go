package model

import (
	"time"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/wire"
)

// reversing bounds the search for a reversal.
const reversing = 2 * time.Second

// reverse adds to the trace of r, which is that of res, what decides that the execution fails. cfg
// has recorded it. The executions that are run for this are judged without the race detector: its
// reports would be taken for those of the check.
func (c *check) reverse(r *wire.Result, cfg explore.Config, res *explore.Result) {
	if explore.Race || r.Verdict != wire.Failed || r.Kind == wire.KindRace {
		return
	}
	html := c.html // executions that fail draw others
	other := explore.Reverse(cfg, c.execution(&cfg), res, reversing)
	c.html = html
	if other == nil {
		return
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
	r.Trace.Reversal = at
}
