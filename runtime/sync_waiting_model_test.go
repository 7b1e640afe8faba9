package runtime

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
)

// The same sources as in sync_waiter_model_test.go, with real tasks, which wait on their stacks,
// are woken through the queues of a runtime and learn of their end.

// A signal from outside comes before the task waits, while it comes to wait, or when it sleeps, and
// its worker too.
func TestSignalFromOutsideEndsTheWaitOfATask(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := stillWorld(x, 1)
		var n Notify
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			defer w.last(cx)
			return 1, n.Wait(cx)
		})
		w.start()
		n.Signal()
		v, err := w.await(h)
		x.Assert(v == 1 && err == nil, "the result is %v, %v", v, err)
		x.Assert(!n.signalled && n.line.first == nil, "something is left")
	})
}

// The task gets the signal, or ends without it; then it is still there.
func TestSignalOrCancellation(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := stillWorld(x, 1)
		var n Notify
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			defer w.last(cx)
			return 0, n.Wait(cx)
		})
		w.start()
		x.Go("cancels", h.Cancel)
		n.Signal()
		x.Join()
		<-h.Done()
		if w.mode.Load() == open { // it was cancelled before it began
			w.shutdown()
		} else {
			<-w.Runtime.Done()
			w.over()
		}
		_, err, over := h.TryJoin()
		x.Assert(over && (err == nil || errors.Is(err, ErrCancelled)), "the result is %v", err)
		x.Assert(n.signalled == (err != nil), "the result is %v, and whether the signal is left %v",
			err, n.signalled)
		x.Assert(n.line.first == nil, "somebody waits")
	})
}

// A task waits for a condition, which others make true in two steps, and tell of: it is told, or
// looks after that, or it is cancelled.
func TestATaskThatLooksIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		tell    func(n *Notify)
		cancels bool
	}{
		"signal":       {(*Notify).Signal, false},
		"broadcast":    {(*Notify).Broadcast, false},
		"cancellation": {func(*Notify) {}, true},
	} {
		t.Run(name, func(t *testing.T) {
			checkTwo(t, func(x *model.Exec) {
				w := stillWorld(x, 1)
				var n Notify
				var steps atomic.Int32
				begun := make(chan struct{})
				h := Submit(w.Runtime, func(cx Cx) (int, error) {
					defer w.last(cx)
					close(begun)
					err := n.WaitFor(cx, func() bool { return steps.Load() == 2 })
					return int(steps.Load()), err
				})
				x.Go("tells", func() {
					<-begun
					for range 2 {
						steps.Add(1)
						c.tell(&n)
					}
					if c.cancels {
						h.Cancel()
					}
				})
				w.start()
				v, err := w.await(h)
				x.Join()
				x.Assert(err == nil && v == 2 || err == ErrCancelled && c.cancels, "%d, %v", v, err)
				x.Assert(n.line.first == nil, "somebody waits")
			})
		})
	}
}

// Closing the runtime ends the wait, and leaves the permit, or comes after it.
func TestPermitOrClose(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := stillWorld(x, 1)
		s := NewSemaphore(1)
		x.Assert(s.TryAcquire(1), "the permit is not free")
		h := Submit(w.Runtime, func(cx Cx) (int, error) { return 0, s.Acquire(cx, 1) })
		w.start()
		x.Go("releases", func() { s.Release(1) })
		x.Assert(w.Close() == nil, "Close fails")
		x.Join()
		w.over()
		_, err, over := h.TryJoin()
		x.Assert(over && (err == nil || errors.Is(err, ErrClosed)), "the result is %v", err)
		x.Assert((s.Free() == 1) == (err != nil), "the result is %v, and %d permits are free", err,
			s.Free())
		x.Assert(s.line.first == nil, "somebody waits")
	})
}

// Two tasks of one worker and a channel that holds one value: the sender waits for the receiver,
// and the other way round.
func TestChannelBetweenTwoTasks(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := stillWorld(x, 1)
		c := NewChannel[int](1)
		receiver := Submit(w.Runtime, func(cx Cx) (sum int, err error) {
			defer w.last(cx)
			for {
				v, err := c.Receive(cx)
				if errors.Is(err, ErrChannelClosed) {
					return sum, nil
				} else if err != nil {
					return sum, err
				}
				sum = 10*sum + v
			}
		})
		Submit(w.Runtime, func(cx Cx) (int, error) {
			defer c.Close()
			for v := 1; v <= 3; v++ {
				if err := c.Send(cx, v); err != nil {
					return v, err
				}
			}
			return 0, nil
		}).Detach()
		w.start()
		v, err := w.await(receiver)
		x.Assert(v == 123 && err == nil, "the result is %v, %v", v, err)
	})
}

// A value comes from outside while a task begins to receive, and its worker to sleep.
func TestValueFromOutsideReachesATask(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := stillWorld(x, 1)
		var o Oneshot[*int]
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			defer w.last(cx)
			v, err := o.Receive(cx)
			if err != nil {
				return 0, err
			}
			return *v, nil
		})
		w.start()
		value := 7
		x.Assert(o.Send(&value) == nil, "the value is refused")
		v, err := w.await(h)
		x.Assert(v == 7 && err == nil, "the result is %v, %v", v, err)
	})
}
