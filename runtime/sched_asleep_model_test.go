package runtime

import (
	"sync"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// What meets a worker that is about to sleep: something is queued, or a timer is set, at each step
// of the way there. Where the task that is running needs what was queued, nobody but the other
// worker can take it.

// A task yields behind another, which a thief takes meanwhile; what runs next needs it.
func TestYieldBehindATaskThatIsStolen(t *testing.T) {
	checkMeeting(t, func(x *model.Exec) {
		w := newWorld(x, 2)
		var ran sync.WaitGroup
		ran.Add(1)
		wait(x, Submit(w.Runtime, func(cx Cx) (int, error) {
			Spawn(cx, func(Cx) (int, error) { return 0, nil }).Detach()
			c := Spawn(cx, func(Cx) (int, error) { ran.Wait(); return 0, nil })
			cx.Yield()
			ran.Done()
			c.Join(cx)
			return 1, nil
		}), 1)
		w.shutdown()
	})
}

// The first of a batch needs the second, which is in the private buffer of its worker.
func TestRestOfABatchInABuffer(t *testing.T) {
	checkWithin(t, 2, func(x *model.Exec) {
		w := stillWorld(x, 2, InjectorBatch(2, PrivateBuffer), IdleBatch(2))
		var ran sync.WaitGroup
		ran.Add(1)
		first := Submit(w.Runtime, func(Cx) (int, error) { ran.Wait(); return 1, nil })
		second := Submit(w.Runtime, func(Cx) (int, error) { ran.Done(); return 2, nil })
		third := Submit(w.Runtime, func(Cx) (int, error) { return 3, nil })
		w.start()
		wait(x, first, 1)
		wait(x, second, 2)
		wait(x, third, 3)
		w.shutdown()
	}, wholly)
}

// A task that yields in a worker whose ring is full goes to the injector behind another, which
// needs it, and is the one that its worker takes next. Meanwhile a thief empties the ring, finds
// nothing more, and falls asleep.
func TestOverflowIsTakenByAnother(t *testing.T) {
	checkMeeting(t, func(x *model.Exec) {
		w := stillWorld(x, 2, InjectorBatch(1, LocalRing))
		var ran sync.WaitGroup
		ran.Add(1)
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			Spawn(cx, func(Cx) (int, error) { ran.Wait(); return 0, nil }).Detach()
			Spawn(cx, func(Cx) (int, error) { return 0, nil }).Detach()
			Spawn(cx, func(Cx) (int, error) { return 0, nil }).Join(cx) // the slot is empty
			cx.Yield()
			ran.Done()
			return 1, nil
		})
		w.start()
		wait(x, h, 1)
		w.shutdown()
	})
}

// An alarm is a future that is over at a time.
type alarm struct {
	rt   *Runtime
	when int64
}

func (a alarm) Poll(Cx) (int, error, bool) { return 1, nil, a.rt.now() >= a.when }

// A goroutine outside sets a timer while the only worker comes to be the driver.
func TestTimerFromOutsideMeetsADriver(t *testing.T) {
	checkMeeting(t, func(x *model.Exec) {
		w := newWorld(x, 1)
		a := alarm{w.Runtime, w.now() + 1000}
		h := SubmitFuture(w.Runtime, a)
		w.setTimer(&timer{task: &h.task}, a.when)
		wait(x, h, 1)
		w.shutdown()
	})
}

// A task sets a timer, and sleeps until then, while another worker comes to be the driver.
func TestTimerOfATaskMeetsADriver(t *testing.T) {
	checkMeeting(t, func(x *model.Exec) {
		w := newWorld(x, 2)
		wait(x, Submit(w.Runtime, func(cx Cx) (int, error) {
			return 1, cx.Sleep(time.Millisecond)
		}), 1)
		w.shutdown()
	})
}

// A task sets a timer for another one, and holds its worker until that has run.
func TestTimerOfALongTaskMeetsADriver(t *testing.T) {
	checkMeeting(t, func(x *model.Exec) {
		w := newWorld(x, 2)
		var rung sync.WaitGroup
		rung.Add(1)
		wait(x, Submit(w.Runtime, func(cx Cx) (int, error) {
			Spawn(cx, func(cx Cx) (int, error) {
				err := cx.Sleep(time.Millisecond)
				rung.Done()
				return 0, err
			}).Detach()
			cx.Yield()
			rung.Wait()
			return 1, nil
		}), 1)
		w.shutdown()
	})
}

// A shutdown meets the end of the last task.
func TestShutdownMeetsTheEndOfTheLastTask(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := stillWorld(x, 1)
		h := Submit(w.Runtime, func(Cx) (int, error) { return 1, nil })
		w.start()
		w.shutdown()
		v, err, over := h.TryJoin()
		x.Assert(over && v == 1 && err == nil, "the task has ended: %v, with %v, %v", over, v, err)
	})
}
