package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	goruntime "runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

func TestErrTimeoutIsATimeout(t *testing.T) {
	require.ErrorIs(t, runtime.ErrTimeout, context.DeadlineExceeded)
	require.ErrorIs(t, runtime.ErrTimeout, os.ErrDeadlineExceeded)
	require.NotErrorIs(t, runtime.ErrTimeout, context.Canceled)
	require.True(t, os.IsTimeout(runtime.ErrTimeout))
	require.EqualError(t, runtime.ErrTimeout, "surewake: timeout")
}

func TestJoinTimeout(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		run(t, rt, func(cx runtime.Cx) error {
			var free runtime.Notify
			h := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) { return 7, free.Wait(cx) })
			from := time.Now()
			_, err := h.JoinTimeout(cx, 3*time.Millisecond)
			require.Equal(t, runtime.ErrTimeout, err)
			require.GreaterOrEqual(t, time.Since(from), 3*time.Millisecond, "it gave up early")
			_, err = h.JoinTimeout(cx, 0)
			require.Equal(t, runtime.ErrTimeout, err)
			_, err = h.JoinTimeout(cx, -1)
			require.Equal(t, runtime.ErrTimeout, err)
			free.Signal() // the task has not been cancelled
			v, err := h.JoinTimeout(cx, time.Hour)
			require.NoError(t, err)
			require.Equal(t, 7, v)
			v, err = h.JoinTimeout(cx, 0)
			require.NoError(t, err)
			require.Equal(t, 7, v)
			return nil
		})
		require.Zero(t, runtime.Timers(rt))
	})
}

func TestJoinContext(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		run(t, rt, func(cx runtime.Cx) error {
			var free runtime.Notify
			h := runtime.Spawn(cx, func(cx runtime.Cx) (int, error) { return 7, free.Wait(cx) })
			ctx, stop := context.WithCancelCause(context.Background())
			go func() {
				time.Sleep(time.Millisecond)
				stop(errOver)
			}()
			_, err := h.JoinContext(cx, ctx)
			require.ErrorIs(t, err, errOver)
			_, err = h.JoinContext(cx, ctx)
			require.ErrorIs(t, err, errOver, "a context that has ended")
			free.Signal()
			v, err := h.JoinContext(cx, context.Background())
			require.NoError(t, err)
			require.Equal(t, 7, v)
			v, err = h.JoinContext(cx, ctx)
			require.NoError(t, err, "the task has ended: the context does not count")
			require.Equal(t, 7, v)
			return nil
		})
	})
}

// Inlined, Goexit would end the joiner too.
func TestJoinsWithAnEndDoNotInline(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		exits := func(runtime.Cx) (int, error) { goruntime.Goexit(); return 0, nil }
		_, err := runtime.Spawn(cx, exits).JoinTimeout(cx, time.Hour)
		require.ErrorIs(t, err, runtime.ErrGoexit)
		_, err = runtime.Spawn(cx, exits).JoinContext(cx, context.Background())
		require.ErrorIs(t, err, runtime.ErrGoexit)
		_, err = runtime.Timeout(cx, time.Hour, exits)
		require.ErrorIs(t, err, runtime.ErrGoexit)
		return nil
	})
}

func TestCancelledJoinerOfAJoinWithAnEnd(t *testing.T) {
	rt := start(t, 2)
	target := runtime.Submit(rt, forever)
	waits(t, func() bool { return runtime.Timers(rt) == 1 }, "the target does not sleep")
	for _, join := range []func(cx runtime.Cx) (int, error){
		func(cx runtime.Cx) (int, error) { return target.JoinTimeout(cx, time.Hour) },
		func(cx runtime.Cx) (int, error) { return target.JoinContext(cx, context.Background()) },
	} {
		h := runtime.Submit(rt, join)
		waits(t, func() bool { return target.Joiners() > 0 }, "it does not join")
		h.Cancel()
		_, err := get(t, h)
		require.ErrorIs(t, err, runtime.ErrCancelled)
		require.False(t, hasEnded(target))
	}
	require.Equal(t, 1, runtime.Timers(rt), "that of the target")
}

func TestTimeout(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		run(t, rt, func(cx runtime.Cx) error {
			v, err := runtime.Timeout(cx, time.Hour,
				func(cx runtime.Cx) (int, error) { cx.Yield(); return 7, nil })
			require.NoError(t, err)
			require.Equal(t, 7, v)

			from := time.Now()
			_, err = runtime.Timeout(cx, 2*time.Millisecond, forever)
			require.Equal(t, runtime.ErrTimeout, err)
			require.GreaterOrEqual(t, time.Since(from), 2*time.Millisecond, "it gave up early")

			until := time.Now().Add(2 * time.Millisecond)
			_, err = runtime.Deadline(cx, until, forever)
			require.Equal(t, runtime.ErrTimeout, err)
			require.False(t, time.Now().Before(until), "it gave up early")

			_, err = runtime.Timeout(cx, time.Hour,
				func(runtime.Cx) (int, error) { return 0, errOver })
			require.Equal(t, errOver, err)

			_, err = runtime.Timeout(cx, time.Hour,
				func(runtime.Cx) (int, error) { panic("inside") })
			var p *runtime.PanicError
			require.ErrorAs(t, err, &p)
			require.Equal(t, "inside", p.Value)
			return cx.Err()
		})
		require.Zero(t, runtime.Timers(rt))
	})
}

func TestResultThatComesLateCountsAllTheSame(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		v, err := runtime.Timeout(cx, time.Millisecond, func(cx runtime.Cx) (int, error) {
			require.ErrorIs(t, cx.Sleep(time.Hour), runtime.ErrCancelled)
			return 7, nil
		})
		require.NoError(t, err)
		require.Equal(t, 7, v)
		v, err = runtime.Timeout(cx, time.Millisecond, func(cx runtime.Cx) (int, error) {
			return 8, errors.Join(errOver, cx.Sleep(time.Hour))
		})
		require.Equal(t, runtime.ErrTimeout, err, "cancelled, in whatever error")
		require.Equal(t, 8, v)
		return nil
	})
}

// What Timeout calls has ended when it returns, cancelled or not.
func TestTimeoutIsNotOutlived(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		var inside atomic.Int64
		var again atomic.Bool
		slow := func(cx runtime.Cx) (int, error) {
			inside.Add(1)
			defer inside.Add(-1)
			err := cx.Sleep(time.Hour)
			cx.Shield(func() { _ = cx.Sleep(time.Millisecond) })
			return 0, err
		}
		h := runtime.Submit(rt, does(func(cx runtime.Cx) error {
			_, err := runtime.Timeout(cx, time.Millisecond, slow)
			require.Equal(t, runtime.ErrTimeout, err)
			require.Zero(t, inside.Load())
			again.Store(true)
			_, err = runtime.Timeout(cx, time.Hour, func(cx runtime.Cx) (int, error) {
				_, err := runtime.Timeout(cx, time.Hour, slow)
				return 0, err
			})
			require.Zero(t, inside.Load())
			return err
		}))
		waits(t, func() bool { return again.Load() && inside.Load() == 1 },
			"it does not begin again")
		h.Cancel()
		_, err := get(t, h)
		require.ErrorIs(t, err, runtime.ErrCancelled)
		require.Zero(t, inside.Load())
	})
}

func TestTimeoutsNest(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		inner := errOver
		_, err := runtime.Timeout(cx, 2*time.Millisecond, func(cx runtime.Cx) (int, error) {
			var v int
			v, inner = runtime.Timeout(cx, time.Hour, forever)
			return v, inner
		})
		require.Equal(t, runtime.ErrTimeout, err)
		require.Equal(t, runtime.ErrCancelled, inner)
		_, err = runtime.Timeout(cx, time.Hour, func(cx runtime.Cx) (int, error) {
			_, inner = runtime.Timeout(cx, time.Millisecond, forever)
			return 0, cx.Err()
		})
		require.NoError(t, err)
		require.Equal(t, runtime.ErrTimeout, inner)
		return nil
	})
}

func TestTimeoutInAShieldAndInARuntimeThatIsClosed(t *testing.T) {
	rt := start(t, 2)
	began := make(chan struct{})
	h := runtime.Submit(rt, does(func(cx runtime.Cx) (err error) {
		cx.Shield(func() {
			_, err := runtime.Timeout(cx, time.Millisecond, forever)
			require.Equal(t, runtime.ErrTimeout, err)
		})
		close(began)
		_, err = runtime.Timeout(cx, time.Hour, forever)
		return err
	}))
	receive(t, began)
	require.NoError(t, rt.Close())
	_, err := get(t, h)
	require.ErrorIs(t, err, runtime.ErrClosed)
}

// The body of a timeout does what a library does that takes a context: it returns the context's
// error. (runtime/R59)
func TestTimeoutKnowsItsCancellationInTheErrorOfAContext(t *testing.T) {
	eachRuntime(t, func(t *testing.T, rt *runtime.Runtime) {
		ends := func(cx runtime.Cx) (int, error) {
			ctx, stop := context.WithCancel(cx.Context()) // of a type that package context knows
			defer stop()
			err := cx.AwaitContext(ctx)
			if err == nil {
				err = ctx.Err()
			}
			return 7, err
		}
		blocks := func(cx runtime.Cx) (int, error) {
			ctx := cx.Context()
			return runtime.SpawnBlocking(cx, func() (int, error) {
				<-ctx.Done()
				return 7, context.Cause(ctx)
			}).JoinContext(cx, context.Background())
		}
		wraps := func(cx runtime.Cx) (int, error) {
			v, err := ends(cx)
			return v, fmt.Errorf("a library: %w", err)
		}
		run(t, rt, func(cx runtime.Cx) error {
			for range 20 {
				_, err := runtime.Timeout(cx, time.Millisecond, ends)
				require.Equal(t, runtime.ErrTimeout, err)
				_, err = runtime.Deadline(cx, time.Now().Add(time.Millisecond), ends)
				require.Equal(t, runtime.ErrTimeout, err)
				_, err = runtime.Timeout(cx, time.Millisecond, blocks)
				require.Equal(t, runtime.ErrTimeout, err)
				_, err = runtime.Timeout(cx, time.Millisecond, wraps)
				require.Equal(t, runtime.ErrTimeout, err)
			}
			return nil
		})
	})
}

// A function that has its deadline from the context keeps to it itself, and may be ahead of the
// timeout. (runtime/R59)
func TestTimeoutKnowsItsDeadlineInTheErrorOfItsBody(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		for _, own := range []error{context.DeadlineExceeded, os.ErrDeadlineExceeded} {
			_, err := runtime.Timeout(cx, time.Millisecond, func(cx runtime.Cx) (int, error) {
				until, _ := cx.Context().Deadline()
				for time.Now().Before(until) {
					goruntime.Gosched()
				}
				return 0, own
			})
			require.Equal(t, runtime.ErrTimeout, err)
		}
		return nil
	})
}

// A panic is told of, whatever its value.
func TestTimeoutTellsOfAPanic(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		for _, value := range []error{
			context.Canceled, runtime.ErrTimeout, fmt.Errorf("wrapped: %w", os.ErrDeadlineExceeded),
		} {
			_, err := runtime.Timeout(cx, time.Millisecond, func(cx runtime.Cx) (int, error) {
				_ = cx.Sleep(time.Hour)
				panic(value)
			})
			var panicked *runtime.PanicError
			require.ErrorAs(t, err, &panicked)
			require.Equal(t, value, panicked.Value)
		}
		return nil
	})
}

// Errors of other contexts are the body's own as long as the timeout has not passed.
func TestTimeoutThatHasNotPassedKeepsTheErrorOfAContext(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		for _, own := range []error{context.Canceled, context.DeadlineExceeded} {
			_, err := runtime.Timeout(cx, time.Hour,
				func(runtime.Cx) (int, error) { return 0, own })
			require.Equal(t, own, err)
		}
		return nil
	})
}

func TestContextInATimeoutHasItsDeadline(t *testing.T) {
	rt := start(t, 1)
	run(t, rt, func(cx runtime.Cx) error {
		deadline := func(cx runtime.Cx) (time.Time, error) {
			d, ok := cx.Context().Deadline()
			require.True(t, ok, "no deadline")
			return d, nil
		}
		_, ok := cx.Context().Deadline()
		require.False(t, ok, "a deadline of a task without a timeout")

		from := time.Now()
		d, err := runtime.Timeout(cx, time.Hour, deadline)
		require.NoError(t, err)
		require.False(t, d.Before(from.Add(time.Hour)), "%v early", from.Add(time.Hour).Sub(d))
		require.False(t, d.After(time.Now().Add(time.Hour)))

		until := time.Now().Add(time.Hour).Round(0)
		d, err = runtime.Deadline(cx, until, deadline)
		require.NoError(t, err)
		require.InDelta(t, 0, d.Sub(until), float64(time.Minute))

		_, err = runtime.Timeout(cx, time.Millisecond, does(func(cx runtime.Cx) error {
			var ctx context.Context
			cx.Shield(func() {
				ctx = cx.Context()
				until, _ := ctx.Deadline()
				require.NoError(t, cx.SleepUntil(until.Add(time.Millisecond)))
				require.NoError(t, ctx.Err(), "it ends in a shield")
			})
			return cx.AwaitContext(context.Background())
		}))
		require.Equal(t, runtime.ErrTimeout, err)

		d, err = runtime.Timeout(cx, time.Hour, func(cx runtime.Cx) (time.Time, error) {
			return runtime.Timeout(cx, 5*time.Hour, deadline)
		})
		require.NoError(t, err)
		require.False(t, d.After(time.Now().Add(time.Hour)), "the outer one ends first")
		return nil
	})
}

func TestTimeoutMisuse(t *testing.T) {
	rt := start(t, 1)
	other, err := runtime.New(runtime.Workers(1))
	require.NoError(t, err)
	foreign := runtime.Submit(other, forever)
	const zero = ": the zero Cx; a Cx is what a task's function is given"
	var none runtime.Cx
	require.Equal(t, "surewake: JoinTimeout"+zero,
		panics(func() { _, _ = foreign.JoinTimeout(none, 1) }))
	require.Equal(t, "surewake: JoinContext"+zero,
		panics(func() { _, _ = foreign.JoinContext(none, context.Background()) }))
	require.Equal(t, "surewake: Timeout"+zero,
		panics(func() { _, _ = runtime.Timeout(none, 1, forever) }))
	require.Equal(t, "surewake: Deadline"+zero,
		panics(func() { _, _ = runtime.Deadline(none, time.Now(), forever) }))
	require.Equal(t, "surewake: SleepUntil"+zero,
		panics(func() { _ = none.SleepUntil(time.Now()) }))
	run(t, rt, func(cx runtime.Cx) error {
		require.Equal(t, "surewake: JoinTimeout: the handle belongs to another runtime",
			panics(func() { _, _ = foreign.JoinTimeout(cx, 1) }))
		require.Equal(t, "surewake: JoinContext: the handle belongs to another runtime",
			panics(func() { _, _ = foreign.JoinContext(cx, context.Background()) }))
		require.Equal(t, "surewake: JoinContext: nil context",
			panics(func() { _, _ = foreign.JoinContext(cx, nil) })) //nolint:staticcheck
		h := runtime.Spawn(cx, returns(1))
		h.Detach()
		require.Equal(t, "surewake: JoinTimeout: the handle has been detached",
			panics(func() { _, _ = h.JoinTimeout(cx, 1) }))
		require.Equal(t, "surewake: JoinContext: the handle has been detached",
			panics(func() { _, _ = h.JoinContext(cx, context.Background()) }))
		require.Equal(t, "surewake: Timeout: nil function",
			panics(func() { _, _ = runtime.Timeout[int](cx, 1, nil) }))
		require.Equal(t, "surewake: Deadline: nil function",
			panics(func() { _, _ = runtime.Deadline[int](cx, time.Now(), nil) }))
		return nil
	})
	require.NoError(t, other.Close())
}

func BenchmarkTimeout(b *testing.B) {
	b.ReportAllocs()
	benchIn(b, 1, func(cx runtime.Cx) {
		for b.Loop() {
			_, _ = runtime.Timeout(cx, time.Hour, returns(1))
		}
	})
}

// A task whose context ends, by a deadline of its own, ends a Deadline that is later: that is no
// end of the Deadline's time, for which it would wait on without waiting. (runtime/R59)
func TestTheDeadlineOfTheContextEndsALaterDeadline(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		ctx, stop := context.WithTimeout(t.Context(), time.Millisecond)
		defer stop()
		h := runtime.SubmitContext(ctx, rt, func(cx runtime.Cx) (int, error) {
			return runtime.Deadline(cx, time.Now().Add(time.Hour), forever)
		})
		_, err := get(t, h)
		require.ErrorIs(t, err, runtime.ErrTimeout)
	})
}
