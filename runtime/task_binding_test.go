package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

type key struct{}

// waitsFor ends with the error of its wait, which must come.
func waitsFor(cx runtime.Cx) (int, error) { return 0, cx.Sleep(time.Hour) }

// A task ends with its context, for the reason that the context gives.
func TestTaskEndsWithItsContext(t *testing.T) {
	why := errors.New("why")
	for name, c := range map[string]struct {
		ends func(parent context.Context) (context.Context, context.CancelFunc)
		is   []error
		not  []error
	}{
		"cancel": {
			context.WithCancel,
			[]error{runtime.ErrCancelled, context.Canceled},
			[]error{runtime.ErrTimeout, context.DeadlineExceeded},
		},
		"cause": {
			func(parent context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancelCause(parent)
				return ctx, func() { cancel(why) }
			},
			[]error{runtime.ErrCancelled, context.Canceled, why},
			[]error{runtime.ErrTimeout},
		},
		"a cause that tells of a deadline": {
			func(parent context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancelCause(parent)
				return ctx, func() { cancel(fmt.Errorf("other: %w", context.DeadlineExceeded)) }
			},
			[]error{runtime.ErrCancelled, context.Canceled, context.DeadlineExceeded},
			[]error{runtime.ErrTimeout},
		},
		"deadline": {
			func(parent context.Context) (context.Context, context.CancelFunc) {
				return context.WithTimeoutCause(parent, time.Millisecond, why)
			},
			[]error{runtime.ErrTimeout, context.DeadlineExceeded, why},
			[]error{runtime.ErrCancelled, context.Canceled},
		},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, workers int) {
				rt := start(t, workers)
				ctx, cancel := c.ends(t.Context())
				defer cancel()
				var inside context.Context
				waiting := runtime.SubmitContext(ctx, rt, func(cx runtime.Cx) (int, error) {
					inside = cx.Context()
					return waitsFor(cx)
				})
				if name != "deadline" {
					cancel()
				}
				_, err := get(t, waiting)
				_, refused := get(t, runtime.SubmitContext(ctx, rt, returns(1)))
				got := []error{err, refused}
				if inside != nil { // it may have ended before it started
					receive(t, inside.Done())
					require.Equal(t, ctx.Err(), inside.Err())
					got = append(got, context.Cause(inside))
				}
				for _, got := range got {
					for _, want := range c.is {
						require.ErrorIs(t, got, want)
					}
					for _, other := range c.not {
						require.NotErrorIs(t, got, other)
					}
				}
			})
		})
	}
}

// A cause that tells of a deadline is none of the context.
func TestACauseIsNoDeadlineOfTheContext(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		ctx, cancel := context.WithCancelCause(t.Context())
		_, err := get(t, runtime.SubmitContext(ctx, rt, func(cx runtime.Cx) (int, error) {
			inside := cx.Context()
			cancel(fmt.Errorf("other: %w", context.DeadlineExceeded))
			receive(t, inside.Done())
			require.Equal(t, context.Canceled, inside.Err())
			child := runtime.SpawnContext(inside, cx, returns(1))
			_, err := child.Wait(t.Context()) // as no child of the task
			require.NotErrorIs(t, err, runtime.ErrTimeout)
			return 1, nil
		}))
		require.NoError(t, err)
	})
}

// A task that is cancelled by its handle before its context ends says so.
func TestCancelIsNoEndOfTheContext(t *testing.T) {
	rt := start(t, 1)
	h := runtime.SubmitContext(t.Context(), rt, waitsFor)
	h.Cancel()
	_, err := get(t, h)
	require.Equal(t, runtime.ErrCancelled, err)
}

// The values and the deadline of a task's context are seen in all functions that are part of it,
// and by contexts that are derived.
func TestContextOfATaskIsSeenInItsParts(t *testing.T) {
	rt := start(t, 2)
	soon := time.Now().Add(time.Minute)
	ctx, cancel := context.WithDeadline(context.WithValue(t.Context(), key{}, 7), soon)
	defer cancel()
	_, err := get(t, runtime.SubmitContext(ctx, rt, func(cx runtime.Cx) (int, error) {
		sees := func(cx runtime.Cx, latest time.Time) {
			derived, cancel := context.WithCancel(cx.Context())
			defer cancel()
			for _, ctx := range []context.Context{cx.Context(), derived} {
				require.Equal(t, 7, ctx.Value(key{}))
				deadline, ok := ctx.Deadline()
				require.True(t, ok)
				require.False(t, deadline.After(latest), "%v", deadline.Sub(latest))
			}
		}
		sees(cx, soon)
		_, err := runtime.Timeout(cx, time.Hour, func(cx runtime.Cx) (int, error) {
			sees(cx, soon)
			return 0, nil
		})
		require.NoError(t, err)
		latest := time.Now().Add(time.Second + time.Millisecond)
		_, err = runtime.Timeout(cx, time.Second, func(cx runtime.Cx) (int, error) {
			return 0, runtime.Scope(cx, func(cx runtime.Cx, s *runtime.TaskScope) error {
				sees(cx, latest)
				runtime.SpawnIn(cx, s, func(cx runtime.Cx) (int, error) {
					sees(cx, latest)
					return 0, nil
				})
				return nil
			})
		})
		require.NoError(t, err)
		_, err = runtime.SpawnContext(cx.Context(), cx, func(cx runtime.Cx) (int, error) {
			sees(cx, soon)
			return 0, nil
		}).Join(cx)
		require.NoError(t, err)
		_, err = runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
			require.Nil(t, cx.Context().Value(key{}))
			return 0, nil
		}).Join(cx)
		return 0, err
	}))
	require.NoError(t, err)
}

// Contexts that are derived from that of a task end with it, with the same error.
func TestWhatIsDerivedFromTheContextOfATaskEndsAsItDoes(t *testing.T) {
	rt := start(t, 1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err := get(t, runtime.SubmitContext(ctx, rt, func(cx runtime.Cx) (int, error) {
		early, cancel := context.WithCancel(cx.Context())
		defer cancel()
		ran := make(chan struct{})
		context.AfterFunc(cx.Context(), func() { close(ran) })
		_, err := waitsFor(cx)
		late, cancel := context.WithCancel(cx.Context())
		defer cancel()
		receive(t, ran)
		for _, ctx := range []context.Context{cx.Context(), early, late} {
			receive(t, ctx.Done())
			require.Equal(t, context.DeadlineExceeded, ctx.Err())
			require.ErrorIs(t, context.Cause(ctx), runtime.ErrTimeout)
		}
		return 0, err
	}))
	require.Equal(t, runtime.ErrTimeout, err)
}

// In a shield, the end of the context is not noticed, neither by waits nor in the task's own
// context.
func TestShieldHoldsOffTheEndOfTheContext(t *testing.T) {
	rt := start(t, 1)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := get(t, runtime.SubmitContext(ctx, rt, func(cx runtime.Cx) (int, error) {
		own := cx.Context()
		cx.Shield(func() {
			cancel()
			require.NoError(t, cx.Sleep(time.Millisecond))
			require.NoError(t, own.Err())
		})
		_, err := waitsFor(cx)
		receive(t, own.Done())
		return 0, err
	}))
	require.Equal(t, runtime.ErrCancelled, err)
}

// A task that has ended is registered with its context no more. (runtime/R20)
func TestContextKeepsNoTaskThatHasEnded(t *testing.T) {
	rt := start(t, 2)
	ctx := &countingContext{Context: t.Context(), done: make(chan struct{})}
	for range 10 {
		_, err := get(t, runtime.SubmitContext(ctx, rt, returns(1)))
		require.NoError(t, err)
		runtime.SubmitContext(ctx, rt, returns(1)).Detach()
		_, err = get(t, runtime.SubmitBlockingContext(ctx, rt,
			func(context.Context) (int, error) { return 1, nil }))
		require.NoError(t, err)
	}
	drains(t, rt)
	require.EqualValues(t, 30, ctx.registered.Load())
	require.EqualValues(t, 30, ctx.stopped.Load())
}

// A countingContext counts what is registered with it, and never calls it.
type countingContext struct {
	context.Context
	done                chan struct{}
	registered, stopped atomic.Int64
}

func (c *countingContext) Done() <-chan struct{} { return c.done }

func (c *countingContext) AfterFunc(func()) (stop func() bool) {
	c.registered.Add(1)
	return func() bool { c.stopped.Add(1); return true }
}

// The function of a blocking task is told when it must end. (runtime/R21)
func TestBlockingFunctionIsToldThatItMustEnd(t *testing.T) {
	for name, end := range map[string]func(
		rt *runtime.Runtime, h *runtime.Handle[int], cancel context.CancelFunc,
	){
		"context": func(_ *runtime.Runtime, _ *runtime.Handle[int], cancel context.CancelFunc) {
			cancel()
		},
		"cancel": func(_ *runtime.Runtime, h *runtime.Handle[int], _ context.CancelFunc) {
			h.Cancel()
		},
		"close": func(rt *runtime.Runtime, _ *runtime.Handle[int], _ context.CancelFunc) {
			closes(t, rt)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, inside := range []bool{false, true} {
				rt := start(t, 1)
				ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, 7))
				defer cancel()
				running := make(chan struct{})
				fn := func(ctx context.Context) (int, error) {
					require.Equal(t, 7, ctx.Value(key{}))
					close(running)
					<-ctx.Done()
					return 5, context.Cause(ctx)
				}
				var h *runtime.Handle[int]
				if inside {
					run(t, rt, func(cx runtime.Cx) error {
						h = runtime.SpawnBlockingContext(ctx, cx, fn)
						return nil
					})
				} else {
					h = runtime.SubmitBlockingContext(ctx, rt, fn)
				}
				receive(t, running)
				end(rt, h, cancel)
				v, err := get(t, h)
				require.Equal(t, 5, v)
				want := runtime.ErrCancelled
				if name == "close" {
					want = runtime.ErrClosed
				}
				require.Equal(t, want, err)
			}
		})
	}
}

// A blocking task whose context has ended is not called.
func TestBlockingFunctionIsNotCalledAfterTheEndOfItsContext(t *testing.T) {
	rt := start(t, 1, runtime.BlockingThreads(1))
	ctx, cancel := context.WithCancel(t.Context())
	free := make(chan int)
	first := runtime.SubmitBlocking(rt, func() (int, error) { return <-free, nil })
	never := func(context.Context) (int, error) { panic("called") }
	queued := runtime.SubmitBlockingContext(ctx, rt, never)
	cancel()
	late := runtime.SubmitBlockingContext(ctx, rt, never)
	free <- 1
	_, err := get(t, first)
	require.NoError(t, err)
	for _, h := range []*runtime.Handle[int]{queued, late} {
		_, err = get(t, h)
		require.Equal(t, runtime.ErrCancelled, err)
	}
}

// Run waits for all tasks, and returns the result of the first.
func TestRunWaitsForAllTasks(t *testing.T) {
	var others atomic.Int32
	v, err := runtime.Run(t.Context(), func(cx runtime.Cx) (int, error) {
		for range 10 {
			runtime.Spawn(cx, func(cx runtime.Cx) (int, error) {
				err := cx.Sleep(time.Millisecond)
				others.Add(1)
				return 0, err
			})
		}
		return 3, cx.Shutdown()
	}, runtime.Workers(2))
	require.NoError(t, err)
	require.Equal(t, 3, v)
	require.EqualValues(t, 10, others.Load())
}

// When the context of Run ends, so do all tasks.
func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var other *runtime.Handle[int]
	_, err := runtime.Run(ctx, func(cx runtime.Cx) (int, error) {
		other = runtime.Spawn(cx, waitsFor)
		cx.Yield()
		cancel()
		return waitsFor(cx)
	}, runtime.Workers(1))
	require.Equal(t, runtime.ErrCancelled, err)
	_, err = get(t, other)
	require.Equal(t, runtime.ErrClosed, err)
	silent := &countingContext{Context: t.Context(), done: make(chan struct{})}
	_, err = runtime.Run(silent, func(cx runtime.Cx) (int, error) {
		close(silent.done)
		return waitsFor(cx)
	}, runtime.Workers(1))
	require.Equal(t, runtime.ErrCancelled, err)
	_, err = runtime.Run(ctx, returns(1), runtime.Workers(1))
	require.Equal(t, runtime.ErrCancelled, err)
	_, err = runtime.Run(ctx, returns(1), runtime.Workers(0))
	require.ErrorContains(t, err, "Workers(0)")
}

// Run does not return before the end of what takes no notice of its context.
func TestRunWaitsForWhatIsNotCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	begun, free := make(chan int), make(chan int)
	var ended atomic.Bool
	go func() {
		<-begun
		cancel(errOver)
		time.Sleep(5 * time.Millisecond)
		close(free)
	}()
	_, err := runtime.Run(ctx, func(cx runtime.Cx) (int, error) {
		runtime.SpawnBlocking(cx, func() (int, error) {
			close(begun)
			<-free
			ended.Store(true)
			return 0, nil
		})
		return waitsFor(cx)
	}, runtime.Workers(1))
	require.True(t, ended.Load())
	require.ErrorIs(t, err, errOver)
	require.ErrorIs(t, err, context.Canceled)
}

func TestMisuseOfContextsIsNamed(t *testing.T) {
	rt := start(t, 1)
	one := func(context.Context) (int, error) { return 1, nil }
	for _, c := range []struct {
		want string
		call func()
	}{
		{"SubmitContext: nil context", func() { runtime.SubmitContext(noContext, rt, forever) }},
		{"SubmitContext: nil function",
			func() { runtime.SubmitContext[int](t.Context(), rt, nil) }},
		{"SubmitContext: nil Runtime; New makes one",
			func() { runtime.SubmitContext(t.Context(), nil, forever) }},
		{"SubmitBlockingContext: nil context",
			func() { runtime.SubmitBlockingContext(noContext, rt, one) }},
		{"SubmitBlockingContext: nil function",
			func() { runtime.SubmitBlockingContext[int](t.Context(), rt, nil) }},
		{"Run: nil context", func() { _, _ = runtime.Run(noContext, forever) }},
		{"Run: nil function", func() { _, _ = runtime.Run[int](t.Context(), nil) }},
	} {
		require.Equal(t, "surewake: "+c.want, panics(c.call))
	}
	run(t, rt, func(cx runtime.Cx) error {
		require.Equal(t, "surewake: SpawnContext: nil context",
			panics(func() { runtime.SpawnContext(noContext, cx, forever) }))
		require.Equal(t, "surewake: SpawnBlockingContext: nil function",
			panics(func() { runtime.SpawnBlockingContext[int](t.Context(), cx, nil) }))
		return nil
	})
}

// A runtime that is closed says so, whatever has become of the context.
func TestAClosedRuntimeSaysSoThoughTheContextHasEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, closes := range map[string]func(t testing.TB, rt *runtime.Runtime){
		"Close": closes, "Shutdown": drains,
	} {
		for _, options := range [][]runtime.Option{nil, {runtime.MaxTasks(1)}} {
			t.Run(name, func(t *testing.T) {
				rt := start(t, 1, options...)
				_, err := get(t, runtime.SubmitContext(ctx, rt, forever))
				require.ErrorIs(t, err, runtime.ErrCancelled, "it is open")
				closes(t, rt)
				_, err = get(t, runtime.SubmitContext(ctx, rt, forever))
				require.Equal(t, runtime.ErrClosed, err)
				_, err = get(t, runtime.SubmitBlockingContext(ctx, rt,
					func(context.Context) (int, error) { return 1, nil }))
				require.Equal(t, runtime.ErrClosed, err)
			})
		}
	}
}
