package runtime_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// Whoever gives up waiting for the end of a task leaves nothing with it, whoever else waits and
// gives up later. (runtime/R12)
func TestJoinersThatGaveUpAreForgotten(t *testing.T) {
	rt := start(t, 2)
	target := runtime.Submit(rt, forever)
	t.Run("tasks and goroutines at once", func(t *testing.T) {
		var tasks []*runtime.Handle[int]
		var wg sync.WaitGroup
		for range 8 {
			tasks = append(tasks, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				for range 100 {
					_, err := target.JoinTimeout(cx, time.Microsecond)
					if err != runtime.ErrTimeout {
						return 0, err
					}
				}
				return 0, nil
			}))
			wg.Go(func() {
				for range 100 {
					ctx, stop := context.WithTimeout(context.Background(), time.Microsecond)
					_, _ = target.Wait(ctx)
					stop()
				}
			})
		}
		wg.Wait()
		for _, h := range tasks {
			_, err := get(t, h)
			require.NoError(t, err)
		}
		require.Zero(t, target.Joiners())
	})
	t.Run("the older of two each time", func(t *testing.T) {
		wait := func(others int) (giveUp func()) {
			ctx, stop := context.WithCancel(context.Background())
			gone := make(chan struct{})
			go func() {
				_, _ = target.Wait(ctx)
				close(gone)
			}()
			waits(t, func() bool { return target.Joiners() == others+1 }, "it does not wait")
			return func() { stop(); receive(t, gone) }
		}
		giveUp := wait(0)
		for range 100 {
			next := wait(1)
			giveUp()
			giveUp = next
			require.Equal(t, 1, target.Joiners())
		}
		giveUp()
		require.Zero(t, target.Joiners())
	})
}

// Timeouts of eight waiters on one handle leave the heap where it was, and nearly all of them have
// waited; ten million of them, if -endurance is given. (runtime/R12)
func TestTimeoutsOnOneHandleLeaveTheHeapWhereItWas(t *testing.T) {
	n := 20_000
	if *enduranceFor > 0 {
		n = 10_000_000
	}
	rt := start(t, 2)
	target := runtime.Submit(rt, forever)
	timeOut := func(n int) {
		var waiters []*runtime.Handle[int]
		for range 8 {
			waiters = append(waiters, runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
				for range n / 8 {
					_, err := target.JoinTimeout(cx, shortWait)
					if err != runtime.ErrTimeout {
						return 0, err
					}
				}
				return 0, nil
			}))
		}
		for _, h := range waiters {
			_, err := h.Wait(context.Background())
			require.NoError(t, err)
		}
	}
	polls := func() (sum uint64) {
		for _, of := range rt.Stats().Workers {
			sum += of.Polled
		}
		return sum
	}
	timeOut(n / 20)
	before, polled := reachable(), polls()
	timeOut(n)
	require.Less(t, reachable(), before+64<<10)
	require.Zero(t, target.Joiners())
	require.Greater(t, polls()-polled, uint64(n/2), "the time was over before they waited")
}

// shortWait is a timeout that is not over yet when the call has become a joiner.
const shortWait = 10 * time.Microsecond

func TestDoneReturnsOneChannel(t *testing.T) {
	rt := start(t, 1)
	h := runtime.Submit(rt, forever)
	done := h.Done()
	for range 100 {
		require.Equal(t, done, h.Done())
	}
	require.Equal(t, 1, h.Joiners())
	h.Cancel()
	receive(t, done)
	receive(t, h.Done())
}

// Futures that ask again and again, in turn, or end before the target, leave few joiners; and all
// that wait are woken.
func TestFuturesThatAskRepeatedlyLeaveFewJoiners(t *testing.T) {
	const futures, asks = 20, 50
	rt := start(t, 2)
	end := &bell{want: 1}
	target := runtime.SubmitFuture(rt, end)
	var all []*runtime.Handle[int]
	var asked atomic.Int64
	for range futures {
		polls := 0
		all = append(all, runtime.SubmitFuture(rt, pollFunc(
			func(cx runtime.Cx) (int, error, bool) {
				asked.Add(1)
				if !target.WakeOnEnd(cx.Waker()) {
					return target.TryJoin()
				}
				if polls++; polls < asks {
					cx.Waker().Wake() // the others are polled first
				}
				return 0, nil, false
			})))
		all = append(all, runtime.SubmitFuture(rt, pollFunc(
			func(cx runtime.Cx) (int, error, bool) {
				target.WakeOnEnd(cx.Waker())
				return 2, nil, true
			})))
	}
	run(t, rt, func(cx runtime.Cx) error {
		for i := 1; i < len(all); i += 2 {
			if _, err := all[i].Join(cx); err != nil {
				return err
			}
		}
		return nil
	})
	waits(t, func() bool { return asked.Load() == futures*asks }, "they have not all asked")
	require.LessOrEqual(t, target.Joiners(), 150)
	waits(t, func() bool { return rt.ListedFutures() == futures+1 }, "they are not all listed")
	end.ring().Wake()
	for i, h := range all {
		v, err := get(t, h)
		require.NoError(t, err)
		require.Equal(t, 1+i%2, v)
	}
}
