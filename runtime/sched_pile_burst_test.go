package runtime_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

const burst = 100_000 // tasks that are started at once

// spinning returns a task that takes 10 us, and counts itself.
func spinning(ran *atomic.Int64) func(runtime.Cx) (int, error) {
	return func(runtime.Cx) (int, error) {
		for from := time.Now(); time.Since(from) < 10*time.Microsecond; {
		}
		ran.Add(1)
		return 0, nil
	}
}

// A timeout ends what has started more tasks than can be run until then, when it has passed, not
// when all of them have been run. (runtime/R76)
func TestATimeoutEndsABurst(t *testing.T) {
	for _, workers := range []int{1, 2} {
		rt := start(t, workers)
		var ran atomic.Int64
		run(t, rt, func(cx runtime.Cx) error {
			_, err := runtime.Timeout(cx, 200*time.Millisecond, func(cx runtime.Cx) (int, error) {
				return 0, runtime.Scope(cx, func(cx runtime.Cx, s *runtime.TaskScope) error {
					for range burst {
						runtime.SpawnIn(cx, s, spinning(&ran))
					}
					return nil
				})
			})
			require.ErrorIs(t, err, runtime.ErrTimeout)
			return nil
		})
		require.Less(t, ran.Load(), int64(burst*3/4))
		closes(t, rt)
	}
}

// While a burst is run, what sleeps goes on, in the order of the deadlines. (runtime/R76, R13)
func TestWhatSleepsGoesOnDuringABurst(t *testing.T) {
	rt := start(t, 1)
	var ran atomic.Int64
	run(t, rt, func(cx runtime.Cx) error {
		var began []int
		var before int64 // tasks that had run when the last one began
		from := time.Now()
		sleepers := make([]*runtime.Handle[struct{}], 40)
		for i := range sleepers {
			sleepers[i] = cx.Go(func(cx runtime.Cx) {
				_ = cx.SleepUntil(from.Add(time.Duration(20+5*i) * time.Millisecond))
				began, before = append(began, i), ran.Load()
			})
		}
		cx.Yield()
		var last *runtime.Handle[int]
		for range burst {
			last = runtime.Spawn(cx, spinning(&ran))
		}
		for _, s := range sleepers {
			if _, err := s.Join(cx); err != nil {
				return err
			}
		}
		require.IsIncreasing(t, began)
		require.Less(t, before, int64(burst*3/4))
		_, err := last.Join(cx)
		return err
	})
	closes(t, rt)
}
