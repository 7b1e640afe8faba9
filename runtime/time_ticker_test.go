package runtime_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// The period is 10 hours, and a tick is 25 late.
func TestMissedTicks(t *testing.T) {
	for _, c := range []struct {
		missed runtime.MissedTicks
		due    []int64 // the next tick, after each one
	}{
		{runtime.Burst, []int64{20, 30, 40, 50}}, // at once, at once, at once, and at 40
		{runtime.Skip, []int64{40, 50}},
		{runtime.Delay, []int64{45, 55}},
	} {
		t.Run(c.missed.String(), func(t *testing.T) {
			clock := new(fakeClock)
			rt := start(t, 1, clock.option())
			run(t, rt, func(cx runtime.Cx) error {
				i := cx.NewTicker(10*time.Hour, c.missed)
				require.EqualValues(t, 10*time.Hour, i.Due())
				clock.set(rt, 35*time.Hour)
				for n, due := range c.due {
					if n == len(c.due)-1 { // the only one that waits
						h := runtime.Spawn(cx, does(i.Next))
						settle(cx)
						require.Equal(t, 1, runtime.Timers(rt))
						clock.set(rt, time.Duration(c.due[n-1])*time.Hour-1)
						settle(cx)
						require.False(t, hasEnded(h))
						clock.set(rt, time.Duration(c.due[n-1])*time.Hour)
						if _, err := h.Join(cx); err != nil {
							return err
						}
					} else if err := i.Next(cx); err != nil {
						return err
					}
					require.Equal(t, time.Duration(due)*time.Hour, time.Duration(i.Due()))
				}
				return nil
			})
		})
	}
}

func TestTickerDoesNotDrift(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		const period = 500 * time.Microsecond
		begin := time.Now()
		i := cx.NewTicker(period, runtime.Burst)
		for n := range 20 {
			if err := i.Next(cx); err != nil {
				return err
			}
			require.GreaterOrEqual(t, time.Since(begin), time.Duration(n+1)*period, "it came early")
		}
		return nil
	})
}

func TestCancelledIntervalKeepsItsTick(t *testing.T) {
	clock := new(fakeClock)
	rt := start(t, 1, clock.option())
	run(t, rt, func(cx runtime.Cx) error {
		i := cx.NewTicker(time.Hour, runtime.Burst)
		h := runtime.Spawn(cx, does(i.Next))
		settle(cx)
		h.Cancel()
		_, err := h.Join(cx)
		require.ErrorIs(t, err, runtime.ErrCancelled)
		require.EqualValues(t, time.Hour, i.Due())
		clock.set(rt, time.Hour)
		return i.Next(cx)
	})
}

func TestTickerInATaskThatIsToEnd(t *testing.T) {
	clock := new(fakeClock)
	rt := start(t, 1, clock.option())
	var i *runtime.Ticker
	run(t, rt, func(cx runtime.Cx) error {
		i = cx.NewTicker(time.Hour, runtime.Skip)
		clock.set(rt, time.Hour)
		return nil
	})
	_, err := cancelled(t, rt, does(i.Next))
	require.ErrorIs(t, err, runtime.ErrCancelled)
	require.EqualValues(t, time.Hour, i.Due())
}

// An interval that is always late lets others run.
func TestBurstDoesNotStarveOthers(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		over := false
		h := runtime.Spawn(cx, does(func(cx runtime.Cx) error {
			i := cx.NewTicker(1, runtime.Burst)
			for !over {
				if err := i.Next(cx); err != nil {
					return err
				}
			}
			return nil
		}))
		cx.Yield()
		cx.Yield()
		over = true
		_, err := h.Join(cx)
		return err
	})
}

func TestTickerMisuse(t *testing.T) {
	rt := start(t, 1)
	const zero = ": the zero Cx; a Cx is what a task's function is given"
	var none runtime.Cx
	require.Equal(t, "surewake: NewTicker"+zero,
		panics(func() { none.NewTicker(1, runtime.Burst) }))
	require.Equal(t, "MissedTicks(3)", runtime.MissedTicks(3).String())
	var i *runtime.Ticker
	run(t, rt, func(cx runtime.Cx) error {
		require.Equal(t, "surewake: NewTicker(0s, _): the period must be more than 0",
			panics(func() { cx.NewTicker(0, runtime.Burst) }))
		require.Equal(t, "surewake: NewTicker(-1ns, _): the period must be more than 0",
			panics(func() { cx.NewTicker(-1, runtime.Burst) }))
		require.Equal(t, "surewake: NewTicker(_, MissedTicks(3)): must be Burst, Skip or Delay",
			panics(func() { cx.NewTicker(1, 3) }))
		i = cx.NewTicker(1, runtime.Skip)
		return nil
	})
	require.Equal(t, "surewake: Ticker.Next"+zero, panics(func() { _ = i.Next(none) }))
	other, err := runtime.New(runtime.Workers(1))
	require.NoError(t, err)
	run(t, other, func(cx runtime.Cx) error {
		require.Equal(t, "surewake: Ticker.Next: the ticker belongs to another runtime",
			panics(func() { _ = i.Next(cx) }))
		return nil
	})
	require.NoError(t, other.Close())
}
