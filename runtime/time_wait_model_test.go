package runtime

import (
	"context"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// Tasks that wait for a time. What else happens does so when the task has begun: other checks have
// what comes before.

// checkEarly checks a body that sets timers, of which one may come while others can go on, with one
// preemption.
func checkEarly(t *testing.T, body func(x *model.Exec)) {
	t.Run("one preemption", func(t *testing.T) {
		model.Check(t, body, model.Timeouts(1), model.Preemptions(1),
			model.Executions(mostExecutions))
	})
}

// onTime reports whether what came at a time came when it was due: on real goroutines, which have
// the monotonic clock that a check's has not, it may come later.
func onTime(came, due int64) bool {
	return came == due || came > due && !inBubble(time.Now())
}

// checkSleeps checks a task that calls fn, which waits for time, while nothing happens, or it is
// woken, or cancelled: it ends with an error only if it is cancelled, and leaves no timer.
func checkSleeps(t *testing.T, fn func(x *model.Exec, cx Cx) (int, error)) {
	for name, happens := range map[string]func(h *Handle[int]){
		"nothing":      nil,
		"wake":         func(h *Handle[int]) { h.wake(nil) },
		"cancellation": (*Handle[int]).Cancel,
	} {
		t.Run(name, func(t *testing.T) {
			body := func(x *model.Exec) {
				w := stillWorld(x, 1)
				begun := make(chan struct{})
				h := Submit(w.Runtime, func(cx Cx) (int, error) {
					defer w.last(cx)
					close(begun)
					return fn(x, cx)
				})
				if happens != nil {
					x.Go(name, func() {
						<-begun
						happens(h)
					})
				}
				w.start()
				_, err := w.await(h)
				x.Join()
				x.Assert(err == nil || err == ErrCancelled && name == "cancellation", "%v", err)
				x.Assert(len(w.timers.heap) == 0, "a timer is left")
			}
			if happens == nil {
				model.Check(t, body, model.Timeouts(1))
				return
			}
			t.Run("in time", func(t *testing.T) { model.Check(t, body, model.Timeouts(0)) })
			t.Run("early", func(t *testing.T) { checkEarly(t, body) })
		})
	}
}

// A task waits for two ticks: no tick comes before its time, and a wait that is given up leaves its
// tick.
func TestATickComesInTimeOrIsLeft(t *testing.T) {
	const period = int64(time.Millisecond)
	checkSleeps(t, func(x *model.Exec, cx Cx) (int, error) {
		ticker := cx.NewTicker(time.Duration(period), Burst)
		for n := range 2 {
			due := ticker.next
			if err := ticker.Next(cx); err != nil {
				x.Assert(ticker.next == due, "the tick is gone")
				return n, err
			}
			now := cx.task.rt.now()
			x.Assert(onTime(now, due), "tick %d came at %v instead of %v", n, time.Duration(now),
				time.Duration(due))
			x.Assert(onTime(ticker.next, due+period), "the next one comes at %v",
				time.Duration(ticker.next))
		}
		return 2, nil
	})
}

// A task sleeps until a time by either clock: it sleeps until then, or says that it has not.
func TestASleepLastsUntilItsTime(t *testing.T) {
	for clock, read := range map[string]func(time.Time) time.Time{
		"monotonic": func(t time.Time) time.Time { return t },
		"wall":      func(t time.Time) time.Time { return t.Round(0) },
	} {
		t.Run(clock, func(t *testing.T) {
			checkSleeps(t, func(x *model.Exec, cx Cx) (int, error) {
				until := read(time.Now().Add(time.Millisecond))
				err := cx.SleepUntil(until)
				early := time.Until(until)
				x.Assert((err == nil) == (early <= 0) || err == ErrCancelled,
					"%v, %v too early", err, early)
				return 1, err
			})
		})
	}
}

// The function that Deadline calls waits for a signal, which comes or not, or its task is
// cancelled: the signal is taken or left, the call says which of these it was, and returns after
// the function.
func TestADeadlineOrASignal(t *testing.T) {
	for _, name := range []string{"nothing", "signal", "cancellation"} {
		signals, cancels := name == "signal", name == "cancellation"
		t.Run(name, func(t *testing.T) {
			checkEarly(t, func(x *model.Exec) {
				w := stillWorld(x, 1)
				var n Notify
				begun := make(chan struct{})
				h := Submit(w.Runtime, func(cx Cx) (int, error) {
					until := time.Now().Add(time.Millisecond)
					close(begun)
					called, over := false, false
					v, err := Deadline(cx, until, func(cx Cx) (int, error) {
						called = true
						defer func() { over = true }()
						return 7, n.Wait(cx)
					})
					x.Assert(over == called, "the function has not ended")
					x.Assert(err != ErrTimeout || !time.Now().Before(until), "too early")
					return v, err
				})
				x.Go(name, func() {
					<-begun
					if cancels {
						h.Cancel()
					} else if signals {
						n.Signal()
					}
				})
				w.start()
				_, err := h.Wait(context.Background())
				x.Join()
				w.shutdown()
				x.Assert(err == ErrTimeout || err == nil && signals ||
					err == ErrCancelled && cancels, "%v", err)
				x.Assert(n.signalled == (signals && err != nil) && n.line.first == nil,
					"%v; the signal is left: %v", err, n.signalled)
				x.Assert(len(w.timers.heap) == 0, "a timer is left")
			})
		})
	}
}
