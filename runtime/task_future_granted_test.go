package runtime_test

import (
	goruntime "runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// A future that ends may have been given what it has not learned of. However it ends, permits and
// signals go to whoever waits next; so nobody waits for ever behind a future that has ended.
// (runtime/R50)
func TestWhatAFutureNeverLearnsOfGoesToTheNext(t *testing.T) {
	for _, end := range []string{
		"ready", "panic", "Goexit", "overwritten", "cancel", "drop", "Close",
	} {
		t.Run("permits/"+end, func(t *testing.T) {
			s := runtime.NewSemaphore(2)
			require.True(t, s.TryAcquire(2))
			var behind *runtime.Handle[int]
			endUnlearned(t, end, s.AcquireCase(2), func() {
				waits(t, func() bool { return runtime.Waiting(s) == 1 }, "it does not wait")
				behind = runtime.Submit(start(t, 1),
					func(cx runtime.Cx) (int, error) { return 0, s.Acquire(cx, 1) })
				waits(t, func() bool { return runtime.Waiting(s) == 2 }, "it does not wait")
			}, func() {
				s.Release(2)
				require.Equal(t, 1, runtime.Waiting(s), "the future is not first")
			})
			_, err := get(t, behind)
			require.NoError(t, err)
			require.Equal(t, 1, s.Free())
		})
		t.Run("signal/"+end, func(t *testing.T) {
			var n runtime.Notify
			var behind *runtime.Handle[int]
			endUnlearned(t, end, n.WaitCase(), func() {
				waits(t, func() bool { return runtime.Waiting(&n) == 1 }, "it does not wait")
				behind = runtime.Submit(start(t, 1),
					func(cx runtime.Cx) (int, error) { return 0, n.Wait(cx) })
				waits(t, func() bool { return runtime.Waiting(&n) == 2 }, "it does not wait")
			}, n.Signal)
			_, err := get(t, behind)
			require.NoError(t, err)
			_, err = runtime.TrySelect(n.WaitCase())
			require.ErrorIs(t, err, runtime.ErrWouldWait, "a signal too many")
		})
		t.Run("broadcast/"+end, func(t *testing.T) {
			var n runtime.Notify
			endUnlearned(t, end, n.WaitCase(), func() {
				waits(t, func() bool { return runtime.Waiting(&n) == 1 }, "it does not wait")
			}, n.Broadcast)
			_, err := runtime.TrySelect(n.WaitCase())
			require.ErrorIs(t, err, runtime.ErrWouldWait, "a broadcast is not remembered")
		})
	}
}

// endUnlearned runs a future that waits by c, calls ready when it has been submitted, lets give
// give it something while the only worker is busy, and lets it end without learning of that.
func endUnlearned(t *testing.T, end string, c runtime.Case, ready, give func()) {
	t.Helper()
	rt := start(t, 1)
	var p runtime.Pending
	polls := 0
	h := submitFuture(rt, func(cx runtime.Cx) (int, error, bool) {
		if polls++; polls == 1 {
			_, _, _ = p.Poll(cx, c)
			return 0, nil, false
		}
		switch end {
		case "panic":
			panic(errBoom)
		case "Goexit":
			goruntime.Goexit()
		case "overwritten":
			p = runtime.Pending{}
		}
		return 7, nil, end == "ready" || end == "overwritten"
	}, end == "drop")
	ready()
	run(t, rt, func(cx runtime.Cx) error {
		give()
		switch end {
		case "cancel", "drop":
			h.Cancel()
		case "Close":
			go func() { _ = rt.Close() }()
			waits(t, func() bool { return cx.Err() != nil }, "it is not closed")
		}
		return nil
	})
	v, err := get(t, h)
	require.Equal(t, end == "ready" || end == "overwritten", err == nil && v == 7, "%v", err)
	require.Equal(t, 2, polls)
	require.Zero(t, rt.ListedFutures())
}

// A future that has been given permits has them, polled or not: who comes later waits until it
// gives them back. What it learns of in its last poll it keeps, also if it must end.
func TestFutureHasWhatItWasGivenBeforeItIsPolled(t *testing.T) {
	for _, cancels := range []bool{false, true} {
		rt := start(t, 1)
		s := runtime.NewSemaphore(1)
		require.True(t, s.TryAcquire(1))
		var p runtime.Pending
		h := runtime.SubmitFuture(rt, pollFunc(func(cx runtime.Cx) (int, error, bool) {
			_, err, ready := p.Poll(cx, s.AcquireCase(1))
			return 7, err, ready
		}))
		waits(t, func() bool { return runtime.Waiting(s) == 1 }, "it does not wait")
		run(t, rt, func(runtime.Cx) error {
			s.Release(1)
			require.False(t, s.TryAcquire(1))
			if cancels {
				h.Cancel()
			}
			return nil
		})
		v, err := get(t, h)
		require.NoError(t, err)
		require.Equal(t, 7, v)
		require.False(t, s.TryAcquire(1))
		s.Release(1)
		require.True(t, s.TryAcquire(1))
	}
}
