package runtime_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

func TestALoopOverAChannelEndsWithIt(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		c := runtime.NewChannel[int](2)
		h := runtime.Submit(rt, func(cx runtime.Cx) (sum int, err error) {
			for v, err := range c.All(cx) {
				if err != nil {
					return sum, err
				}
				sum += v
			}
			return sum, nil
		})
		outside := make(chan int, 1)
		go func() {
			sum := 0
			for v, err := range c.AllContext(context.Background()) {
				if err != nil {
					t.Error(err)
				}
				sum += v
			}
			outside <- sum
		}()
		for v := range 100 {
			require.NoError(t, c.SendContext(context.Background(), v))
		}
		require.NoError(t, c.Close())
		v, err := get(t, h)
		require.NoError(t, err)
		require.Equal(t, 99*100/2, v+receive(t, outside))
	})
}

// A cancellation is a step of the loop, the last one, also if the channel is closed by then.
func TestALoopOverAChannelIsToldOfACancellation(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		c := runtime.NewChannel[int](0)
		var values []int
		var errs []error
		h := runtime.Spawn(cx, does(func(cx runtime.Cx) error {
			for v, err := range c.All(cx) {
				values, errs = append(values, v), append(errs, err)
			}
			for v, err := range c.All(cx) { // at once
				values, errs = append(values, v), append(errs, err)
			}
			return nil
		}))
		settle(cx)
		require.NoError(t, c.Send(cx, 7))
		settle(cx)
		h.Cancel()
		require.NoError(t, c.Close())
		_, err := h.Join(cx)
		require.NoError(t, err)
		require.Equal(t, []int{7, 0, 0}[:len(values)], values)
		require.NoError(t, errs[0])
		require.ErrorIs(t, errs[len(errs)-1], runtime.ErrCancelled)
		return nil
	})
	c := runtime.NewChannel[int](0)
	ctx, stop := context.WithCancelCause(context.Background())
	stop(runtime.ErrChannelClosed)
	var errs []error
	for _, err := range c.AllContext(ctx) {
		errs = append(errs, err)
	}
	require.Len(t, errs, 1)
	require.ErrorIs(t, errs[0], context.Canceled)
}

func TestALoopThatIsLeftReceivesNoMore(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		c := runtime.NewChannel[int](3)
		for v := range 3 {
			require.NoError(t, c.TrySend(v))
		}
		all := c.All(cx)
		for v := range all {
			require.Zero(t, v)
			break
		}
		require.Equal(t, 2, c.Len())
		for v := range all { // goes on
			require.Equal(t, 1, v)
			break
		}
		require.Equal(t, 1, c.Len())
		return nil
	})
}

func TestChannelRangeMisuse(t *testing.T) {
	c := runtime.NewChannel[int](1)
	require.Equal(t,
		"surewake: Channel.All: the zero Cx; a Cx is what a task's function is given",
		panics(func() { c.All(runtime.Cx{}) }))
	require.Equal(t, "surewake: Channel.AllContext: nil context",
		panics(func() { c.AllContext(noContext) }))
}

// BenchmarkChannelAll is a loop over what another task sends, beside that of a goroutine over a
// channel of Go.
func BenchmarkChannelAll(b *testing.B) {
	for _, capacity := range []int{0, 64} {
		b.Run(fmt.Sprint("capacity=", capacity, "/tasks"), func(b *testing.B) {
			b.ReportAllocs()
			benchIn(b, 1, func(cx runtime.Cx) {
				c := runtime.NewChannel[int](capacity)
				h := cx.Go(func(cx runtime.Cx) {
					for range c.All(cx) {
					}
				})
				for b.Loop() {
					_ = c.Send(cx, 1)
				}
				_ = c.Close()
				_, _ = h.Join(cx)
			})
		})
		b.Run(fmt.Sprint("capacity=", capacity, "/goroutines"), func(b *testing.B) {
			sendsToARange(b, capacity)
		})
	}
}
