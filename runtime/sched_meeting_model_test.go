package runtime

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/runtime/internal/poll"
)

// Parts of the runtime that meet: an overflow and an open steal, three workers, slots that are
// looked after, timers and a kernel that workers wait in; and Close, which meets each of them.

// closed closes the runtime, and holds that each task has ended once: with its result, after it has
// run, or with ErrClosed.
func (w world) closed(handles ...*Handle[int]) {
	w.x.Assert(w.Close() == nil, "Close fails")
	w.over()
	for i, h := range handles {
		v, err, over := h.TryJoin()
		w.x.Assert(over && (err == nil && v == 1 || errors.Is(err, ErrClosed)),
			"task %d has ended: %v, with %v, %v", i, over, v, err)
	}
}

// checkMeeting is checkWithin with a fifth of the executions, unless the options say otherwise:
// those with one preemption are all.
func checkMeeting(t *testing.T, body func(*model.Exec), options ...model.Option) {
	options = append([]model.Option{model.Executions(mostExecutions / 5)}, options...)
	checkWithin(t, 2, body, options...)
}

// A ring of 2 overflows while a thief copies from it: a task that is alone in the batch is run,
// too.
func TestOverflowMeetsAnOpenSteal(t *testing.T) {
	checkMeeting(t, func(x *model.Exec) {
		w := newWorld(x, 2)
		var counts [5]count
		var all count
		Submit(w.Runtime, func(cx Cx) (int, error) {
			for i := range counts {
				Spawn(cx, func(cx Cx) (int, error) {
					if int(all.Add(1)) == len(counts) {
						w.last(cx)
					}
					return counts[i].run(cx)
				}).Detach()
			}
			return 1, nil
		}).Detach()
		<-w.Done()
		w.over()
		for i := range counts {
			w.once(&counts[i])
		}
	}, wholly)
}

// Two of three workers hold tasks that wait for one that only the third can run.
func TestTheThirdWorkerIsWoken(t *testing.T) {
	body := func(x *model.Exec) {
		w := newWorld(x, 3)
		var first, second sync.WaitGroup
		first.Add(1)
		second.Add(1)
		wait(x, Submit(w.Runtime, func(cx Cx) (int, error) {
			Spawn(cx, func(Cx) (int, error) { second.Wait(); first.Done(); return 0, nil }).Detach()
			Spawn(cx, func(Cx) (int, error) { second.Done(); return 0, nil }).Detach()
			Spawn(cx, func(Cx) (int, error) { return 0, nil }).Detach()
			first.Wait()
			return 1, nil
		}), 1)
		w.shutdown()
	}
	t.Run("no preemption", func(t *testing.T) {
		model.Check(t, body, model.Preemptions(0), model.Executions(mostExecutions))
	})
	t.Run("one preemption", func(t *testing.T) {
		model.Check(t, body, model.Preemptions(1), model.Executions(mostExecutions/5))
	})
}

// A task needs the one in the slot of its worker, which the driver has to look after.
func TestTheDriverRescuesFromASlot(t *testing.T) {
	checkMeeting(t, func(x *model.Exec) {
		w := stillWorld(x, 2, RescueInterval(time.Millisecond))
		var ran sync.WaitGroup
		ran.Add(1)
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			Spawn(cx, func(Cx) (int, error) { ran.Done(); return 0, nil }).Detach()
			ran.Wait()
			return 1, nil
		})
		w.start()
		wait(x, h, 1)
		w.shutdown()
	}, wholly)
}

// A clock is a kernel that knows one descriptor, and time. What comes while a wait with a timeout
// lasts, it tells in the end.
type clock struct{ *device }

func (c clock) Wait(events []poll.Event, timeout time.Duration) (n int, interrupted bool) {
	if timeout > 0 {
		time.Sleep(timeout)
		timeout = 0
	}
	return c.device.Wait(events, timeout)
}

// A goroutine outside sets a timer while the only worker comes to wait in the kernel, for a
// descriptor too.
func TestTimerMeetsADriverInTheKernel(t *testing.T) {
	checkMeeting(t, func(x *model.Exec) {
		d := &device{}
		w := d.world(x, 1)
		w.config.kernel = func() (poll.Descriptors, error) { return clock{d}, nil }
		w.watch(d)
		a := alarm{w.Runtime, w.now() + 1000}
		h := SubmitFuture(w.Runtime, a)
		w.start()
		w.setTimer(&timer{task: &h.task}, a.when)
		wait(x, h, 1)
		w.shutdown()
	})
}

func TestCloseMeetsATimer(t *testing.T) {
	checkMeeting(t, func(x *model.Exec) {
		w := stillWorld(x, 2)
		h := Submit(w.Runtime, func(cx Cx) (int, error) { return 1, cx.Sleep(time.Millisecond) })
		w.start()
		w.closed(h)
	}, wholly)
}

func TestCloseMeetsAPrivateBuffer(t *testing.T) {
	checkMeeting(t, func(x *model.Exec) {
		w := stillWorld(x, 2, InjectorBatch(2, PrivateBuffer), IdleBatch(2))
		one := func(Cx) (int, error) { return 1, nil }
		a, b := Submit(w.Runtime, one), Submit(w.Runtime, one)
		c := Submit(w.Runtime, one)
		w.start()
		w.closed(a, b, c)
	}, wholly)
}

func TestCloseMeetsAnOverflow(t *testing.T) {
	checkMeeting(t, func(x *model.Exec) {
		w := stillWorld(x, 2)
		var handles []*Handle[int]
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			for range 4 {
				handles = append(handles, Spawn(cx, func(Cx) (int, error) { return 1, nil }))
			}
			return 1, nil
		})
		w.start()
		w.closed(h)
		for _, h := range handles {
			v, err, over := h.TryJoin()
			x.Assert(over && (err == nil && v == 1 || errors.Is(err, ErrClosed)),
				"a task has ended: %v, with %v, %v", over, v, err)
		}
	})
}

func TestCloseMeetsARescue(t *testing.T) {
	checkMeeting(t, func(x *model.Exec) {
		w := stillWorld(x, 2, RescueInterval(time.Millisecond))
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			Spawn(cx, func(Cx) (int, error) { return 0, nil }).Detach()
			for cx.Err() == nil {
				time.Sleep(time.Millisecond)
			}
			return 1, nil
		})
		w.start()
		w.closed(h)
	}, wholly)
}

func TestCloseMeetsATimerInTheKernel(t *testing.T) {
	checkMeeting(t, func(x *model.Exec) {
		d := &device{}
		w := d.world(x, 1)
		w.watch(d)
		h := Submit(w.Runtime, func(cx Cx) (int, error) { return 1, cx.Sleep(time.Millisecond) })
		w.start()
		w.closed(h)
	})
}

func TestCloseMeetsThreeWorkers(t *testing.T) {
	t.Run("one preemption", func(t *testing.T) {
		model.Check(t, func(x *model.Exec) {
			w := stillWorld(x, 3)
			one := func(Cx) (int, error) { return 1, nil }
			a, b := Submit(w.Runtime, one), Submit(w.Runtime, one)
			w.start()
			w.closed(a, b)
		}, model.Preemptions(1))
	})
}
