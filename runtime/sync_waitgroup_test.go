package runtime_test

import (
	"context"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// Tasks of two runtimes, and a goroutine, wait for what others do.
func TestAllThatWaitForAGroupSeeWhatWasDone(t *testing.T) {
	first, second := start(t, 2), start(t, 2)
	var g runtime.WaitGroup
	done := make([]int, 100)
	g.Add(len(done))
	check := func() {
		for i, n := range done {
			if n != 1 {
				t.Errorf("%d was done %d times", i, n)
			}
		}
	}
	var tasks []*runtime.Handle[struct{}]
	for i := range 6 {
		rt := []*runtime.Runtime{first, second}[i%2]
		tasks = append(tasks, runtime.Submit(rt, does(func(cx runtime.Cx) error {
			err := g.Wait(cx)
			check()
			return err
		})))
	}
	var outside sync.WaitGroup
	outside.Go(func() {
		if err := g.WaitContext(context.Background()); err != nil {
			t.Error(err)
		}
		check()
	})
	for i := range done {
		rt := []*runtime.Runtime{first, second}[i%2]
		tasks = append(tasks, runtime.Submit(rt, does(func(cx runtime.Cx) error {
			done[i]++
			if i%3 == 0 {
				g.Done()
			} else {
				g.DoneFrom(cx)
			}
			return nil
		})))
	}
	outside.Wait()
	for _, h := range tasks {
		_, err := get(t, h)
		require.NoError(t, err)
	}
	require.Zero(t, runtime.Waiting(&g))
}

func TestAWaitForAGroupEndsAtZeroOnly(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		var g runtime.WaitGroup
		require.NoError(t, g.Wait(cx), "nothing is to be done")
		g.Add(2)
		h := runtime.Spawn(cx, does(g.Wait))
		settle(cx)
		g.Add(-1)
		g.Add(3)
		g.Add(-3)
		settle(cx)
		require.False(t, hasEnded(h))
		g.DoneFrom(cx)
		g.Add(1) // is too late for the wait, and used again
		_, err := h.Join(cx)
		require.NoError(t, err)
		h = runtime.Spawn(cx, does(g.Wait))
		settle(cx)
		require.False(t, hasEnded(h))
		g.Done()
		_, err = h.Join(cx)
		return err
	})
}

func TestACancelledWaitForAGroup(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		var g runtime.WaitGroup
		g.Add(1)
		first := runtime.Spawn(cx, does(g.Wait))
		settle(cx)
		second := runtime.Spawn(cx, does(g.Wait))
		settle(cx)
		require.Equal(t, 2, runtime.Waiting(&g))
		first.Cancel()
		_, err := first.Join(cx)
		require.ErrorIs(t, err, runtime.ErrCancelled)
		require.Equal(t, 1, runtime.Waiting(&g))
		g.Done()
		second.Cancel() // comes too late
		_, err = second.Join(cx)
		return err
	})
	var g runtime.WaitGroup
	_, err := cancelled(t, rt, does(g.Wait))
	require.ErrorIs(t, err, runtime.ErrCancelled)
	ctx, stop := context.WithCancelCause(context.Background())
	stop(errOver)
	require.ErrorIs(t, g.WaitContext(ctx), errOver)
}

func TestCloseEndsTheWaitForAGroup(t *testing.T) {
	rt := start(t, 2)
	var g runtime.WaitGroup
	g.Add(1)
	h := runtime.Submit(rt, does(g.Wait))
	waits(t, func() bool { return runtime.Waiting(&g) == 1 }, "nobody waits")
	require.NoError(t, rt.Close())
	_, err := get(t, h)
	require.ErrorIs(t, err, runtime.ErrClosed)
	require.Zero(t, runtime.Waiting(&g))
	g.Done()
	require.NoError(t, g.WaitContext(t.Context()))
}

func TestWaitGroupMisuse(t *testing.T) {
	rt := start(t, 1)
	var g runtime.WaitGroup
	would := func(what string, n int64) string {
		return fmt.Sprintf("surewake: WaitGroup.%s: the counter would be %d; must be 0 to 2147483647",
			what, n)
	}
	require.Equal(t, would("Done", -1), panics(g.Done))
	g.Add(2)
	require.Equal(t, would("Add(-3)", -1), panics(func() { g.Add(-3) }))
	require.Equal(t, would("Add(2147483646)", math.MaxInt32+1),
		panics(func() { g.Add(math.MaxInt32 - 1) }))
	g.Add(math.MaxInt32 - 2)
	g.Add(-math.MaxInt32)
	require.NoError(t, g.WaitContext(t.Context()), "a panic of Add adds nothing")
	const zero = ": the zero Cx; a Cx is what a task's function is given"
	require.Equal(t, "surewake: WaitGroup.Wait"+zero, panics(func() { _ = g.Wait(runtime.Cx{}) }))
	require.Equal(t, "surewake: WaitGroup.DoneFrom"+zero,
		panics(func() { g.DoneFrom(runtime.Cx{}) }))
	require.Equal(t, "surewake: WaitGroup.WaitContext: nil context",
		panics(func() { _ = g.WaitContext(noContext) }))
	run(t, rt, func(cx runtime.Cx) error {
		require.Equal(t, would("DoneFrom", -1), panics(func() { g.DoneFrom(cx) }))
		return nil
	})
}

// Eight do ten things each, which one waits for.
func BenchmarkWaitGroup(b *testing.B) {
	const workers, each = 8, 10
	b.Run("tasks", func(b *testing.B) {
		b.ReportAllocs()
		benchIn(b, 2, func(cx runtime.Cx) {
			var g runtime.WaitGroup
			for b.Loop() {
				g.Add(workers * each)
				runtime.SpawnBatch(cx, workers, func(cx runtime.Cx, _ int) (struct{}, error) {
					for range each {
						g.DoneFrom(cx)
					}
					return struct{}{}, nil
				})
				_ = g.Wait(cx)
			}
		})
	})
	b.Run("sync.WaitGroup", func(b *testing.B) {
		b.ReportAllocs()
		var g sync.WaitGroup
		for b.Loop() {
			g.Add(workers * each)
			for range workers {
				go func() {
					for range each {
						g.Done()
					}
				}()
			}
			g.Wait()
		}
	})
}
