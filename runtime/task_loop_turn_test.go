package runtime_test

import (
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// callLasts is how long a call of an endless loop lasts.
const callLasts = 20 * time.Microsecond

// endless are loops that only a cancellation ends; each call lasts for some microseconds.
var endless = map[string]func(cx runtime.Cx) error{
	"For": func(cx runtime.Cx) error {
		return runtime.For(cx, 0, math.MaxInt, func(runtime.Cx, int) { spin(callLasts) })
	},
	"Range": func(cx runtime.Cx) error {
		return runtime.Range(cx, 0, math.MaxInt, func(runtime.Cx, int, int) {
			spin(callLasts)
		})
	},
	"Map": func(cx runtime.Cx) error {
		in := make([]struct{}, math.MaxInt)
		_, err := runtime.Map(cx, in, func(runtime.Cx, struct{}) struct{} {
			spin(callLasts)
			return struct{}{}
		})
		return err
	},
	"Reduce": func(cx runtime.Cx) error {
		_, err := runtime.Reduce(cx, 0, math.MaxInt, func(runtime.Cx, int, int) int {
			spin(callLasts)
			return 0
		}, func(a, b int) int { return a + b })
		return err
	},
	"ForErr": func(cx runtime.Cx) error {
		return runtime.ForErr(cx, 0, math.MaxInt, func(runtime.Cx, int) error {
			spin(callLasts)
			return nil
		})
	},
	"ForEach": func(cx runtime.Cx) error {
		return runtime.ForEach(cx, ones, func(runtime.Cx, int) { spin(callLasts) })
	},
	"ForEachErr": func(cx runtime.Cx) error {
		return runtime.ForEachErr(cx, ones, func(runtime.Cx, int) error {
			spin(callLasts)
			return nil
		})
	},
}

func ones(yield func(int) bool) {
	for yield(1) {
	}
}

// A loop that has all workers lets the timers fire. (runtime/R60)
func TestATimeoutEndsALoop(t *testing.T) {
	for name, loop := range endless {
		for _, workers := range []int{1, 2} {
			rt := start(t, workers)
			h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				return runtime.Timeout(cx, 5*time.Millisecond, func(cx runtime.Cx) (int, error) {
					return 0, loop(cx)
				})
			})
			_, err := get(t, h)
			require.ErrorIs(t, err, runtime.ErrTimeout, "%s, %d workers", name, workers)
		}
	}
}

// A loop that has all workers lets tasks run that come from outside, or are queued at its worker.
// (runtime/R60)
func TestALoopLetsOthersRun(t *testing.T) {
	for name, loop := range endless {
		for _, workers := range []int{1, 2} {
			rt := start(t, workers)
			var child atomic.Bool
			h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				cx.Go(func(runtime.Cx) { child.Store(true) })
				return 0, loop(cx)
			})
			for range 5 {
				other := runtime.Submit(rt, func(runtime.Cx) (int, error) { return 0, nil })
				_, err := get(t, other)
				require.NoError(t, err, "%s, %d workers", name, workers)
			}
			waits(t, child.Load, "the child of the loop's task does not run")
			h.Cancel()
			_, err := get(t, h)
			require.ErrorIs(t, err, runtime.ErrCancelled)
		}
	}
}

// Calls that have become long are seen to be long.
func TestCallsThatBecomeLong(t *testing.T) {
	rt := start(t, 1)
	var calls atomic.Int64
	h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		return runtime.Timeout(cx, 200*time.Millisecond, func(cx runtime.Cx) (int, error) {
			return 0, runtime.For(cx, 0, math.MaxInt, func(runtime.Cx, int) {
				if calls.Add(1) > 10_000 {
					time.Sleep(2 * time.Millisecond)
				}
			})
		})
	})
	_, err := get(t, h)
	require.ErrorIs(t, err, runtime.ErrTimeout)
	require.Less(t, calls.Load(), int64(10_300))
}

// A loop yields, again and again, to a task that sleeps: it goes on as one, and its parts do not
// become tasks that yield to each other. (runtime/R69)
func TestALoopThatYieldsStaysOne(t *testing.T) {
	for name, loop := range endless {
		t.Run(name, func(t *testing.T) {
			rt := start(t, 1)
			sleeper := rt.Go(func(cx runtime.Cx) {
				for cx.Sleep(100*time.Microsecond) == nil {
				}
			})
			h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				return runtime.Timeout(cx, 100*time.Millisecond, func(cx runtime.Cx) (int, error) {
					return 0, loop(cx)
				})
			})
			_, err := get(t, h)
			require.ErrorIs(t, err, runtime.ErrTimeout)
			sleeper.Cancel()
			require.NoError(t, rt.Close())
			w := rt.Stats().Workers[0]
			require.Zero(t, w.Released)
			require.Greater(t, w.Polled, uint64(20)) // the sleeper's turns
		})
	}
}
