package runtime_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// With one worker and a seed, the order in which tasks run depends on the program alone.
func TestASeededWorkerRunsTasksInTheSameOrder(t *testing.T) {
	trace := func() (order []int) {
		rt, err := runtime.New(runtime.Workers(1), runtime.Seed(1), runtime.Ring(4))
		require.NoError(t, err)
		defer rt.Close()
		var tree func(n int) func(cx runtime.Cx) (int, error)
		tree = func(n int) func(cx runtime.Cx) (int, error) {
			return func(cx runtime.Cx) (int, error) {
				order = append(order, n)
				if n > 300 {
					return n, nil
				}
				left, right := runtime.Spawn(cx, tree(2*n)), runtime.Spawn(cx, tree(2*n+1))
				if n%3 == 0 {
					cx.Yield()
				}
				a, _ := left.Join(cx)
				b, _ := right.Join(cx)
				return a + b, nil
			}
		}
		_, err = runtime.Submit(rt, tree(1)).Wait(context.Background())
		require.NoError(t, err)
		return order
	}
	first := trace()
	require.Greater(t, len(first), 600)
	for range 20 {
		require.True(t, slices.Equal(first, trace()))
	}
}
