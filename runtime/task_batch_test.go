package runtime_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

func TestEachTaskOfABatchRunsOnce(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		for _, n := range []int{0, 1, 2, 63, 64, 65, 1000, 5000} {
			runs := make([]atomic.Int32, n)
			body := func(cx runtime.Cx, i int) (int, error) {
				if i%17 == 0 {
					cx.Yield()
				}
				return i * int(runs[i].Add(1)), nil
			}
			check := func(values []int, err error) {
				require.NoError(t, err)
				require.Len(t, values, n)
				for i, v := range values {
					require.Equal(t, i, v)
				}
			}
			b := runtime.SubmitBatch(rt, n, body)
			require.Equal(t, n, b.Len())
			check(getAll(t, b))
			check(getAll(t, b))
			for i, h := range b.All() {
				require.Same(t, h, b.Handle(i))
				v, err, ended := h.TryJoin()
				require.True(t, ended)
				require.NoError(t, err)
				require.Equal(t, i, v)
			}
			clear(runs)
			run(t, rt, func(cx runtime.Cx) error {
				b := runtime.SpawnBatch(cx, n, body)
				if n > 0 {
					v, err := b.Handle(n - 1).Join(cx)
					require.Equal(t, n-1, v)
					require.NoError(t, err)
				}
				check(b.Join(cx))
				return nil
			})
		}
	})
}

func TestFirstErrorOfABatchIsItsError(t *testing.T) {
	rt := start(t, 2)
	body := func(cx runtime.Cx, i int) (int, error) {
		switch i {
		case 3:
			panic(errBoom)
		case 5:
			return 5, context.Canceled
		}
		return i, nil
	}
	for range 20 {
		b := runtime.SubmitBatch(rt, 8, body)
		v, err := getAll(t, b)
		require.ErrorIs(t, err, errBoom)
		require.Equal(t, []int{0, 1, 2, 0, 4, 5, 6, 7}, v)
		_, err = get(t, b.Handle(5))
		require.Equal(t, context.Canceled, err)
		run(t, rt, func(cx runtime.Cx) error {
			_, err := runtime.SpawnBatch(cx, 8, body).Join(cx)
			require.ErrorIs(t, err, errBoom)
			return nil
		})
	}
}

// A task that waits holds up no other one of its batch, and the joiner does not wait for a
// cancelled batch.
func TestBatchIsCancelled(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		body := func(cx runtime.Cx, i int) (int, error) {
			if i%2 == 0 {
				return forever(cx)
			}
			return i, nil
		}
		for range 20 {
			run(t, rt, func(cx runtime.Cx) error {
				b := runtime.SpawnBatch(cx, 100, body)
				for i := 1; i < 100; i += 2 {
					v, err := b.Handle(i).Join(cx)
					require.NoError(t, err)
					require.Equal(t, i, v)
				}
				joiner := runtime.Spawn(cx,
					func(cx runtime.Cx) ([]int, error) { return b.Join(cx) })
				cx.Yield()
				joiner.Cancel()
				_, err := joiner.Join(cx)
				require.ErrorIs(t, err, runtime.ErrCancelled)
				b.Cancel()
				_, err = b.Join(cx)
				require.ErrorIs(t, err, runtime.ErrCancelled)
				return nil
			})
		}
		b := runtime.SubmitBatch(rt, 2, body)
		ctx, stop := context.WithCancel(context.Background())
		stop()
		_, err := b.Wait(ctx)
		require.ErrorIs(t, err, context.Canceled)
		closes(t, rt)
		_, err = getAll(t, b)
		require.ErrorIs(t, err, runtime.ErrClosed)
		_, err = getAll(t, runtime.SubmitBatch(rt, 3, body))
		require.ErrorIs(t, err, runtime.ErrClosed)
		require.Equal(t, "0+0", rt.Live())
	})
}

// One allocation for all tasks, and some for the batch, the result and the joins.
func TestBatchAllocatesItsTasksAtOnce(t *testing.T) {
	rt := start(t, 1)
	body := func(_ runtime.Cx, i int) (int, error) { return i, nil }
	run(t, rt, func(cx runtime.Cx) error {
		for range 3 { // queues grow
			_, _ = runtime.SpawnBatch(cx, 1000, body).Join(cx)
		}
		n := testing.AllocsPerRun(10, func() { _, _ = runtime.SpawnBatch(cx, 1000, body).Join(cx) })
		require.LessOrEqual(t, n, 8.0)
		return nil
	})
}
