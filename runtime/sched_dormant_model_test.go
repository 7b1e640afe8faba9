package runtime

import (
	"sync"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// Of many workers all but the first are dormant when the runtime starts. Here one of two is, and
// whoever claims it starts it: whatever the first worker does meanwhile, no task waits for a worker
// that nobody has started, and the end reaches it. (runtime/R53)

// checkDormant is checkMeeting with one preemption.
func checkDormant(t *testing.T, body func(*model.Exec)) {
	t.Run("one preemption", func(t *testing.T) { model.Check(t, body, model.Preemptions(1)) })
}

// firstAwake lets one worker begin to run.
func firstAwake(c *config) error {
	c.awake = 1
	return nil
}

// A task from outside meets the first worker, which looks for work, falls asleep, or sleeps. The
// other one runs what it spawns, or what it leaves.
func TestADormantWorkerIsStarted(t *testing.T) {
	checkDormant(t, func(x *model.Exec) {
		w := stillWorld(x, 2, firstAwake)
		w.start()
		var counts [2]count
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			Spawn(cx, counts[0].run).Detach()
			Spawn(cx, counts[1].run).Detach()
			return 1, nil
		})
		wait(x, h, 1)
		w.shutdown()
		w.once(&counts[0], &counts[1])
	})
}

// A task holds the first worker until another has run that is in its slot: the dormant worker has
// become the driver, which looks after the slots.
func TestADormantWorkerBecomesTheDriver(t *testing.T) {
	checkDormant(t, func(x *model.Exec) {
		w := stillWorld(x, 2, firstAwake, RescueInterval(time.Millisecond))
		w.start()
		var ran sync.WaitGroup
		ran.Add(1)
		wait(x, Submit(w.Runtime, func(cx Cx) (int, error) {
			Spawn(cx, func(Cx) (int, error) { ran.Done(); return 0, nil }).Detach()
			ran.Wait()
			return 1, nil
		}), 1)
		w.shutdown()
	})
}

// A goroutine outside sets a timer while the first worker comes to be the driver, and the other one
// is dormant.
func TestATimerMeetsADormantWorker(t *testing.T) {
	checkDormant(t, func(x *model.Exec) {
		w := stillWorld(x, 2, firstAwake)
		w.start()
		a := alarm{w.Runtime, w.now() + 1000}
		h := SubmitFuture(w.Runtime, a)
		w.setTimer(&timer{task: &h.task}, a.when)
		wait(x, h, 1)
		w.shutdown()
	})
}

// Close finds a worker that is dormant, or has just been started.
func TestCloseMeetsADormantWorker(t *testing.T) {
	checkMeeting(t, func(x *model.Exec) {
		w := stillWorld(x, 2, firstAwake)
		w.start()
		h := Submit(w.Runtime, func(cx Cx) (int, error) { cx.Yield(); return 1, nil })
		w.closed(h)
	})
}
