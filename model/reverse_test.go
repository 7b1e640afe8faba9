//go:build !race

// The engine is compiled without instrumentation when the race detector watches; this test runs it
// in its own binary, which is instrumented.

package model

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/history"
	"github.com/surewake/surewake/model/hook"
	"github.com/surewake/surewake/model/wire"
)

// Calls and returns of a history, and Joins, have no number in a picture. So the steps that decide
// are numbered without them.
func TestReversalHasTheNumbersOfThePicture(t *testing.T) {
	type op struct{ add int }
	c := &check{
		t: t, name: t.Name(), set: &wire.Settings{Preemptions: -1},
		opts: options{preemptions: -1, spec: history.Spec[int, op, int]{
			Name: "counter",
			Init: func() int { return 0 },
			Step: func(s int, o op, result int) (int, bool) { return s + o.add, result == s+o.add },
		}},
		body: func(x *Exec) {
			var n atomic.Int64
			for range 2 {
				x.Go("adder", func() {
					history.Do(x.History(), op{1}, func() int {
						v := hook.Int64Load(&n) + 1
						hook.Int64Store(&n, v)
						return int(v)
					})
				})
			}
			x.Join()
		},
	}
	cfg := c.config()
	cfg.FirstOnly = true
	res := explore.Run(cfg, c.execution(&cfg))
	require.NotNil(t, res.Failure)
	r := c.result(cfg, res)
	recorded := c.describe(&r, cfg, res.Failure)
	require.Equal(t, wire.KindHistory, r.Kind)
	other := c.reversal(&r, recording(cfg, wire.Deviations(res.Failure.Schedule)), &recorded)
	require.NotNil(t, other)
	first, second := r.Trace.Steps[other.First], r.Trace.Steps[other.Second]
	require.Equal(t, []string{"Load", "Store"}, []string{first.Op, second.Op})
	require.NotEqual(t, first.Thread, second.Thread)

	c.set = &wire.Settings{Preemptions: -1, Schedule: other.Schedule}
	_, f, again, err := c.again(&cfg)
	require.NoError(t, err)
	require.Nil(t, f)
	require.Empty(t, again.Unfit)
	require.EqualValues(t, 1, again.Complete)
}
