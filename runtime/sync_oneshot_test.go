package runtime_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

func TestOneshotGivesItsValueToOne(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		for round := range 100 {
			var o runtime.Oneshot[int]
			var got, refused atomic.Int64
			var tasks []*runtime.Handle[struct{}]
			for range 3 {
				tasks = append(tasks, runtime.Submit(rt, does(func(cx runtime.Cx) error {
					v, err := o.Receive(cx)
					if err == nil {
						got.Add(int64(v))
						return nil
					}
					refused.Add(1)
					require.ErrorIs(t, err, runtime.ErrChannelClosed)
					require.Zero(t, v)
					return nil
				})))
			}
			if round%2 == 0 {
				waits(t, func() bool { return runtime.Waiting(&o) == 3 }, "nobody waits")
			}
			require.NoError(t, o.Send(round+1))
			for _, h := range tasks {
				_, err := get(t, h)
				require.NoError(t, err)
			}
			require.EqualValues(t, round+1, got.Load())
			require.EqualValues(t, 2, refused.Load())
		}
	})
}

func TestOneshotThatIsClosed(t *testing.T) {
	rt := start(t, 1)
	var o runtime.Oneshot[string]
	_, err := o.TryReceive()
	require.ErrorIs(t, err, runtime.ErrWouldWait)
	h := runtime.Submit(rt, o.Receive)
	waits(t, func() bool { return runtime.Waiting(&o) == 1 }, "nobody waits")
	o.Close()
	o.Close()
	_, err = get(t, h)
	require.ErrorIs(t, err, runtime.ErrChannelClosed)
	require.ErrorIs(t, o.Send("late"), runtime.ErrChannelClosed)
	_, err = o.TryReceive()
	require.ErrorIs(t, err, runtime.ErrChannelClosed)
	_, err = o.ReceiveContext(context.Background())
	require.ErrorIs(t, err, runtime.ErrChannelClosed)
}

func TestClosingAOneshotKeepsItsValue(t *testing.T) {
	var o runtime.Oneshot[string]
	require.NoError(t, o.Send("value"))
	o.Close()
	v, err := o.ReceiveContext(context.Background())
	require.NoError(t, err)
	require.Equal(t, "value", v)
	_, err = o.TryReceive()
	require.ErrorIs(t, err, runtime.ErrChannelClosed)
}

// The value is with who receives, or still there: never nowhere.
func TestNoOneshotValueIsLostToACancellation(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		for range 200 {
			var o runtime.Oneshot[int]
			h := runtime.Submit(rt, o.Receive)
			waits(t, func() bool { return runtime.Waiting(&o) == 1 }, "nobody waits")
			var racing sync.WaitGroup
			racing.Go(h.Cancel)
			racing.Go(func() {
				if err := o.Send(7); err != nil {
					t.Error(err)
				}
			})
			racing.Wait()
			v, err := get(t, h)
			if err != nil {
				require.ErrorIs(t, err, runtime.ErrCancelled)
				v, err = o.TryReceive()
				require.NoError(t, err)
			}
			require.Equal(t, 7, v)
		}
	})
}

// Send and Close race: what Send says is true.
func TestOneshotSendRacesClose(t *testing.T) {
	for range 1000 {
		var o runtime.Oneshot[int]
		var racing sync.WaitGroup
		var sent error
		racing.Go(func() { sent = o.Send(7) })
		racing.Go(o.Close)
		v, err := o.ReceiveContext(context.Background())
		racing.Wait()
		if sent == nil {
			require.NoError(t, err)
			require.Equal(t, 7, v)
		} else {
			require.ErrorIs(t, err, runtime.ErrChannelClosed)
		}
	}
}

func TestOneshotInATaskThatIsToEnd(t *testing.T) {
	rt := start(t, 1)
	var o runtime.Oneshot[int]
	require.NoError(t, o.Send(1))
	_, err := cancelled(t, rt, func(cx runtime.Cx) (int, error) {
		return o.Receive(cx)
	})
	require.ErrorIs(t, err, runtime.ErrCancelled)
	ctx, stop := context.WithCancelCause(context.Background())
	stop(errOver)
	_, err = o.ReceiveContext(ctx)
	require.ErrorIs(t, err, errOver)
	_, err = o.TryReceive()
	require.NoError(t, err, "a call that returned an error has received the value")
}

func TestOneshotMisuse(t *testing.T) {
	rt := start(t, 1)
	var o runtime.Oneshot[int]
	const zero = ": the zero Cx; a Cx is what a task's function is given"
	require.Equal(t, "surewake: Oneshot.Receive"+zero,
		panics(func() { _, _ = o.Receive(runtime.Cx{}) }))
	require.Equal(t, "surewake: Oneshot.SendFrom"+zero,
		panics(func() { _ = o.SendFrom(runtime.Cx{}, 1) }))
	require.Equal(t, "surewake: Oneshot.ReceiveContext: nil context",
		panics(func() { _, _ = o.ReceiveContext(noContext) }))
	require.NoError(t, o.Send(1))
	require.Equal(t, "surewake: Oneshot.Send: a value was sent before",
		panics(func() { _ = o.Send(2) }))
	run(t, rt, func(cx runtime.Cx) error {
		require.Equal(t, "surewake: Oneshot.SendFrom: a value was sent before",
			panics(func() { _ = o.SendFrom(cx, 2) }))
		return nil
	})
	v, err := o.TryReceive()
	require.NoError(t, err)
	require.Equal(t, 1, v)
	require.Equal(t, "surewake: Oneshot.Send: a value was sent before",
		panics(func() { _ = o.Send(2) }))
}

func BenchmarkOneshot(b *testing.B) {
	b.Run("there-already", func(b *testing.B) {
		b.ReportAllocs()
		benchIn(b, 1, func(cx runtime.Cx) {
			for b.Loop() {
				var o runtime.Oneshot[int]
				_ = o.SendFrom(cx, 1)
				_, _ = o.Receive(cx)
			}
		})
	})
	b.Run("waited-for", func(b *testing.B) {
		b.ReportAllocs()
		benchIn(b, 1, func(cx runtime.Cx) {
			for b.Loop() {
				o := new(runtime.Oneshot[int])
				runtime.SpawnWith(
					cx,
					func(cx runtime.Cx, o *runtime.Oneshot[int]) (int, error) {
						return 0, o.SendFrom(cx, 1)
					},
					o,
				)
				_, _ = o.Receive(cx)
			}
		})
	})
}
