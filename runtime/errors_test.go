package runtime_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

func TestErrCancelledIsContextCanceled(t *testing.T) {
	require.ErrorIs(t, runtime.ErrCancelled, context.Canceled)
	require.NotErrorIs(t, runtime.ErrCancelled, context.DeadlineExceeded)
	require.NotErrorIs(t, runtime.ErrCancelled, runtime.ErrClosed)
	require.EqualError(t, runtime.ErrCancelled, "surewake: task cancelled")
}

// A wait whose context ends returns an error that errors.Is takes for the context's Err and for its
// cause. (runtime/R59)
func TestErrorOfAContextIsItsErrAndItsCause(t *testing.T) {
	rt := start(t, 1)
	var (
		target = runtime.Submit(rt, forever)
		batch  = runtime.SubmitBatch(rt, 1,
			func(cx runtime.Cx, _ int) (int, error) { return forever(cx) })
		channel   = runtime.NewChannel[int](0)
		semaphore = runtime.NewSemaphore(1)
		notify    runtime.Notify
		oneshot   runtime.Oneshot[int]
		mutex     runtime.Mutex
		rwMutex   runtime.RWMutex
		group     runtime.WaitGroup
		limiter   = runtime.NewLimiter(1e-3, 1)
	)
	group.Add(1)
	require.True(t, limiter.Allow())
	require.True(t, mutex.TryLock())
	require.True(t, rwMutex.TryLock())
	require.True(t, semaphore.TryAcquire(1))
	waitsOf := map[string]func(ctx context.Context) error{
		"Wait":      ignoring(target.Wait),
		"batch":     ignoring(batch.Wait),
		"Send":      func(ctx context.Context) error { return channel.SendContext(ctx, 1) },
		"Receive":   ignoring(channel.ReceiveContext),
		"Acquire":   func(ctx context.Context) error { return semaphore.AcquireContext(ctx, 1) },
		"Notify":    notify.WaitContext,
		"Oneshot":   ignoring(oneshot.ReceiveContext),
		"Lock":      mutex.LockContext,
		"write":     rwMutex.LockContext,
		"read":      rwMutex.RLockContext,
		"WaitGroup": group.WaitContext,
		"Limiter":   limiter.WaitContext,
		"events":    func(ctx context.Context) error { return limiter.WaitNContext(ctx, 1) },
		"Cond": func(ctx context.Context) error {
			var m runtime.Mutex
			c := runtime.NewCond(&m)
			require.True(t, m.TryLock())
			return c.WaitContext(ctx)
		},
		"All": func(ctx context.Context) (last error) {
			for _, err := range channel.AllContext(ctx) {
				last = err
			}
			return last
		},
		"shut down": func(ctx context.Context) error { return shutDownOne(t, ctx) },
		"Join": func(ctx context.Context) error {
			_, err := get(t, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				return target.JoinContext(cx, ctx)
			}))
			return err
		},
	}
	for what, wait := range waitsOf {
		t.Run(what, func(t *testing.T) {
			ended, stop := context.WithCancelCause(context.Background())
			stop(errOver)
			err := wait(ended)
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorIs(t, err, errOver)
			require.EqualError(t, err, "context canceled: over")

			ending, stop := context.WithCancelCause(context.Background())
			time.AfterFunc(time.Millisecond, func() { stop(errOver) })
			err = wait(ending)
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorIs(t, err, errOver)

			plain, cancel := context.WithCancel(context.Background())
			cancel()
			require.Equal(t, context.Canceled, wait(plain), "without a cause of its own")

			late, cancel := context.WithDeadline(context.Background(), time.Time{})
			defer cancel()
			require.Equal(t, context.DeadlineExceeded, wait(late))
		})
	}
}

// ignoring is wait without its value.
func ignoring[T any](wait func(context.Context) (T, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := wait(ctx)
		return err
	}
}

// shutDownOne shuts down a runtime with a task that does not end by itself.
func shutDownOne(t *testing.T, ctx context.Context) error {
	rt := start(t, 1)
	runtime.Submit(rt, forever).Detach()
	return rt.Shutdown(ctx)
}
