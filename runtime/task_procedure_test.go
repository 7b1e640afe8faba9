package runtime_test

import (
	"context"
	"fmt"
	goruntime "runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// A function without a result runs once, and its handle says how it has ended.
func TestProcedureEndsLikeAnyTask(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		ran := 0
		_, err := get(t, rt.Go(func(runtime.Cx) { ran++ }))
		require.NoError(t, err)
		require.Equal(t, 1, ran)
		run(t, rt, func(cx runtime.Cx) error {
			_, err := cx.Go(func(runtime.Cx) { ran++ }).Join(cx)
			require.NoError(t, err)
			require.Equal(t, 2, ran)
			_, err = cx.Go(func(runtime.Cx) { panic("oh") }).Join(cx)
			var p *runtime.PanicError
			require.ErrorAs(t, err, &p)
			require.Equal(t, "oh", p.Value)
			return nil
		})
		_, err = get(t, rt.Go(func(cx runtime.Cx) { // Goexit of a child ends its joiner
			_, _ = cx.Go(func(runtime.Cx) { goruntime.Goexit() }).Join(cx)
			ran++
		}))
		require.ErrorIs(t, err, runtime.ErrGoexit)
		require.Equal(t, 2, ran)
	})
}

// A cancelled one that has not begun is not called, nor is one that a closed runtime is given; one
// that is joined by its cancelled parent is cancelled too.
func TestProcedureIsCancelledAndRefused(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		h := cx.Go(func(runtime.Cx) { t.Error("called") })
		h.Cancel()
		_, err := h.Join(cx)
		require.ErrorIs(t, err, runtime.ErrCancelled)
		return nil
	})
	var child *runtime.Handle[struct{}]
	_, err := cancelled(t, rt, func(cx runtime.Cx) (struct{}, error) {
		child = cx.Go(func(cx runtime.Cx) { _, _ = forever(cx) })
		return child.Join(cx)
	})
	require.ErrorIs(t, err, runtime.ErrCancelled)
	require.True(t, hasEnded(child))
	closes(t, rt)
	_, err = get(t, rt.Go(func(runtime.Cx) { t.Error("called") }))
	require.ErrorIs(t, err, runtime.ErrClosed)
	require.Equal(t, "0+0", rt.Live())
}

// No more allocations than a Spawn has.
func TestProcedureIsOneAllocation(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		n := testing.AllocsPerRun(100, func() { _, _ = cx.Go(func(runtime.Cx) {}).Join(cx) })
		require.LessOrEqual(t, n, 1.0)
		return nil
	})
}

// BenchmarkGo is an empty function that is started and waited for.
func BenchmarkGo(b *testing.B) {
	b.Run("task", func(b *testing.B) {
		inside(b, func(cx runtime.Cx) {
			for b.Loop() {
				_, _ = cx.Go(func(runtime.Cx) {}).Join(cx)
			}
		})
	})
	b.Run("outside", func(b *testing.B) {
		outside(b, func(rt *runtime.Runtime) {
			_, _ = rt.Go(func(runtime.Cx) {}).Wait(context.Background())
		})
	})
	b.Run("goroutine", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var one sync.WaitGroup
			one.Go(func() {})
			one.Wait()
		}
	})
}

func ExampleCx_Go() {
	do(func(cx runtime.Cx) error {
		squares := make([]int, 3)
		var tasks []*runtime.Handle[struct{}]
		for i := range squares {
			tasks = append(tasks, cx.Go(func(runtime.Cx) { squares[i] = i * i }))
		}
		for _, h := range tasks {
			if _, err := h.Join(cx); err != nil {
				return err
			}
		}
		fmt.Println(squares)
		return nil
	})
	// Output: [0 1 4]
}

func ExampleRuntime_Go() {
	rt, _ := runtime.New()
	defer rt.Close()
	total := 0
	_, err := rt.Go(func(runtime.Cx) { total = 42 }).Wait(context.Background())
	fmt.Println(total, err)
	// Output: 42 <nil>
}
