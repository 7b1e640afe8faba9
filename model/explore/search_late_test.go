//go:build !race

package explore_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/hook"
)

// sees is a body with a loop that notes what it sees until it sees 2; loads counts its looks.
func sees(loads *int, end func(seen [3]bool)) func() {
	return func() {
		var x atomic.Int32
		var seen [3]bool
		spawn(
			func() {
				for !seen[2] {
					explore.Loop(1<<32 | 7)
					seen[hook.Int32Load(&x)] = true
					*loads++
				}
				end(seen)
			},
			func() { hook.Int32Store(&x, 1); hook.Int32Store(&x, 2) },
		)
	}
}

// A loop that goes on up to the bound on steps, as nothing preempts it, takes a time for each of
// its iterations that does not grow.
func TestLongExecutionWithinABound(t *testing.T) {
	begin, loads := time.Now(), 0
	cfg := explore.Config{Preemptions: 0, MaxSteps: 150_000}
	r := explore.Run(cfg, sees(&loads, func([3]bool) {}))
	require.Nil(t, r.Failure)
	require.Regexp(t, "at most 0 preemptions; of a loop that waits", r.Bounded)
	require.Greater(t, loads, 150_000-10)
	require.Less(t, time.Since(begin), 5*time.Second)
}

// Who shortens a failure knows what its search has found out about loops.
func TestShorterFailureOfALoopThatWaits(t *testing.T) {
	loads := 0
	cfg := explore.Config{Preemptions: -1, MaxSteps: 50_000}
	body := sees(&loads, func(seen [3]bool) {
		if seen[1] && seen[0] {
			explore.Fail(explore.KindAssert, "all were seen")
		}
	})
	found := explore.Run(cfg, body).Failure
	require.NotNil(t, found)
	require.Greater(t, loads, 50_000-10)
	for n := range 2 {
		loads = 0
		cfg.Preemptions, cfg.FirstOnly, cfg.Shorten = n, true, found
		explore.Run(cfg, body)
		require.Less(t, loads, 1000, "%d preemptions", n)
	}
}

// The time of who shortens ends within an execution, that of others within one that is not the
// first.
func TestTimeEndsWithinAnExecution(t *testing.T) {
	const most = 3_000_000
	endless := func(x *atomic.Int32) {
		for {
			hook.Int32Load(x)
		}
	}
	body := func(seen int32) func() {
		return func() {
			var x atomic.Int32
			spawn(func() {
				if hook.Int32Load(&x) == seen {
					endless(&x)
				}
			}, func() { hook.Int32Store(&x, 1) })
		}
	}
	cfg := explore.Config{Preemptions: -1, MaxSteps: most, Duration: 20 * time.Millisecond}
	r := explore.Run(cfg, body(1))
	require.Nil(t, r.Failure)
	require.Equal(t, "budget of 20ms", r.Bounded)
	require.Less(t, r.Steps, int64(most/2))

	cfg.Shorten = &explore.Failure{Kind: explore.KindAssert}
	r = explore.Run(cfg, body(0))
	require.Nil(t, r.Failure)
	require.True(t, r.CutShort)
	require.Less(t, r.Steps, int64(most/2))

	cfg.Shorten, cfg.MaxSteps, cfg.Duration = nil, 50_000, time.Nanosecond
	f := explore.Run(cfg, body(0)).Failure
	require.NotNil(t, f)
	require.Equal(t, explore.KindLimit, f.Kind)
}
