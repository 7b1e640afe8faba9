package runtime_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

func TestSignalIsRememberedOnceAndABroadcastIsNot(t *testing.T) {
	rt := start(t, 1)
	var n runtime.Notify
	n.Signal()
	n.Signal()
	n.Broadcast()
	run(t, rt, n.Wait)
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer stop()
	require.ErrorIs(t, n.WaitContext(ctx), context.DeadlineExceeded)
	n.Signal()
	require.NoError(t, n.WaitContext(context.Background()))
}

func TestSignalsWakeInTheOrderOfTheWaits(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		var n runtime.Notify
		var order []int
		var tasks []*runtime.Handle[struct{}]
		for i := range 5 {
			tasks = append(tasks, runtime.Spawn(cx, does(func(cx runtime.Cx) error {
				if err := n.Wait(cx); err != nil {
					return err
				}
				order = append(order, i)
				return nil
			})))
			settle(cx)
		}
		for range tasks {
			n.SignalFrom(cx)
			settle(cx)
		}
		for _, h := range tasks {
			if _, err := h.Join(cx); err != nil {
				return err
			}
		}
		require.Equal(t, []int{0, 1, 2, 3, 4}, order)
		return nil
	})
}

func TestBroadcastWakesAllWhoWait(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		var n runtime.Notify
		var arrived atomic.Int64
		var tasks []*runtime.Handle[struct{}]
		for range 20 {
			tasks = append(tasks, runtime.Submit(rt, does(func(cx runtime.Cx) error {
				arrived.Add(1)
				return n.Wait(cx)
			})))
		}
		var outside sync.WaitGroup
		outside.Go(func() {
			arrived.Add(1)
			_ = n.WaitContext(context.Background())
		})
		waits(t, func() bool { return arrived.Load() == 21 && runtime.Waiting(&n) == 21 },
			"nobody waits")
		n.Broadcast()
		for _, h := range tasks {
			_, err := get(t, h)
			require.NoError(t, err)
		}
		outside.Wait()
	})
}

func TestCancelledWaitLeavesTheSignalToOthers(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		var n runtime.Notify
		first := runtime.Spawn(cx, does(n.Wait))
		settle(cx)
		second := runtime.Spawn(cx, does(n.Wait))
		settle(cx)
		first.Cancel()
		settle(cx)
		n.SignalFrom(cx)
		if _, err := second.Join(cx); err != nil {
			return err
		}
		_, err := first.Join(cx)
		require.ErrorIs(t, err, runtime.ErrCancelled)
		return nil
	})
}

func TestSignalThatComesBeforeTheCancellationIsTheResult(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		var n runtime.Notify
		h := runtime.Spawn(cx, does(n.Wait))
		settle(cx)
		n.SignalFrom(cx)
		h.Cancel()
		_, err := h.Join(cx)
		return err
	})
}

// Signals and cancellations race: each signal ends one wait that returns nil, or is remembered at
// the end.
func TestNoSignalIsLostToACancellation(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		for range 200 {
			var n runtime.Notify
			var got atomic.Int64
			wait := does(func(cx runtime.Cx) error {
				err := n.Wait(cx)
				if err == nil {
					got.Add(1)
				}
				return err
			})
			first, second := runtime.Submit(rt, wait), runtime.Submit(rt, wait)
			waits(t, func() bool { return runtime.Waiting(&n) == 2 }, "nobody waits")
			var racing sync.WaitGroup
			racing.Go(n.Signal)
			racing.Go(first.Cancel)
			racing.Wait()
			_, err := get(t, first)
			if err != nil {
				_, err = get(t, second)
				require.NoError(t, err)
			}
			second.Cancel()
			_, _ = get(t, second)
			require.EqualValues(t, 1, got.Load())
		}
	})
}

func TestWaitForMissesNoBroadcast(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		for range 200 {
			var n runtime.Notify
			var ready atomic.Bool
			h := runtime.Submit(rt,
				does(func(cx runtime.Cx) error { return n.WaitFor(cx, ready.Load) }))
			ready.Store(true)
			n.Broadcast()
			_, err := get(t, h)
			require.NoError(t, err)
		}
	})
}

func TestWaitForLooksAgain(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		var n runtime.Notify
		count, looks := 0, 0
		n.Signal() // remembered, for nothing
		h := runtime.Spawn(cx, does(func(cx runtime.Cx) error {
			return n.WaitFor(cx, func() bool { looks++; return count == 3 })
		}))
		for range 3 {
			settle(cx)
			count++
			n.SignalFrom(cx)
		}
		_, err := h.Join(cx)
		require.Equal(t, 5, looks)
		return err
	})
}

func TestConditionThatPanicsLeavesNobodyInLine(t *testing.T) {
	rt := start(t, 1)
	var n runtime.Notify
	_, err := get(t, runtime.Submit(rt, does(func(cx runtime.Cx) error {
		return n.WaitFor(cx,
			func() bool { panic("condition") })
	})))
	var p *runtime.PanicError
	require.ErrorAs(t, err, &p)
	require.Equal(t, "condition", p.Value)
	require.Zero(t, runtime.Waiting(&n))
}

// A task that is to end waits for nothing, and takes nothing.
func TestNotifyInATaskThatIsToEnd(t *testing.T) {
	rt := start(t, 1)
	var n runtime.Notify
	n.Signal()
	_, err := cancelled(t, rt, does(func(cx runtime.Cx) error {
		require.ErrorIs(t, n.Wait(cx), runtime.ErrCancelled)
		return n.WaitFor(cx, func() bool { return true })
	}))
	require.ErrorIs(t, err, runtime.ErrCancelled)
	require.NoError(t, n.WaitContext(context.Background()), "the signal was taken")
}

func TestCloseEndsWaits(t *testing.T) {
	rt := start(t, 2)
	var n runtime.Notify
	h := runtime.Submit(rt, does(n.Wait))
	waits(t, func() bool { return runtime.Waiting(&n) == 1 }, "nobody waits")
	require.NoError(t, rt.Close())
	_, err := get(t, h)
	require.ErrorIs(t, err, runtime.ErrClosed)
	require.Zero(t, runtime.Waiting(&n))
}

func TestShieldedWaitGoesOn(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		var n runtime.Notify
		var inside, outside error
		h := runtime.Spawn(cx, does(func(cx runtime.Cx) error {
			cx.Shield(func() { inside = n.Wait(cx) })
			outside = n.Wait(cx)
			return nil
		}))
		settle(cx)
		h.Cancel()
		settle(cx)
		require.Equal(t, 1, runtime.Waiting(&n))
		n.Signal()
		_, err := h.Join(cx)
		require.NoError(t, inside)
		require.ErrorIs(t, outside, runtime.ErrCancelled)
		return err
	})
}

// Tasks of two runtimes pass one signal round.
func TestNotifyBetweenRuntimes(t *testing.T) {
	first := start(t, 2)
	second, err := runtime.New(runtime.Workers(2))
	require.NoError(t, err)
	var n runtime.Notify
	var rounds atomic.Int64
	var tasks []*runtime.Handle[struct{}]
	for i := range 6 {
		tasks = append(
			tasks,
			runtime.Submit([]*runtime.Runtime{first, second}[i%2], does(func(cx runtime.Cx) error {
				for range 100 {
					if err := n.Wait(cx); err != nil {
						return err
					}
					rounds.Add(1)
					n.SignalFrom(cx)
				}
				return nil
			})),
		)
	}
	n.Signal()
	for _, h := range tasks {
		_, err := get(t, h)
		require.NoError(t, err)
	}
	require.EqualValues(t, 600, rounds.Load())
	require.NoError(t, second.Close())
}

func TestNotifyMisuse(t *testing.T) {
	rt := start(t, 1)
	var n runtime.Notify
	const zero = ": the zero Cx; a Cx is what a task's function is given"
	require.Equal(t, "surewake: Notify.Wait"+zero, panics(func() { _ = n.Wait(runtime.Cx{}) }))
	require.Equal(t, "surewake: Notify.WaitFor"+zero,
		panics(func() { _ = n.WaitFor(runtime.Cx{}, func() bool { return true }) }))
	require.Equal(t, "surewake: Notify.SignalFrom"+zero,
		panics(func() { n.SignalFrom(runtime.Cx{}) }))
	require.Equal(t, "surewake: Notify.WaitContext: nil context",
		panics(func() { _ = n.WaitContext(noContext) }))
	run(t, rt, func(cx runtime.Cx) error {
		require.Equal(t, "surewake: Notify.WaitFor: nil function",
			panics(func() { _ = n.WaitFor(cx, nil) }))
		return nil
	})
}

func BenchmarkNotify(b *testing.B) {
	b.Run("remembered", func(b *testing.B) {
		b.ReportAllocs()
		benchIn(b, 1, func(cx runtime.Cx) {
			var n runtime.Notify
			for b.Loop() {
				n.SignalFrom(cx)
				_ = n.Wait(cx)
			}
		})
	})
	b.Run("ping-pong", func(b *testing.B) {
		b.ReportAllocs()
		benchIn(b, 1, func(cx runtime.Cx) {
			var ping, pong runtime.Notify
			h := runtime.Spawn(cx, does(func(cx runtime.Cx) error {
				for {
					if err := ping.Wait(cx); err != nil {
						return err
					}
					pong.SignalFrom(cx)
				}
			}))
			for b.Loop() {
				ping.SignalFrom(cx)
				_ = pong.Wait(cx)
			}
			h.Cancel()
			if _, err := h.Join(cx); !errors.Is(err, runtime.ErrCancelled) {
				b.Error(err)
			}
		})
	})
}

// benchIn runs fn in a task.
func benchIn(b *testing.B, workers int, fn func(cx runtime.Cx)) {
	rt := start(b, workers)
	run(b, rt, func(cx runtime.Cx) error { fn(cx); return nil })
}
