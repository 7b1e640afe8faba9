package runtime_test

import (
	"errors"
	goruntime "runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/runtime"
)

// A nap that is not over is asked for again in each poll, and a future may take several at a time:
// it is polled when the first is over.
func TestFutureIsPolledWhenANapIsOver(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		const d = 2 * time.Millisecond
		var long, short runtime.Nap
		var overs []time.Duration
		begin := time.Now()
		h := runtime.SubmitFuture(rt, pollFunc(func(cx runtime.Cx) (int, error, bool) {
			cx.Waker().Wake() // polls that nothing has caused do not matter
			if long.Over(cx, time.Hour) {
				return 0, nil, true
			}
			for short.Over(cx, d) {
				overs = append(overs, time.Since(begin))
				if len(overs) == 3 {
					return 1, nil, true
				}
			}
			return 0, nil, false
		}))
		v, err := get(t, h)
		require.NoError(t, err)
		require.Equal(t, 1, v)
		for i, at := range overs {
			require.GreaterOrEqual(t, at, time.Duration(i+1)*d)
		}
		require.Zero(t, runtime.Timers(rt), "the long one is given up")
	})
}

// A future that is not polled by anything but its alarm sleeps as long as it was told, and is
// polled twice.
func TestNapCausesOnePoll(t *testing.T) {
	rt := start(t, 1)
	polls := 0
	var nap runtime.Nap
	begin := time.Now()
	_, err := get(t, runtime.SubmitFuture(rt, pollFunc(func(cx runtime.Cx) (int, error, bool) {
		polls++
		return 0, nil, nap.Over(cx, 3*time.Millisecond)
	})))
	require.NoError(t, err)
	require.GreaterOrEqual(t, time.Since(begin), 3*time.Millisecond)
	require.Equal(t, 2, polls)
	_, err = get(t, runtime.SubmitFuture(rt, pollFunc(func(cx runtime.Cx) (int, error, bool) {
		return 0, nil, nap.Over(cx, 0) && nap.Over(cx, -time.Hour)
	})))
	require.NoError(t, err)
}

// What a future does not ask for again is no alarm any more; and none is left of one that has
// ended.
func TestNapThatIsNotAskedForIsNoAlarm(t *testing.T) {
	rt := start(t, 1)
	for _, end := range []string{"ready", "cancel", "panic"} {
		var nap runtime.Nap
		naps, ends := true, false
		h := runtime.SubmitFuture(rt, pollFunc(func(cx runtime.Cx) (int, error, bool) {
			switch {
			case ends && end == "panic":
				panic(errBoom)
			case ends:
				return 0, nil, true
			case naps:
				nap.Over(cx, time.Hour)
			}
			return 0, nil, false
		}))
		waits(t, func() bool { return runtime.Timers(rt) == 1 }, "it does not nap")
		run(t, rt, func(runtime.Cx) error { naps = false; return nil })
		runtime.WakerOf(h).Wake()
		waits(t, func() bool { return runtime.Timers(rt) == 0 }, "the alarm is left")
		run(t, rt, func(runtime.Cx) error { naps = true; return nil })
		runtime.WakerOf(h).Wake()
		waits(t, func() bool { return runtime.Timers(rt) == 1 }, "it does not nap")
		if end == "cancel" {
			h.Cancel()
		} else {
			run(t, rt, func(runtime.Cx) error { ends = true; return nil })
			runtime.WakerOf(h).Wake()
		}
		_, err := get(t, h)
		require.Equal(t, end == "ready", err == nil)
		require.Zero(t, runtime.Timers(rt))
	}
}

// A future that waits for the end of another, for a time, and by a Pending at once.
func TestPendingsAndNapsTogether(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		a, b := runtime.NewChannel[int](0), runtime.NewChannel[int](0)
		var first, second runtime.Pending
		var nap runtime.Nap
		var v, w int
		done := [3]bool{}
		h := runtime.SubmitFuture(rt, pollFunc(func(cx runtime.Cx) (int, error, bool) {
			if !done[0] {
				_, _, done[0] = first.Poll(cx, a.ReceiveCase(&v))
			}
			if !done[1] {
				_, _, done[1] = second.Poll(cx, b.ReceiveCase(&w))
			}
			done[2] = done[2] || nap.Over(cx, time.Millisecond)
			return v + w, nil, done == [3]bool{true, true, true}
		}))
		require.NoError(t, b.SendContext(t.Context(), 20))
		require.NoError(t, a.SendContext(t.Context(), 1))
		got, err := get(t, h)
		require.NoError(t, err)
		require.Equal(t, 21, got)
	})
}

// However a future ends, its Pendings are in no line any more, and nobody gives them anything.
// (runtime/R50)
func TestPendingIsWithdrawnWhenItsFutureEnds(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		for _, end := range []string{"ready", "panic", "Goexit", "cancel", "drop", "Close"} {
			rt := start(t, workers)
			c := runtime.NewChannel[int](0)
			s := runtime.NewSemaphore(1)
			require.True(t, s.TryAcquire(1))
			var never runtime.Notify
			target := runtime.Submit(rt,
				func(cx runtime.Cx) (int, error) { return 0, never.Wait(cx) })
			var several [3]runtime.Pending
			ends := make(chan struct{})
			body := pollFunc(func(cx runtime.Cx) (int, error, bool) {
				for i := range several {
					k, err, ready := several[i].Poll(cx, c.ReceiveCase(nil), s.AcquireCase(1),
						target.EndCase(), runtime.AfterCase(time.Hour))
					// Close also ends the target. A Pending may learn of it, and then the future is
					// polled once more: those that have taken nothing tell it that it must end.
					closed := end == "Close" && (k == 2 || errors.Is(err, runtime.ErrClosed))
					require.False(t, ready && !closed, "%d, %v", k, err)
				}
				select {
				case <-ends:
				default:
					return 0, nil, false
				}
				switch end {
				case "panic":
					panic(errBoom)
				case "Goexit":
					goruntime.Goexit()
				}
				return 7, nil, true
			})
			var h *runtime.Handle[int]
			if end == "drop" {
				h = runtime.SubmitFuture(rt, droppedFunc{body})
			} else {
				h = runtime.SubmitFuture(rt, body)
			}
			waits(t, func() bool {
				return runtime.Waiting(c)+runtime.Waiting(s)+runtime.Timers(rt)+
					target.Joiners() == 4*len(several)
			}, "it does not wait")
			switch end {
			case "cancel", "drop":
				h.Cancel()
			case "Close":
				closes(t, rt)
			default:
				close(ends)
				runtime.WakerOf(h).Wake()
			}
			v, err := get(t, h)
			require.Equal(t, end == "ready", err == nil && v == 7, "%v, %v", v, err)
			require.Zero(t, runtime.Waiting(c)+runtime.Waiting(s)+runtime.Timers(rt)+
				target.Joiners(), end)
			require.ErrorIs(t, c.TrySend(1), runtime.ErrWouldWait)
			s.Release(1)
			require.True(t, s.TryAcquire(1))
			require.Zero(t, rt.ListedFutures())
			target.Cancel()
		}
	})
}

// A droppedFunc is a function that is a future with a Drop.
type droppedFunc struct{ pollFunc }

func (droppedFunc) Drop() {}

// A future that was given something and must end before it has learned so is polled once more, and
// may return it. If it goes on waiting, it ends. (runtime/R50)
func TestFutureThatMustEndLearnsWhatItWasGiven(t *testing.T) {
	for _, goesOn := range []bool{false, true} {
		for _, dropper := range []bool{false, true} {
			rt := start(t, 1)
			c := runtime.NewChannel[int](0)
			var p, other runtime.Pending
			var nap runtime.Nap
			var v int
			var errs []error
			body := pollFunc(func(cx runtime.Cx) (int, error, bool) {
				_, err, ready := p.Poll(cx, c.ReceiveCase(&v))
				errs = append(errs, err)
				if i, err, ready := other.Poll(cx, c.ReceiveCase(nil)); ready {
					require.ErrorIs(t, err, runtime.ErrCancelled)
					require.Equal(t, -1, i)
				}
				if ready && goesOn {
					require.False(t, nap.Over(cx, time.Hour))
					_, err, ready := p.Poll(cx, runtime.AfterCase(0))
					require.True(t, ready)
					require.ErrorIs(t, err, runtime.ErrCancelled)
				}
				return v, err, ready && !goesOn
			})
			var h *runtime.Handle[int]
			if dropper {
				h = runtime.SubmitFuture(rt, droppedFunc{body})
			} else {
				h = runtime.SubmitFuture(rt, body)
			}
			waits(t, func() bool { return runtime.Waiting(c) == 2 }, "it does not wait")
			run(t, rt, func(runtime.Cx) error { // the only worker is busy meanwhile
				require.NoError(t, c.TrySend(5))
				h.Cancel()
				return nil
			})
			got, err := get(t, h)
			require.Equal(t, 5, v)
			require.Equal(t, []error{nil, nil}, errs)
			if goesOn {
				require.ErrorIs(t, err, runtime.ErrCancelled)
			} else {
				require.NoError(t, err)
				require.Equal(t, 5, got)
			}
			require.Zero(t, runtime.Waiting(c)+runtime.Timers(rt)+rt.ListedFutures())
		}
	}
}

func TestMisuseOfWaitsOfFuturesPanics(t *testing.T) {
	rt := start(t, 1)
	c := runtime.NewChannel[int](0)
	const noFuture = ": the task is not a future; it can wait by Sleep and Select"
	run(t, rt, func(cx runtime.Cx) error {
		require.Equal(t, "surewake: Nap.Over"+noFuture,
			panics(func() { new(runtime.Nap).Over(cx, 1) }))
		require.Equal(t, "surewake: Pending.Poll"+noFuture,
			panics(func() { _, _, _ = new(runtime.Pending).Poll(cx) }))
		return nil
	})
	var p runtime.Pending
	first := runtime.SubmitFuture(rt, pollFunc(func(cx runtime.Cx) (int, error, bool) {
		_, _, ready := p.Poll(cx, c.ReceiveCase(nil))
		if !ready {
			require.Equal(t, "surewake: Pending.Poll: 2 cases, where it waits for 1",
				panics(func() { _, _, _ = p.Poll(cx, c.ReceiveCase(nil), nil) }))
		}
		return 1, nil, ready
	}))
	waits(t, func() bool { return runtime.Waiting(c) == 1 }, "it does not wait")
	_, err := get(t, runtime.SubmitFuture(rt, pollFunc(func(cx runtime.Cx) (int, error, bool) {
		_, _, _ = p.Poll(cx, c.ReceiveCase(nil))
		return 0, nil, true
	})))
	require.ErrorContains(t, err, "surewake: Pending.Poll: it waits for another task")
	require.NoError(t, c.TrySend(1))
	v, err := get(t, first)
	require.NoError(t, err)
	require.Equal(t, 1, v)
}

// A sleepyhead is a future that waits for a time, as a value.
type sleepyhead struct {
	nap  runtime.Nap
	wait time.Duration
}

func (s *sleepyhead) Poll(cx runtime.Cx) (int, error, bool) {
	return int(s.wait), nil, s.nap.Over(cx, s.wait)
}

func TestFutureThatIsPartOfItsTask(t *testing.T) {
	each(t, func(t *testing.T, workers int) {
		rt := start(t, workers)
		v, err := get(t, runtime.SubmitFutureValue[int](rt, sleepyhead{wait: time.Millisecond}))
		require.NoError(t, err)
		require.EqualValues(t, time.Millisecond, v)
		run(t, rt, func(cx runtime.Cx) error {
			h := runtime.SpawnFutureValue[int](cx, sleepyhead{wait: time.Microsecond})
			v, err := h.Join(cx)
			require.EqualValues(t, time.Microsecond, v)
			return err
		})
		h := runtime.SubmitFutureValue[int](rt, sleepyhead{wait: time.Hour})
		waits(t, func() bool { return rt.ListedFutures() == 1 }, "it is not listed")
		h.Cancel()
		_, err = get(t, h)
		require.ErrorIs(t, err, runtime.ErrCancelled)
		require.Zero(t, runtime.Timers(rt))
		closes(t, rt)
		_, err = get(t, runtime.SubmitFutureValue[int](rt, sleepyhead{wait: time.Hour}))
		require.ErrorIs(t, err, runtime.ErrClosed)
	})
}

// All that is allocated for a future that waits for a time is 128 bytes, its timer included; for
// each of a million.
func TestNappingFutureTakes128Bytes(t *testing.T) {
	if goruntime.GOARCH != "amd64" && goruntime.GOARCH != "arm64" {
		t.Skip("sizes are those of 64-bit machines")
	}
	n := 1_000_000
	if testing.Short() {
		n = 100_000
	}
	rt := start(t, 1)
	fill := func(n int) {
		const atOnce = 50 // queues do not grow
		for range n / atOnce {
			run(t, rt, func(cx runtime.Cx) error {
				for range atOnce {
					runtime.SpawnFutureValue[int](cx, sleepyhead{wait: time.Hour}).Detach()
				}
				return nil
			})
		}
		waits(t, func() bool { return rt.Sleeping() == 1 }, "the worker does not sleep")
	}
	fill(100)
	before := allocated()
	fill(n)
	require.Equal(t, n+100, runtime.Timers(rt))
	each := float64(allocated()-before) / float64(n)
	t.Logf("%.1f bytes", each)
	require.LessOrEqual(t, each, 128.0)
}
