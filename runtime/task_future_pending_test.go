package runtime_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// A future that goes to its next state by an assignment overwrites a Pending that waits: that is
// withdrawn with the others when the future has ended, and no other goes with it.
func TestPendingThatIsOverwrittenIsWithdrawnInTheEnd(t *testing.T) {
	for _, end := range []string{"ready", "cancel", "panic", "drop", "Close"} {
		rt := start(t, 1)
		c := runtime.NewChannel[int](0)
		var pendings [3]runtime.Pending
		polls := 0
		body := pollFunc(func(cx runtime.Cx) (int, error, bool) {
			if polls++; polls == 1 {
				for i := range pendings {
					_, _, _ = pendings[i].Poll(cx, c.ReceiveCase(nil))
				}
				return 0, nil, false
			}
			pendings[1] = runtime.Pending{}
			if end == "panic" {
				panic(errBoom)
			}
			return 7, nil, end == "ready"
		})
		h := submitFuture(rt, body, end == "drop")
		waits(t, func() bool { return runtime.Waiting(c) == 3 }, "it does not wait")
		runtime.WakerOf(h).Wake()
		if end != "ready" && end != "panic" {
			run(t, rt, func(cx runtime.Cx) error { cx.Yield(); return nil })
			require.Equal(t, 3, runtime.Waiting(c))
		}
		switch end {
		case "cancel", "drop":
			h.Cancel()
		case "Close":
			closes(t, rt)
		}
		v, err := get(t, h)
		require.Equal(t, end == "ready", err == nil && v == 7, "%v, %v", v, err)
		require.Zero(t, runtime.Waiting(c)+rt.ListedFutures(), end)
	}
}

func submitFuture(rt *runtime.Runtime, f pollFunc, drops bool) *runtime.Handle[int] {
	if drops {
		return runtime.SubmitFuture(rt, droppedFunc{f})
	}
	return runtime.SubmitFuture(rt, f)
}

// A copy of a Pending that waits stands for the same wait: once one of them has ended it, the other
// begins anew.
func TestCopiesOfAPendingShareItsWait(t *testing.T) {
	rt := start(t, 1)
	c, other := runtime.NewChannel[int](0), runtime.NewChannel[int](0)
	var p runtime.Pending
	var v int
	polls := 0
	h := runtime.SubmitFuture(rt, pollFunc(func(cx runtime.Cx) (int, error, bool) {
		cases := []runtime.Case{other.ReceiveCase(nil), c.ReceiveCase(&v)}
		if polls++; polls == 1 {
			_, _, _ = p.Poll(cx, cases...)
			return 0, nil, false
		}
		moved := p
		i, err, ready := moved.Poll(cx, cases...)
		require.True(t, ready)
		require.NoError(t, err)
		require.Equal(t, 1, i)
		_, _, ready = p.Poll(cx, cases...)
		require.False(t, ready)
		require.Equal(t, 1, runtime.Waiting(c))
		moved = p
		require.True(t, moved.Stop(cx))
		require.True(t, p.Stop(cx))
		return v, nil, true
	}))
	waits(t, func() bool { return runtime.Waiting(c) == 1 }, "it does not wait")
	require.NoError(t, c.TrySend(3))
	got, err := get(t, h)
	require.NoError(t, err)
	require.Equal(t, 3, got)
	require.Zero(t, runtime.Waiting(c)+runtime.Waiting(other)+rt.ListedFutures())
}

// A future must end, and is polled once more to learn what one of its Pendings was given. The
// others have taken nothing, and say so: Stop, and Poll, also in a shield.
func TestPendingThatHasGivenUpSaysSo(t *testing.T) {
	rt := start(t, 1)
	given, never := runtime.NewChannel[int](0), runtime.NewChannel[int](0)
	var p, stopped, polled, shielded runtime.Pending
	var v int
	h := runtime.SubmitFuture(rt, pollFunc(func(cx runtime.Cx) (int, error, bool) {
		_, _, ready := p.Poll(cx, given.ReceiveCase(&v))
		if !ready {
			for _, other := range []*runtime.Pending{&stopped, &polled, &shielded} {
				_, _, _ = other.Poll(cx, never.ReceiveCase(nil))
			}
			return 0, nil, false
		}
		require.True(t, stopped.Stop(cx), "it has taken nothing")
		i, err, ready := polled.Poll(cx, never.ReceiveCase(nil))
		require.True(t, ready)
		require.Equal(t, -1, i)
		require.ErrorIs(t, err, runtime.ErrCancelled)
		cx.Shield(func() { i, err, ready = shielded.Poll(cx, never.ReceiveCase(nil)) })
		require.True(t, ready)
		require.Equal(t, -1, i)
		require.ErrorIs(t, err, runtime.ErrCancelled, "in a shield")
		return v, nil, true
	}))
	waits(t, func() bool { return runtime.Waiting(never) == 3 }, "it does not wait")
	run(t, rt, func(runtime.Cx) error { // the only worker is busy meanwhile
		require.NoError(t, given.TrySend(5))
		h.Cancel()
		return nil
	})
	got, err := get(t, h)
	require.NoError(t, err)
	require.Equal(t, 5, got)
	require.Zero(t, runtime.Waiting(never))
}

// The duration of a nap is that with which it began.
func TestNapThatHasBegunLastsAsLongAsItWasTold(t *testing.T) {
	rt := start(t, 1)
	var nap runtime.Nap
	_, err := get(t, runtime.SubmitFuture(rt, pollFunc(func(cx runtime.Cx) (int, error, bool) {
		require.True(t, nap.Over(cx, -1<<63))
		for _, d := range []time.Duration{1<<63 - 1, 0, -1, 1} {
			require.False(t, nap.Over(cx, d), "%v", d)
		}
		return 0, nil, true
	})))
	require.NoError(t, err)
	require.Zero(t, runtime.Timers(rt))
}

// What a fork of a future leaves is the waker of the future, also if a worker has taken it.
// (runtime/R51)
func TestForkLeavesTheWakerOfItsFuture(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		var h *runtime.Handle[int]
		var wakers [2]runtime.Waker
		polls := 0
		h = runtime.SubmitFuture(rt, pollFunc(func(cx runtime.Cx) (int, error, bool) {
			if polls++; polls > 1 {
				return polls, nil, true
			}
			inner := func(cx runtime.Cx) runtime.Waker { return cx.Waker() }
			runtime.Both(cx, func(cx runtime.Cx) (none struct{}) {
				wakers[0], wakers[1] = runtime.Both(cx, inner, waitsOnce)
				return none
			}, waitsOnce)
			return 0, nil, false
		}))
		_, err := get(t, h)
		require.NoError(t, err)
		for _, waker := range wakers { // nothing is printed of tasks, which change
			require.True(t, runtime.WakerOf(h) == waker, "the waker of a fork")
		}
	})
}

// waitsOnce waits, which makes tasks of all forks of the calling one, and returns its waker.
func waitsOnce(cx runtime.Cx) runtime.Waker {
	cx.Yield()
	return cx.Waker()
}

// A fork that a worker has taken is told that a future waits in Poll, not in a fork.
func TestWaitOfAFutureInAForkPanics(t *testing.T) {
	rt := start(t, 1)
	const rule = ": in a fork, which a worker has taken; call it in Poll itself"
	_, err := get(t, runtime.SubmitFuture(rt, pollFunc(func(cx runtime.Cx) (int, error, bool) {
		a, _ := runtime.Both(cx, func(cx runtime.Cx) (said [2]any) {
			said[0] = panics(func() { new(runtime.Nap).Over(cx, 1) })
			said[1] = panics(func() { _, _, _ = new(runtime.Pending).Poll(cx) })
			return said
		}, waitsOnce)
		require.Equal(t, [2]any{"surewake: Nap.Over" + rule, "surewake: Pending.Poll" + rule}, a)
		return 0, nil, true
	})))
	require.NoError(t, err)
}
