package runtime

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// An ender wakes itself in each of its polls but the last.
type ender struct{ polls int }

// Poll implements Future.
func (e *ender) Poll(cx Cx) (int, error, bool) {
	if e.polls--; e.polls > 0 {
		cx.Waker().WakeFrom(cx)
	}
	return 1, nil, e.polls <= 0
}

// A join polls a future again that has woken itself, while a rescuer takes that from the slot, or
// somebody cancels it: it is polled by one of them at a time, and the join is told its end.
func TestAJoinPollsAFutureThatOthersTake(t *testing.T) {
	polls := func(x *model.Exec, cancels bool, options ...Option) {
		w := stillWorld(x, 2, options...)
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			defer w.last(cx)
			f := SpawnFuture[int](cx, &ender{polls: 3})
			if cancels {
				x.Go("canceller", f.Cancel)
			}
			v, err := f.Join(cx)
			again, errAgain, ended := f.TryJoin()
			x.Assert(ended && again == v && errAgain == err,
				"the future has ended: %v, with %v, %v, and with %v, %v for its parent",
				ended, again, errAgain, v, err)
			x.Assert(err == nil && v == 1 || cancels && errors.Is(err, ErrCancelled),
				"the future has ended with %v, %v", v, err)
			return 1, nil
		})
		w.start()
		v, err := w.await(h)
		x.Assert(v == 1 && err == nil, "the task has ended with %v, %v", v, err)
	}
	t.Run("rescuer", func(t *testing.T) {
		checkWithin(t, 2, func(x *model.Exec) {
			polls(x, false, RescueInterval(time.Millisecond))
		})
	})
	t.Run("canceller", func(t *testing.T) {
		checkWithin(t, 2, func(x *model.Exec) { polls(x, true) })
	})
}

// What the end of a task wakes, its worker takes next, though others look for work, cancel it or
// close the runtime: all tasks that wait for it go on.
func TestWhatAnEndWakesIsNotLost(t *testing.T) {
	body := func(x *model.Exec, workers int, closes bool) {
		w := stillWorld(x, workers)
		var first *Handle[int]
		joins := func(cx Cx) (int, error) { return first.Join(cx) }
		first = Submit(w.Runtime, func(cx Cx) (int, error) { cx.Yield(); return 1, nil })
		handles := []*Handle[int]{first}
		for range workers { // the second one moves the first to the ring
			handles = append(handles, Submit(w.Runtime, joins))
		}
		w.start()
		if closes {
			w.closed(handles...)
			return
		}
		for _, h := range handles {
			wait(x, h, 1)
		}
		w.shutdown()
	}
	for name, closes := range map[string]bool{"alone": false, "close": true} {
		t.Run(name+"/one worker/two preemptions", func(t *testing.T) {
			model.Check(t, func(x *model.Exec) { body(x, 1, closes) }, model.Preemptions(2),
				model.Executions(mostExecutions))
		})
		t.Run(name+"/two workers/one preemption", func(t *testing.T) {
			model.Check(t, func(x *model.Exec) { body(x, 2, closes) }, model.Preemptions(1),
				model.Executions(mostExecutions))
		})
	}
}

// A task whose worker's ring has overflowed yields, goes on at another worker, and joins its child
// there, which waits then. The first worker moves the child's stale entry out of its slot.
// (runtime/R67)
func TestATaskLeavesTheSlotThatAJoinRuns(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := stillWorld(x, 2, InjectorInterval(time.Hour, 1, 1), InjectorBatch(1, LocalRing))
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			defer w.last(cx)
			Spawn(cx, func(cx Cx) (int, error) {
				Spawn(cx, func(Cx) (int, error) { return 0, nil }).Detach()
				return 0, nil
			}).Detach()
			for range 2 {
				Spawn(cx, func(Cx) (int, error) { return 0, nil }).Detach()
			}
			child := Spawn(cx, func(cx Cx) (int, error) { cx.Yield(); return 1, nil })
			cx.Yield()
			return child.Join(cx)
		})
		w.start()
		v, err := w.await(h)
		x.Assert(err == nil && v == 1, "the task has ended with %v, %v", v, err)
	})
}

// A goroutine wakes a task, which its parent's join takes before the goroutine has queued it. Both
// tasks end, and so does the runtime: what is queued then does not stay. (runtime/R68)
func TestAWakeThatComesAfterTheEndLeavesNothing(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := stillWorld(x, 1)
		begun := make(chan struct{})
		var goOn Notify
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			defer w.last(cx)
			child := Spawn(cx, func(cx Cx) (int, error) { return 1, goOn.Wait(cx) })
			cx.Yield()
			close(begun)
			return child.Join(cx)
		})
		x.Go("waker", func() {
			<-begun
			goOn.Signal()
		})
		w.start()
		v, err := h.Wait(context.Background())
		x.Assert(err == nil && v == 1, "the task has ended with %v, %v", v, err)
		<-w.Done()
		x.Join()
		w.over()
	})
}

// The same with a goroutine that cancels the child. (runtime/R68, R77)
func TestACancelThatComesAfterTheEndLeavesNothing(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := stillWorld(x, 1)
		begun := make(chan *Handle[int], 1)
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			defer w.last(cx)
			child := Spawn(cx, func(cx Cx) (int, error) { return 1, new(Notify).Wait(cx) })
			cx.Yield()
			begun <- child
			return child.Join(cx)
		})
		x.Go("canceller", func() { (<-begun).Cancel() })
		w.start()
		_, err := h.Wait(context.Background())
		x.Assert(err == ErrCancelled, "the task has ended with %v", err)
		<-w.Done()
		x.Join()
		w.over()
	})
}

// Goroutines cancel tasks that are queued in a backlog, while workers take them. Each ends once,
// and so does the runtime. (runtime/R77)
func TestCancelsInABacklog(t *testing.T) {
	for _, workers := range []int{1, 2} {
		t.Run(fmt.Sprintf("workers %d", workers), func(t *testing.T) {
			checkWithin(t, 2, func(x *model.Exec) {
				w := stillWorld(x, workers, Ring(2))
				var counts [4]count
				var all [4]*Handle[int]
				for i := range all { // more than a ring holds
					all[i] = Submit(w.Runtime, counts[i].run)
				}
				x.Go("canceller", func() {
					all[3].Cancel()
					all[2].Cancel()
					w.ok(w.Shutdown(context.Background()))
				})
				w.start()
				<-w.Done()
				x.Join()
				w.over()
				for i, h := range all {
					_, err, over := h.TryJoin()
					x.Assert(over, "task %d has not ended", i)
					cancelled := err == ErrCancelled && counts[i].Load() == 0 && i >= 2
					x.Assert(cancelled || err == nil && counts[i].Load() == 1,
						"task %d ran %d times, and ended with %v", i, counts[i].Load(), err)
				}
			})
		})
	}
}
