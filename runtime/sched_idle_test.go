package runtime_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// asleep waits until so many workers sleep.
func asleep(t testing.TB, rt *runtime.Runtime, workers int) {
	t.Helper()
	require.Eventually(t, func() bool { return rt.Stats().Sleeping == workers }, stuckAfter,
		50*time.Microsecond)
}

// parks is how often workers have gone to sleep so far.
func parks(rt *runtime.Runtime) (n uint64) {
	for _, w := range rt.Stats().Workers {
		n += w.Parked
	}
	return n
}

// busyUntil keeps the worker busy, without any call that the runtime could use, until done says so.
func busyUntil(t testing.TB, done func() bool) {
	for end := time.Now().Add(stuckAfter); !done(); {
		if time.Now().After(end) {
			t.Error("nobody does what the task waits for")
			return
		}
	}
}

// Nobody wakes while nothing is to be done; not for tasks that wait either, or for timers that are
// far away.
func TestIdleRuntimeWakesNobody(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		for range 20 {
			runtime.Submit(rt, func(cx runtime.Cx) (int, error) { return 0, cx.Sleep(time.Hour) })
		}
		asleep(t, rt, workers)
		require.Eventually(
			t,
			func() bool { // the first to sleep wakes once more, because others were awake then
				before := parks(rt)
				time.Sleep(50 * time.Millisecond) // several rescue intervals
				return parks(rt) == before
			},
			stuckAfter,
			time.Millisecond,
		)
	})
}

// A task that sleeps 20 times a second costs fewer than 150 wakes a second: its own, that of
// whoever sleeps in the driver's place, and one for the scans meanwhile.
func TestTimersWakeFewWorkers(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		began, before := time.Now(), parks(rt)
		_, err := get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			for range 6 {
				if err := cx.Sleep(50 * time.Millisecond); err != nil {
					return 0, err
				}
			}
			return 0, nil
		}))
		require.NoError(t, err)
		asleep(t, rt, workers)
		require.Less(t, float64(parks(rt)-before)/time.Since(began).Seconds(), 150.0)
	})
}

// A task next in line after one that never lets go of its worker is run by another worker: after
// one rescue interval at least, and two at most if the machine has the time.
func TestTaskBehindALongOneIsRescued(t *testing.T) {
	for i := range 4 {
		const interval = 3 * time.Millisecond
		rt := start(t, 2, runtime.RescueInterval(interval))
		if i%2 == 1 { // the time until the scan counts, not that until the timer (runtime/P2)
			runtime.Submit(rt, func(cx runtime.Cx) (int, error) { return 0, cx.Sleep(time.Hour) })
		}
		asleep(t, rt, 2)
		_, err := get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			var ran atomic.Bool
			began := time.Now()
			h := runtime.Spawn(cx, func(runtime.Cx) (int, error) {
				ran.Store(true)
				return 0, nil
			})
			busyUntil(t, ran.Load)
			require.GreaterOrEqual(t, time.Since(began), interval)
			return h.Join(cx)
		}))
		require.NoError(t, err)
		require.NoError(t, rt.Close())
		var rescued uint64
		for _, w := range rt.Stats().Workers {
			rescued += w.Rescued
		}
		require.EqualValues(t, 1, rescued)
	}
}

// A task that comes to an empty slot is about to run: nobody is woken for it.
func TestFillingAnEmptySlotWakesNobody(t *testing.T) {
	rt := start(t, 2, runtime.RescueInterval(0))
	_, err := get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		for range 20 {
			asleep(t, rt, 1)
			before := parks(rt)
			h := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) { return cx.Worker(), nil })
			time.Sleep(200 * time.Microsecond)
			require.Equal(t, before, parks(rt))
			require.Equal(t, 1, rt.Stats().Sleeping)
			worker, err := h.Join(cx)
			require.NoError(t, err)
			require.Equal(t, cx.Worker(), worker)
		}
		return 0, nil
	}))
	require.NoError(t, err)
}

// The second of two tasks is another matter: the one that was in the slot goes where the sleeper
// can take it. (runtime/D7)
func TestASecondTaskWakesSomebody(t *testing.T) {
	rt := start(t, 2, runtime.RescueInterval(0))
	_, err := get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		asleep(t, rt, 1)
		var ran atomic.Int32
		for range 2 {
			runtime.Spawn(cx, func(runtime.Cx) (int, error) {
				ran.Add(1)
				return 0, nil
			})
		}
		busyUntil(t, func() bool { return ran.Load() == 1 })
		return 0, nil
	}))
	require.NoError(t, err)
}

// A timer that becomes the earliest while another worker already sleeps as the driver ends that
// sleep in time: nobody else could. (runtime/P3)
func TestEarlierTimerEndsTheSleepOfTheDriver(t *testing.T) {
	for _, later := range []bool{false, true} {
		rt := start(t, 2, runtime.RescueInterval(0))
		if later { // the driver has a timeout, and a too long one
			runtime.Submit(rt, func(cx runtime.Cx) (int, error) { return 0, cx.Sleep(time.Hour) })
		}
		var late [10]time.Duration
		_, err := get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			for i := range late {
				asleep(t, rt, 1)
				var woken atomic.Bool
				h := runtime.Spawn(
					cx,
					// Is run when the task below waits, by its worker.
					func(cx runtime.Cx) (int, error) {
						busyUntil(t, woken.Load)
						return 0, nil
					},
				)
				due := time.Now().Add(time.Millisecond)
				err := cx.Sleep(time.Millisecond)
				late[i] = time.Since(due)
				woken.Store(true)
				if err != nil {
					return 0, err
				}
				if _, err := h.Join(cx); err != nil {
					return 0, err
				}
			}
			return 0, nil
		}))
		require.NoError(t, err)
		t.Logf("late by %v", late)
		require.GreaterOrEqual(t, slices.Min(late[:]), time.Duration(0))
		require.Less(t, slices.Min(late[:]), 100*time.Millisecond)
	}
}

// A worker that runs what its timer has woken, and for long, has left its place as the driver to
// another one: the next timer fires.
func TestSomebodyDrivesWhileTheDriverWorks(t *testing.T) {
	rt := start(t, 2, runtime.RescueInterval(0))
	var second atomic.Bool
	first := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		if err := cx.Sleep(time.Millisecond); err != nil {
			return 0, err
		}
		busyUntil(t, second.Load)
		return 0, nil
	})
	_, err := get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		err := cx.Sleep(3 * time.Millisecond)
		second.Store(true)
		return 0, err
	}))
	require.NoError(t, err)
	_, err = get(t, first)
	require.NoError(t, err)
}

// BenchmarkIdle reports how often the workers of an idle runtime wake, without timers and with one.
func BenchmarkIdle(b *testing.B) {
	bench := func(b *testing.B, timer time.Duration) {
		rt := start(b, 2)
		if timer > 0 {
			runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				for {
					if err := cx.Sleep(timer); err != nil {
						return 0, err
					}
				}
			})
		}
		asleep(b, rt, 2)
		before := parks(rt)
		b.ResetTimer()
		for range b.N {
			time.Sleep(time.Millisecond)
		}
		b.ReportMetric(float64(parks(rt)-before)/b.Elapsed().Seconds(), "wakes/s")
		b.ReportMetric(0, "ns/op")
	}
	b.Run("nothing", func(b *testing.B) { bench(b, 0) })
	b.Run("timer-20ms", func(b *testing.B) { bench(b, 20*time.Millisecond) })
	b.Run("timer-1h", func(b *testing.B) { bench(b, time.Hour) })
}
