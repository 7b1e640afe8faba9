package runtime_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// A task may be woken at any time by whoever has its waker, or by something that it waited for
// before. No wait takes that for its end.
func TestWakesForNoReasonEndNoWait(t *testing.T) {
	rt := start(t, 2)
	target := runtime.Submit(rt, forever)
	never := context.Background()
	taken := runtime.NewSemaphore(1)
	require.True(t, taken.TryAcquire(1))
	var locked runtime.RWMutex
	var held runtime.Mutex
	require.True(t, locked.TryLock())
	require.True(t, held.TryLock())
	var undone runtime.WaitGroup
	undone.Add(1)
	slow := runtime.NewLimiter(1e-3, 1)
	require.True(t, slow.Allow())
	full, empty := runtime.NewChannel[int](0), runtime.NewChannel[int](1)
	for name, wait := range map[string]func(cx runtime.Cx) error{
		"Sleep": func(cx runtime.Cx) error { return cx.Sleep(time.Hour) },
		"SleepUntil": func(cx runtime.Cx) error {
			return cx.SleepUntil(time.Now().Add(time.Hour))
		},
		"Ticker.Next": func(cx runtime.Cx) error {
			return cx.NewTicker(time.Hour, runtime.Burst).Next(cx)
		},
		"Join": func(cx runtime.Cx) error { _, err := target.Join(cx); return err },
		"JoinTimeout": func(cx runtime.Cx) error {
			_, err := target.JoinTimeout(cx, time.Hour)
			return err
		},
		"JoinContext": func(cx runtime.Cx) error {
			_, err := target.JoinContext(cx, never)
			return err
		},
		"AwaitContext": func(cx runtime.Cx) error { return cx.AwaitContext(never) },
		"Receive": func(cx runtime.Cx) error {
			_, _, err := runtime.Receive[int](cx, nil)
			return err
		},
		"Send":        func(cx runtime.Cx) error { return runtime.Send(cx, nil, 1) },
		"Notify.Wait": new(runtime.Notify).Wait,
		"Notify.WaitFor": func(cx runtime.Cx) error {
			return new(runtime.Notify).WaitFor(cx, func() bool { return false })
		},
		"Semaphore.Acquire": func(cx runtime.Cx) error { return taken.Acquire(cx, 1) },
		"Mutex.Lock":        held.Lock,
		"RWMutex.Lock":      locked.Lock,
		"RWMutex.RLock":     locked.RLock,
		"WaitGroup.Wait":    undone.Wait,
		"Cond.Wait": func(cx runtime.Cx) error {
			c := runtime.NewCond(new(runtime.Mutex))
			require.True(t, c.L.TryLock())
			return c.Wait(cx)
		},
		"Channel.All": func(cx runtime.Cx) (last error) {
			for _, err := range empty.All(cx) {
				last = err
			}
			return last
		},
		"Limiter.Wait": slow.Wait,
		"Select of a context": func(cx runtime.Cx) error {
			ctx, cancel := context.WithCancel(never)
			defer cancel()
			_, err := runtime.Select(cx, runtime.DoneCase(ctx))
			return err
		},
		"Oneshot.Receive": func(cx runtime.Cx) error {
			_, err := new(runtime.Oneshot[int]).Receive(cx)
			return err
		},
		"Channel.Send":    func(cx runtime.Cx) error { return full.Send(cx, 1) },
		"Channel.Receive": func(cx runtime.Cx) error { _, err := empty.Receive(cx); return err },
		"Timeout": func(cx runtime.Cx) error {
			_, err := runtime.Timeout(cx, time.Hour, forever)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			wakers := make(chan runtime.Waker, 1)
			h := runtime.Submit(rt, does(func(cx runtime.Cx) error {
				wakers <- cx.Waker()
				return wait(cx)
			}))
			w := receive(t, wakers)
			for range 50 {
				w.Wake()
				time.Sleep(20 * time.Microsecond)
			}
			require.False(t, hasEnded(h))
			h.Cancel()
			_, err := get(t, h)
			require.ErrorIs(t, err, runtime.ErrCancelled)
		})
	}
	target.Cancel()
}
