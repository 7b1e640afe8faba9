//go:build !race

package explore_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
	"github.com/surewake/surewake/model/wire"
)

// lostUpdate fails in schedules with at least one preemption.
func lostUpdate() {
	var x atomic.Int64
	add := func() { hook.Int64Store(&x, hook.Int64Load(&x)+1) }
	spawn(add, add, add)
	if hook.Int64Load(&x) != 3 {
		explore.Fail(explore.KindAssert, "lost")
	}
}

func TestReplayShowsTheSameFailure(t *testing.T) {
	withChoice := func() {
		var x atomic.Int64
		spawn(
			func() { hook.Int64Store(&x, int64(explore.Choose(4))) },
			func() { hook.Int64Add(&x, 10) })
		if hook.Int64Load(&x) == 13 {
			explore.Fail(explore.KindAssert, "thirteen")
		}
	}
	for _, body := range []func(){lostUpdate, withChoice} {
		r := all(body)
		require.NotNil(t, r.Failure)
		replay := wire.Deviations(r.Failure.Schedule)
		again := explore.Run(explore.Config{Preemptions: -1, Record: true, Replay: replay}, body)
		require.NotNil(t, again.Failure)
		require.Equal(t, r.Failure.Message, again.Failure.Message)
		require.EqualValues(t, 1, again.Executions())
		require.NotEmpty(t, again.Trace)
	}
}

func TestReplayOfAnotherProgramSaysSo(t *testing.T) {
	other := []wire.Deviation{{At: 0, Thread: 9}}
	r := explore.Run(explore.Config{Preemptions: -1, Record: true, Replay: other}, lostUpdate)
	require.NotNil(t, r.Failure)
	require.Equal(t, explore.KindNondeterminism, r.Failure.Kind)
	require.Contains(t, r.Failure.Message, "thread 9 at step 1")
	require.Equal(t, "at step 1 there is no goroutine 9", r.Unfit)
}

// A schedule that comes from another program need not end in a step that cannot be made.
func TestAScheduleThatDoesNotFit(t *testing.T) {
	body := func() { explore.Choose(3) }
	for _, c := range []struct {
		replay []wire.Deviation
		want   string
	}{
		{nil, ""},
		{[]wire.Deviation{{At: 1, IsValue: true, Value: 2}}, ""},
		{[]wire.Deviation{{At: 1, IsValue: true, Value: 3}}, "value 3 of step 1 is none of 3"},
		{[]wire.Deviation{{At: 1, Thread: 0}}, "step 1 chooses a value"},
		{[]wire.Deviation{{At: 0, IsValue: true, Value: 1}}, "step 1 chooses no value there"},
		{[]wire.Deviation{{At: 2, Thread: 1}},
			"the execution ends at step 1, before the last one of the schedule"},
	} {
		r := explore.Run(explore.Config{Preemptions: -1, Record: true, Replay: c.replay}, body)
		require.Nil(t, r.Failure)
		require.Equal(t, c.want, r.Unfit, "%v", c.replay)
	}
}

func TestPreemptionBound(t *testing.T) {
	r := explore.Run(explore.Config{Preemptions: 0}, lostUpdate)
	require.Nil(t, r.Failure)
	require.Equal(t, "at most 0 preemptions", r.Bounded)
	require.False(t, r.CutShort)
	r = explore.Run(explore.Config{Preemptions: 1}, lostUpdate)
	require.NotNil(t, r.Failure)
	require.Equal(t, 1, r.Failure.Preemptions)
	// A bound that nothing reaches bounds nothing.
	r = explore.Run(explore.Config{Preemptions: 50}, func() {
		var x atomic.Int32
		spawn(func() { hook.Int32Add(&x, 1) }, func() { hook.Int32Add(&x, 1) })
	})
	require.Empty(t, r.Bounded)
}

func TestRandomStrategiesFindTheFailureAndNeverProve(t *testing.T) {
	for _, s := range []explore.Strategy{explore.Random, explore.POS, explore.PCT} {
		cfg := explore.Config{Strategy: s, Preemptions: -1, Executions: 2000, Seed: 7}
		r := explore.Run(cfg, lostUpdate)
		require.NotNil(t, r.Failure, s)
		again := explore.Run(cfg, lostUpdate)
		require.Equal(t, r.Digest, again.Digest, "%s: the same seed draws the same schedules", s)
		replay := explore.Run(explore.Config{
			Preemptions: -1, Record: true, Replay: wire.Deviations(r.Failure.Schedule),
		}, lostUpdate)
		require.NotNil(t, replay.Failure, s)

		r = explore.Run(cfg, func() {
			var x atomic.Int32
			spawn(func() { hook.Int32Add(&x, 1) }, func() { hook.Int32Add(&x, 1) })
		})
		require.Nil(t, r.Failure)
		require.EqualValues(t, 2000, r.Executions())
		require.Equal(t, "budget of 2000 executions", r.Bounded)
	}
}

func TestBudgets(t *testing.T) {
	big := func() {
		var x atomic.Int32
		add := func() {
			for range 12 {
				hook.Int32Add(&x, 1)
			}
		}
		spawn(add, add, add)
	}
	r := explore.Run(explore.Config{Preemptions: -1, Executions: 100}, big)
	require.EqualValues(t, 100, r.Executions())
	require.Equal(t, "budget of 100 executions", r.Bounded)
	require.True(t, r.CutShort)
	require.True(t, r.Counted)
	calls := 0
	progress := func(r explore.Result, part float64) {
		calls++
		if part < 0 || part > 1 {
			t.Error(part)
		}
	}
	cfg := explore.Config{Preemptions: -1, Duration: 600 * time.Millisecond, Progress: progress}
	r = explore.Run(cfg, big)
	require.Equal(t, "budget of 600ms", r.Bounded)
	require.True(t, r.CutShort)
	require.False(t, r.Counted)
	require.NotZero(t, calls)
}

// The clock is looked at after each execution if they are slow.
func TestBudgetOfSlowExecutions(t *testing.T) {
	n := 0
	cfg := explore.Config{Preemptions: -1, Duration: 700 * time.Millisecond}
	r := explore.Run(cfg, func() {
		switch n++; {
		case n < 20:
			time.Sleep(20 * time.Millisecond)
		case n > 66:
			time.Sleep(100 * time.Millisecond)
		}
		addsToOne(5)
	})
	require.Equal(t, "budget of 700ms", r.Bounded)
	require.Less(t, r.Executions(), int64(78))
}

// The digest tells explorations apart: it is what makes the race run's
// schedules comparable with the plain run's.
func TestDigest(t *testing.T) {
	body := func(n int) func() {
		return func() {
			var x, y atomic.Int32
			spawn(func() {
				for range n {
					hook.Int32Add(&x, 1)
				}
				hook.Int32Load(&y)
			}, func() { hook.Int32Load(&x); hook.Int32Store(&y, 1) })
		}
	}
	require.Equal(t, all(body(2)).Digest, all(body(2)).Digest)
	require.NotEqual(t, all(body(2)).Digest, all(body(3)).Digest)
}
