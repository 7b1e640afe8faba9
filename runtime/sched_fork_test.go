package runtime

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// strands returns how many the stack of the running task has.
func (cx Cx) strands() (n int) {
	for s := cx.coroutine.forks.strand.Load(); s != nil; s = s.below {
		n++
	}
	return n
}

// links returns how many of the joiners of t are links.
func (t *task) links() (n int) {
	for j := t.joiners.Load(); j != nil; j = j.next.Load() {
		if _, ok := j.waker.(*link); ok {
			n++
		}
	}
	return n
}

// ending waits for the end of h, but not for ever.
func ending[T any](t *testing.T, h *Handle[T]) (T, error) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	v, err := h.Wait(ctx)
	require.NoError(t, ctx.Err(), "the task does not end")
	return v, err
}

func running(t *testing.T, workers int) *Runtime {
	t.Helper()
	rt, err := New(Workers(workers))
	require.NoError(t, err)
	t.Cleanup(func() { _ = rt.Close() })
	return rt
}

// A task that forks outside and in shields in turn, and whose forks become tasks, gathers nothing;
// and its end leaves nothing on the coroutine. (R39)
func TestForksLeaveNothingBehind(t *testing.T) {
	rt := running(t, 1)
	var co *coroutine
	h := Submit(rt, func(cx Cx) (int, error) {
		co = cx.coroutine
		same := func(cx Cx, n int) int { cx.Yield(); return n }
		outer := Fork(cx, same, 1)
		for range 100 {
			f := Fork(cx, same, 2)
			cx.Yield()
			f.Join(cx)
			cx.Shield(func() {
				g := Fork(cx, same, 3)
				cx.Yield()
				g.Join(cx)
			})
			require.LessOrEqual(t, cx.strands(), 2)
		}
		outer.Join(cx)
		cx.Yield()
		require.Zero(t, cx.task.links())
		require.Nil(t, co.forks.joining.Load())
		return 0, nil
	})
	_, err := ending(t, h)
	require.NoError(t, err)
	_, err = ending(t, Submit(rt, func(Cx) (int, error) { // orders what follows
		require.Nil(t, co.forks.strand.Load())
		require.Nil(t, co.forker)
		return 0, nil
	}))
	require.NoError(t, err)
}

// A forker is a future that forks in each poll.
type forker struct{ polls, sum int }

func (f *forker) Poll(cx Cx) (int, error, bool) {
	fork := Fork(cx, func(_ Cx, n int) int { return n }, 1)
	cx.Yield() // it becomes a task
	f.sum += fork.Join(cx)
	if f.polls++; f.polls == 5 {
		return f.sum, nil, true
	}
	cx.task.wake(cx.coroutine.worker)
	return 0, nil, false
}

// Each poll of a future begins a strand of its own, also if the one before was on the same
// coroutine. (R39)
func TestAFutureForksInEachPoll(t *testing.T) {
	v, err := ending(t, SubmitFuture[int](running(t, 1), &forker{}))
	require.NoError(t, err)
	require.Equal(t, 5, v)
}

// What a task has forked outside and in a shield, and not joined, is over when it has ended,
// however it ends, on a coroutine of its own or on that of a join. (R37)
func TestNoForkOfSeveralStrandsOutlivesItsTask(t *testing.T) {
	for name, leave := range map[string]func(){
		"return": func() {}, "panic": func() { panic("expected") },
	} {
		t.Run(name, func(t *testing.T) {
			for _, workers := range []int{1, 2} {
				rt := running(t, workers)
				_, err := ending(t, Submit(rt, func(cx Cx) (int, error) {
					var there atomic.Int32
					child := func(cx Cx) (int, error) {
						var begun atomic.Int32
						slow := func(cx Cx, _ int) int {
							there.Add(1)
							begun.Add(1)
							_ = cx.Sleep(time.Millisecond)
							there.Add(-1)
							return 0
						}
						Fork(cx, slow, 0)
						cx.Shield(func() { Fork(cx, slow, 1) })
						for begun.Load() < 2 {
							cx.Yield()
						}
						leave()
						return 1, nil
					}
					f := Fork(cx, func(_ Cx, n int) int { return n }, 7)
					_, _ = Spawn(cx, child).Join(cx)
					require.Zero(t, there.Load(), "forks of an inlined task")
					h := Submit(rt, child)
					_, _ = h.Join(cx)
					require.Zero(t, there.Load(), "forks of a task")
					require.Equal(t, 7, f.Join(cx))
					return 0, nil
				}))
				require.NoError(t, err)
			}
		})
	}
}

// A task that goes on at a worker that shows no stack lets others see its forks. (R33)
func TestForksAreSeenAfterAWait(t *testing.T) {
	rt := running(t, 2)
	_, err := ending(t, Submit(rt, func(cx Cx) (int, error) {
		for range 5 {
			var ran atomic.Bool
			f := Fork(cx, func(Cx, int) int { ran.Store(true); return 1 }, 0)
			for deadline := time.Now().Add(20 * time.Second); !ran.Load(); {
				if time.Now().After(deadline) {
					return 0, errors.New("nobody takes the fork")
				}
			}
			f.Join(cx)
			_ = cx.Sleep(5 * time.Millisecond) // both workers sleep
		}
		return 0, nil
	}))
	require.NoError(t, err)
}

// A task that has been inlined, and only yields, passes on to its forks that the task beneath has
// been cancelled. (R35)
func TestAForkThatWasReleasedLearnsOfTheTaskBeneath(t *testing.T) {
	for _, workers := range []int{1, 2} {
		rt := running(t, workers)
		began := make(chan struct{})
		h := Submit(rt, func(cx Cx) (int, error) {
			return Spawn(cx, func(cx Cx) (int, error) {
				var told atomic.Bool
				f := Fork(cx, func(cx Cx, _ int) error {
					close(began)
					err := cx.Sleep(time.Hour)
					told.Store(true)
					return err
				}, 0)
				for !told.Load() {
					cx.Yield()
				}
				return 1, f.Join(cx)
			}).Join(cx)
		})
		<-began
		h.Cancel()
		_, err := ending(t, h)
		require.ErrorIs(t, err, ErrCancelled)
	}
}

// A task of a closed runtime that waits for a fork is not polled over and over. (R38)
func TestAClosedTaskThatWaitsForAForkSleeps(t *testing.T) {
	rt := running(t, 1)
	began := make(chan struct{})
	h := Submit(rt, func(cx Cx) (int, error) {
		f := Fork(cx, func(cx Cx, _ int) (err error) {
			cx.Shield(func() { close(began); err = cx.Sleep(20 * time.Millisecond) })
			return err
		}, 0)
		cx.Yield()
		return 0, f.Join(cx)
	})
	<-began
	_ = rt.Close()
	_, err := ending(t, h)
	require.NoError(t, err)
	require.Less(t, rt.Stats().Workers[0].Polled, uint64(20))
}
