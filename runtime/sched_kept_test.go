package runtime_test

import (
	goruntime "runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// A runtime that idles keeps neither the tasks that have ended nor their results: however they
// waited, and however many workers and spare coroutines there are. (runtime/R10)
func TestIdleRuntimeKeepsNoResult(t *testing.T) {
	const many = 100
	waits := map[string]func(cx runtime.Cx) error{
		"no wait": func(runtime.Cx) error { return nil },
		"yield": func(cx runtime.Cx) error {
			cx.Yield()
			return nil
		},
		"sleep": func(cx runtime.Cx) error { return cx.Sleep(5 * time.Millisecond) },
		"join": func(cx runtime.Cx) error {
			_, err := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
				return 0, cx.Sleep(time.Millisecond)
			}).JoinTimeout(cx, time.Hour)
			return err
		},
		"timeout": func(cx runtime.Cx) error {
			_, err := runtime.Timeout(cx, time.Hour, func(cx runtime.Cx) (int, error) {
				return 0, cx.Sleep(time.Millisecond)
			})
			return err
		},
		"timeout that passes": func(cx runtime.Cx) error {
			if _, err := runtime.Timeout(cx, time.Millisecond, forever); err != runtime.ErrTimeout {
				return err
			}
			return nil
		},
		"future": func(cx runtime.Cx) error {
			_, err := runtime.SpawnFuture[int](cx, &shortNap{}).Join(cx)
			return err
		},
		"select": func(cx runtime.Cx) error {
			_, err := runtime.Select(cx, runtime.AfterCase(time.Millisecond),
				runtime.AfterCase(time.Hour))
			return err
		},
		"group": func(cx runtime.Cx) error {
			g := runtime.NewGroup(cx.Context(), cx.Runtime())
			_ = g.Spawn(cx, func(cx runtime.Cx) error { return cx.Sleep(time.Millisecond) })
			return g.Join(cx)
		},
		"fork": func(cx runtime.Cx) error {
			f := runtime.Fork(cx, func(cx runtime.Cx, d time.Duration) error { return cx.Sleep(d) },
				time.Millisecond)
			cx.Yield()
			return f.Join(cx)
		},
		"long": func(runtime.Cx) error { // sleepers look at the slots
			time.Sleep(100 * time.Microsecond)
			return nil
		},
	}
	for name, wait := range waits {
		for _, workers := range []int{1, 2, 8, 65} {
			for _, spares := range []int{8, 1000} {
				rt := start(t, workers, runtime.SpareCoroutines(spares),
					runtime.RescueInterval(time.Millisecond))
				var dropped atomic.Int64
				runAndDrop(t, rt, many, &dropped, wait)
				for range 200 {
					if goruntime.GC(); dropped.Load() == many {
						break
					}
					time.Sleep(5 * time.Millisecond)
				}
				require.EqualValues(t, many, dropped.Load(), "%s, %d workers, %d spare coroutines",
					name, workers, spares)
			}
		}
	}
}

// A shortNap ends after a millisecond.
type shortNap struct{ nap runtime.Nap }

func (s *shortNap) Poll(cx runtime.Cx) (int, error, bool) {
	return 0, nil, s.nap.Over(cx, time.Millisecond)
}

// runAndDrop runs tasks and drops their handles. dropped counts the results that are collected.
func runAndDrop(
	t *testing.T, rt *runtime.Runtime, many int, dropped *atomic.Int64,
	wait func(cx runtime.Cx) error,
) {
	type result [64]byte
	handles := make([]*runtime.Handle[*result], many)
	for i := range handles {
		handles[i] = runtime.Submit(rt, func(cx runtime.Cx) (*result, error) {
			err := wait(cx)
			r := new(result)
			goruntime.AddCleanup(r, func(int) { dropped.Add(1) }, 0)
			return r, err
		})
	}
	for _, h := range handles {
		_, err := get(t, h)
		require.NoError(t, err)
	}
}

// What a runtime takes for its workers grows with their number and not with its square.
// (runtime/R11) A worker that sleeps takes at most 4 KB, with all that stands for it in Go's
// scheduler but its stack.
func TestAWorkerTakesAFewKilobytes(t *testing.T) {
	const workers = 2048
	before := allocated()
	rt := start(t, workers)
	waits(t, func() bool { return rt.Stats().Sleeping == workers }, "not all workers sleep")
	took := (allocated() - before) / workers
	t.Logf("%d bytes each", took)
	require.LessOrEqual(t, took, uint64(4096))
}
