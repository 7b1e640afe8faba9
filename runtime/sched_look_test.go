package runtime_test

import (
	"context"
	goruntime "runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// The interval between two looks at the injector is what tasks take in the time that is set, within
// the bounds that are set. (runtime/R4)
func TestIntervalHasTheBoundsThatAreSet(t *testing.T) {
	for _, c := range []struct {
		target      time.Duration
		least, most int
		task        time.Duration
		want        int
	}{
		{time.Millisecond, 8, 255, 10 * time.Microsecond, 100},
		{200 * time.Microsecond, 8, 255, 10 * time.Microsecond, 20},
		{200 * time.Microsecond, 32, 255, 10 * time.Microsecond, 32},
		{time.Hour, 1, 1000, 10 * time.Microsecond, 1000},
		{1, 1, 1_000_000, time.Microsecond, 1},
	} {
		var clock atomic.Int64
		rt := start(t, 1, runtime.WithClock(clock.Load),
			runtime.InjectorInterval(c.target, c.least, c.most))
		run(t, rt, func(cx runtime.Cx) error {
			for range 20_000 {
				clock.Add(int64(c.task))
				cx.Yield()
			}
			require.InDelta(t, c.want, cx.LookInterval(), 1+float64(c.want)/20)
			return nil
		})
	}
	rt := start(t, 1, runtime.Seed(1), runtime.InjectorInterval(time.Second, 70, 80))
	run(t, rt, func(cx runtime.Cx) error {
		require.Equal(t, 70, cx.LookInterval())
		return nil
	})
}

// While the injector holds a batch more than was taken, the next look comes as soon as that has
// been run; but the worker's own tasks have their turns in between. (runtime/R3)
func TestABacklogIsTakenBatchByBatch(t *testing.T) {
	const tasks = 1000
	for _, target := range []runtime.BatchTarget{runtime.LocalRing, runtime.PrivateBuffer} {
		for _, most := range []int{1, 2, 8, 32, 60} {
			rt := start(t, 1, runtime.InjectorBatch(most, target), runtime.IdleBatch(1),
				runtime.WithClock(func() int64 { return 0 }))
			done, polls, gap, longest := 0, 0, 0, 0 // the worker's
			run(t, rt, func(cx runtime.Cx) error {
				for range tasks {
					runtime.Submit(rt, func(runtime.Cx) (int, error) {
						done, gap = done+1, gap+1
						return 0, nil
					}).Detach()
				}
				for done < tasks {
					polls++
					longest, gap = max(longest, gap), 0
					cx.Yield()
				}
				return nil
			})
			require.LessOrEqual(t, longest, most+1, "own tasks wait for more than a batch")
			require.Less(t, polls, tasks+5*mostPolls, "with batches of %d", most)
		}
	}
}

// A worker that has none takes as many tasks at a time as IdleBatch says.
func TestAnIdleWorkerTakesABatchOfItsOwnSize(t *testing.T) {
	for _, c := range []struct{ idle, ring, want int }{
		{1, 256, 64}, {16, 256, 4}, {64, 256, 1}, {1000, 256, 1}, {32768, 16, 4},
	} {
		rt := start(t, 1, runtime.IdleBatch(c.idle), runtime.Ring(c.ring),
			runtime.InjectorInterval(time.Hour, 1_000_000, 1_000_000))
		block, held := make(chan struct{}), make(chan struct{})
		holds := runtime.Submit(rt, func(runtime.Cx) (int, error) {
			close(held)
			<-block
			return 0, nil
		})
		<-held
		for range 64 {
			rt.Go(func(runtime.Cx) {})
		}
		close(block)
		_, err := holds.Wait(context.Background())
		require.NoError(t, err)
		require.NoError(t, rt.Close())
		require.EqualValues(t, 1+c.want, rt.Stats().Workers[0].Batches, "%+v", c)
	}
}

// Workers that have all processors, and never run out of tasks, let a goroutine run whom one of
// them has woken: Go alone would let it wait for 10 ms. (runtime/R45)
func TestAGoroutineThatIsWokenRuns(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
	rt := start(t, 1)
	var stop atomic.Bool
	var polls atomic.Int64
	var again func(cx runtime.Cx)
	again = func(cx runtime.Cx) {
		polls.Add(1)
		if !stop.Load() {
			cx.Go(again)
		}
	}
	rt.Go(again)
	long := 0 // waits for which many tasks were run after what they waited for
	for i := 0; i < 500 && long < 5; i++ {
		var ended int64
		h := runtime.Submit(rt, func(runtime.Cx) (int, error) {
			ended = polls.Load()
			return 0, nil
		})
		_, err := get(t, h)
		require.NoError(t, err)
		if polls.Load()-ended > 1000 {
			long++
		}
	}
	stop.Store(true)
	require.Less(t, long, 5)
}
