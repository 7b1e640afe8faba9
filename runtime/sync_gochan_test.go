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

func TestGoChannelWithoutWaiting(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		c := make(chan int, 1)
		require.NoError(t, runtime.Send(cx, c, 7))
		v, ok, err := runtime.Receive(cx, c)
		require.NoError(t, err)
		require.True(t, ok)
		require.Equal(t, 7, v)
		close(c)
		v, ok, err = runtime.Receive(cx, c)
		require.NoError(t, err)
		require.False(t, ok)
		require.Zero(t, v)
		return nil
	})
}

// One worker: were it blocked, the other task could not send.
func TestGoChannelDoesNotBlockTheWorker(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		c := make(chan int)
		h := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
			v, ok, err := runtime.Receive(cx, c)
			require.True(t, ok)
			return v, err
		})
		cx.Yield()
		if err := runtime.Send(cx, c, 7); err != nil {
			return err
		}
		v, err := h.Join(cx)
		require.Equal(t, 7, v)
		return err
	})
}

func TestGoChannelThatIsClosedWhileATaskReceives(t *testing.T) {
	rt := start(t, 1)
	c := make(chan int)
	h := runtime.Submit(rt, func(cx runtime.Cx) (bool, error) {
		_, ok, err := runtime.Receive(cx, c)
		return ok, err
	})
	time.Sleep(time.Millisecond)
	close(c)
	ok, err := get(t, h)
	require.NoError(t, err)
	require.False(t, ok)
}

func TestSendToAClosedGoChannelPanics(t *testing.T) {
	rt := start(t, 1)
	c := make(chan int)
	close(c)
	_, err := get(t,
		runtime.Submit(rt, does(func(cx runtime.Cx) error { return runtime.Send(cx, c, 1) })))
	var p *runtime.PanicError
	require.ErrorAs(t, err, &p)
	require.ErrorContains(t, p, "send on closed channel")
}

func TestNilGoChannelWaitsForTheEnd(t *testing.T) {
	rt := start(t, 2)
	receives := runtime.Submit(rt, does(func(cx runtime.Cx) error {
		_, _, err := runtime.Receive[int](cx, nil)
		return err
	}))
	sends := runtime.Submit(rt, does(func(cx runtime.Cx) error { return runtime.Send(cx, nil, 1) }))
	time.Sleep(time.Millisecond)
	receives.Cancel()
	_, err := get(t, receives)
	require.ErrorIs(t, err, runtime.ErrCancelled)
	require.NoError(t, rt.Close())
	_, err = get(t, sends)
	require.ErrorIs(t, err, runtime.ErrClosed)
}

// A value that is sent while the task is cancelled is received by somebody: also if the task is
// told of its end when the goroutine that waits for it has the value, and has not said so.
func TestNoValueOfAGoChannelIsLostToACancellation(t *testing.T) {
	rt := start(t, 2)
	c := make(chan int)
	for i := range 400 {
		h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
			v, _, err := runtime.Receive(cx, c)
			return v, err
		})
		if i%2 == 0 {
			h.Cancel()
		}
		var sent bool
		select {
		case c <- 7:
			sent = true
		case <-h.Done():
		}
		h.Cancel()
		keepBusy(100 * time.Microsecond)
		v, err := get(t, h)
		if sent {
			require.NoError(t, err)
			require.Equal(t, 7, v)
		} else {
			require.ErrorIs(t, err, runtime.ErrCancelled)
		}
	}
}

// keepBusy keeps the processor, so that a goroutine that has just become ready waits for a while.
func keepBusy(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
	}
}

func TestNoValueToAGoChannelIsSentTwice(t *testing.T) {
	rt := start(t, 2)
	c := make(chan int)
	for i := range 400 {
		h := runtime.Submit(rt, does(func(cx runtime.Cx) error { return runtime.Send(cx, c, 7) }))
		if i%2 == 0 {
			h.Cancel()
		}
		var received bool
		select {
		case <-c:
			received = true
		case <-h.Done():
		}
		h.Cancel()
		keepBusy(100 * time.Microsecond)
		_, err := get(t, h)
		require.Equal(t, received, err == nil)
	}
}

func TestShieldedReceiveGoesOn(t *testing.T) {
	rt := start(t, 1)
	c := make(chan int)
	h := runtime.Submit(rt, func(cx runtime.Cx) (v int, err error) {
		cx.Shield(func() { v, _, err = runtime.Receive(cx, c) })
		return v, err
	})
	time.Sleep(time.Millisecond)
	h.Cancel()
	c <- 7
	v, err := get(t, h)
	require.NoError(t, err)
	require.Equal(t, 7, v)
}

func TestAwaitContext(t *testing.T) {
	rt := start(t, 1)
	ctx, stop := context.WithCancel(context.Background())
	h := runtime.Submit(rt, does(func(cx runtime.Cx) error { return cx.AwaitContext(ctx) }))
	cancelled := runtime.Submit(rt, does(func(cx runtime.Cx) error { return cx.AwaitContext(ctx) }))
	cancelled.Cancel()
	_, err := get(t, cancelled)
	require.ErrorIs(t, err, runtime.ErrCancelled)
	time.Sleep(time.Millisecond)
	require.False(t, hasEnded(h))
	stop()
	_, err = get(t, h)
	require.NoError(t, err)
	run(t, rt, func(cx runtime.Cx) error { return cx.AwaitContext(ctx) }) // it has ended before
	require.NoError(t, rt.Close())
}

func TestContextEndsWithItsTask(t *testing.T) {
	rt := start(t, 2)
	fail := errors.New("failed")
	for name, end := range map[string]func() (struct{}, error){
		"returns": func() (struct{}, error) { return struct{}{}, nil },
		"fails":   func() (struct{}, error) { return struct{}{}, fail },
		"panics":  func() (struct{}, error) { panic("it panics") },
	} {
		t.Run(name, func(t *testing.T) {
			var ctx context.Context
			_, _ = get(t, runtime.Submit(rt, func(cx runtime.Cx) (struct{}, error) {
				ctx = cx.Context()
				require.Equal(t, ctx, cx.Context())
				require.NoError(t, ctx.Err())
				return end()
			}))
			waitFor(t, ctx)
			require.Equal(t, context.Canceled, context.Cause(ctx))
			waits(t, func() bool { return runtime.Contexts(rt) == 0 }, "the context is kept")
		})
	}
}

func TestContextOfADetachedTaskEndsWithIt(t *testing.T) {
	rt := start(t, 2)
	for range 200 {
		contexts := make(chan context.Context, 1)
		h := runtime.Submit(rt, does(func(cx runtime.Cx) error {
			contexts <- cx.Context()
			return nil
		}))
		h.Detach()
		waitFor(t, <-contexts)
	}
	waits(t, func() bool { return runtime.Contexts(rt) == 0 }, "a context is kept")
}

// The task waits for its context and for nothing else: it blocks its worker, as a task must not.
func TestContextEndsWhenItsTaskIsToEnd(t *testing.T) {
	for why, end := range map[error]func(rt *runtime.Runtime, h *runtime.Handle[struct{}]){
		runtime.ErrCancelled: func(_ *runtime.Runtime, h *runtime.Handle[struct{}]) { h.Cancel() },
		runtime.ErrClosed: func(rt *runtime.Runtime, _ *runtime.Handle[struct{}]) {
			require.NoError(t, rt.Close())
		},
	} {
		t.Run(why.Error(), func(t *testing.T) {
			for range 20 {
				rt := start(t, 2)
				began := make(chan struct{})
				h := runtime.Submit(rt, does(func(cx runtime.Cx) error {
					ctx := cx.Context()
					close(began)
					select {
					case <-ctx.Done():
						return context.Cause(ctx)
					case <-time.After(soon):
						return errOver
					}
				}))
				receive(t, began)
				end(rt, h)
				_, err := get(t, h)
				require.Equal(t, why, err)
			}
		})
	}
}

func TestContextInAShieldEndsBehindIt(t *testing.T) {
	for _, closes := range []bool{false, true} {
		rt := start(t, 2)
		contexts := make(chan context.Context, 1)
		var free runtime.Notify
		h := runtime.Submit(rt, does(func(cx runtime.Cx) error {
			var ctx context.Context
			cx.Shield(func() {
				cx.Shield(func() {
					ctx = cx.Context()
					contexts <- ctx
					require.NoError(t, free.Wait(cx))
				})
				require.NoError(t, ctx.Err())
			})
			require.ErrorIs(t, ctx.Err(), context.Canceled)
			return context.Cause(ctx)
		}))
		ctx := <-contexts
		why := runtime.ErrCancelled
		if closes {
			why = runtime.ErrClosed
			run(t, rt, func(cx runtime.Cx) error { return cx.Close() })
		} else {
			h.Cancel()
		}
		require.NoError(t, ctx.Err())
		free.Signal()
		_, err := get(t, h)
		require.ErrorIs(t, err, why)
	}
}

func TestContextOfATaskThatIsCancelledAlready(t *testing.T) {
	rt := start(t, 1)
	_, err := cancelled(t, rt, does(func(cx runtime.Cx) error {
		return context.Cause(cx.Context())
	}))
	require.ErrorIs(t, err, runtime.ErrCancelled)
}

// A context, its creation and every way to end race.
func TestNoContextOutlivesItsTask(t *testing.T) {
	rt := start(t, 4)
	var contexts atomic.Pointer[context.Context]
	for i := range 500 {
		contexts.Store(nil)
		h := runtime.Submit(rt, does(func(cx runtime.Cx) error {
			ctx := cx.Context()
			contexts.Store(&ctx)
			return nil
		}))
		var racing sync.WaitGroup
		if i%2 == 0 {
			racing.Go(h.Cancel)
		} else {
			racing.Go(h.Detach)
		}
		racing.Wait()
		if i%2 == 0 {
			_, _ = get(t, h)
			if ctx := contexts.Load(); ctx != nil {
				waitFor(t, *ctx)
			}
		}
	}
	require.NoError(t, rt.Shutdown(context.Background()))
	require.Zero(t, runtime.Contexts(rt))
}

func waitFor(t *testing.T, ctx context.Context) {
	t.Helper()
	select {
	case <-ctx.Done():
	case <-time.After(soon):
		t.Fatal("the context has not ended")
	}
}

func TestBridgeInATaskThatIsToEnd(t *testing.T) {
	rt := start(t, 1)
	c := make(chan int, 2)
	c <- 1
	_, err := cancelled(t, rt, does(func(cx runtime.Cx) error {
		_, _, err := runtime.Receive(cx, c)
		require.ErrorIs(t, err, runtime.ErrCancelled)
		require.ErrorIs(t, runtime.Send(cx, c, 2), runtime.ErrCancelled)
		return cx.AwaitContext(context.Background())
	}))
	require.ErrorIs(t, err, runtime.ErrCancelled)
	require.Len(t, c, 1)
}

func TestBridgeMisuse(t *testing.T) {
	rt := start(t, 1)
	const zero = ": the zero Cx; a Cx is what a task's function is given"
	var none runtime.Cx
	require.Equal(t, "surewake: Receive"+zero,
		panics(func() { _, _, _ = runtime.Receive[int](none, nil) }))
	require.Equal(t, "surewake: Send"+zero, panics(func() { _ = runtime.Send(none, nil, 1) }))
	require.Equal(t, "surewake: AwaitContext"+zero,
		panics(func() { _ = none.AwaitContext(context.Background()) }))
	require.Equal(t, "surewake: Context"+zero, panics(func() { none.Context() }))
	run(t, rt, func(cx runtime.Cx) error {
		require.Equal(t, "surewake: AwaitContext: nil context",
			panics(func() { _ = cx.AwaitContext(noContext) }))
		return nil
	})
}

func BenchmarkReceive(b *testing.B) {
	b.Run("ready", func(b *testing.B) {
		b.ReportAllocs()
		c := make(chan int, 1)
		benchIn(b, 1, func(cx runtime.Cx) {
			for b.Loop() {
				c <- 1
				_, _, _ = runtime.Receive(cx, c)
			}
		})
	})
	b.Run("waits", func(b *testing.B) {
		b.ReportAllocs()
		c := make(chan int)
		over := make(chan struct{})
		go func() {
			for {
				select {
				case c <- 1:
				case <-over:
					return
				}
			}
		}()
		benchIn(b, 1, func(cx runtime.Cx) {
			for b.Loop() {
				_, _, _ = runtime.Receive(cx, c)
			}
		})
		close(over)
	})
}
