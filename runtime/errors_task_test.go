package runtime_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// ofContext waits for the end of a task's context, and returns its error, as what takes a context
// does.
func ofContext(ctx context.Context) (int, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}

// tasksWithContexts starts tasks of each kind that return the error of their contexts.
func tasksWithContexts(
	ctx context.Context, rt *runtime.Runtime,
) map[string]*runtime.Handle[int] {
	returns := func(cx runtime.Cx) (int, error) { return ofContext(cx.Context()) }
	spawned := make(chan map[string]*runtime.Handle[int], 1)
	runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		spawned <- map[string]*runtime.Handle[int]{
			"Spawn": runtime.Spawn(cx, returns),
			"SpawnWith": runtime.SpawnWith(cx, func(cx runtime.Cx, _ int) (int, error) {
				return returns(cx)
			}, 1),
			"SpawnBlockingContext": runtime.SpawnBlockingContext(ctx, cx, ofContext),
		}
		return 0, nil
	})
	all := <-spawned
	all["Submit"] = runtime.Submit(rt, returns)
	all["SubmitContext"] = runtime.SubmitContext(ctx, rt, returns)
	all["SubmitBatch"] = runtime.SubmitBatch(rt, 1, func(cx runtime.Cx, _ int) (int, error) {
		return returns(cx)
	}).Handle(0)
	all["SubmitFuture"] = runtime.SubmitFuture[int](rt, polled(returns))
	all["SubmitBlockingContext"] = runtime.SubmitBlockingContext(ctx, rt, ofContext)
	return all
}

// A polled is a future that is ready at once, with the result of a function.
type polled func(runtime.Cx) (int, error)

func (p polled) Poll(cx runtime.Cx) (int, error, bool) {
	v, err := p(cx)
	return v, err, true
}

// The error of a context that ends with a task is, as a result, that of the context and why the
// task had to end. (runtime/R59)
func TestErrorOfTheTasksContextTellsWhyItHadToEnd(t *testing.T) {
	failure := errors.New("failure")
	begun := func(t *testing.T, rt *runtime.Runtime, n int) {
		waits(t, func() bool {
			return runtime.Contexts(rt) == n
		}, "not all have a context")
	}
	for name, c := range map[string]struct {
		end  func(all map[string]*runtime.Handle[int], rt *runtime.Runtime)
		want error
	}{
		"Cancel": {func(all map[string]*runtime.Handle[int], _ *runtime.Runtime) {
			for _, h := range all {
				h.Cancel()
			}
		}, runtime.ErrCancelled},
		"Close": {func(_ map[string]*runtime.Handle[int], rt *runtime.Runtime) { _ = rt.Close() },
			runtime.ErrClosed},
	} {
		t.Run(name, func(t *testing.T) {
			rt := start(t, 16) // each task blocks its worker
			all := tasksWithContexts(t.Context(), rt)
			begun(t, rt, len(all))
			c.end(all, rt)
			for kind, h := range all {
				_, err := get(t, h)
				require.ErrorIs(t, err, c.want, kind)
				require.ErrorIs(t, err, context.Canceled, kind)
				for _, other := range []error{
					runtime.ErrCancelled, runtime.ErrClosed, runtime.ErrTimeout,
				} {
					require.True(t, other == c.want || !errors.Is(err, other), "%s: %v", kind, err)
				}
			}
		})
	}
	t.Run("the context", func(t *testing.T) {
		rt := start(t, 2)
		ctx, cancel := context.WithCancelCause(t.Context())
		h := runtime.SubmitContext(ctx, rt, func(cx runtime.Cx) (int, error) {
			return ofContext(cx.Context())
		})
		begun(t, rt, 1)
		cancel(failure)
		_, err := get(t, h)
		require.ErrorIs(t, err, runtime.ErrCancelled)
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, failure)
	})
	t.Run("the deadline", func(t *testing.T) {
		rt := start(t, 2)
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, err := get(t, runtime.SubmitBlockingContext(ctx, rt, ofContext))
		require.ErrorIs(t, err, runtime.ErrTimeout)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, runtime.ErrCancelled)
	})
}

// The error of a context is left alone in a task that need not end; so is any other error of one
// that must, and a panic.
func TestOtherErrorsOfTasksAreLeftAlone(t *testing.T) {
	rt := start(t, 1)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := get(t, runtime.Submit(rt, func(runtime.Cx) (int, error) { return 0, ended.Err() }))
	require.Equal(t, context.Canceled, err)
	failure := errors.New("failure")
	for _, want := range []error{
		failure, context.DeadlineExceeded, runtime.ErrTimeout, runtime.ErrClosed,
		&runtime.PanicError{Value: context.Canceled},
	} {
		_, err := cancelled(t, rt, func(runtime.Cx) (int, error) { return 0, want })
		require.Equal(t, want, err)
	}
	require.NoError(t, rt.Close())
}
