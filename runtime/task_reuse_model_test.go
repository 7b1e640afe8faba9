package runtime

import (
	"sync/atomic"
	"testing"

	"github.com/surewake/surewake/model"
	"github.com/surewake/surewake/taskstate"
)

// A task is started again as soon as its owner has seen its end, while its last runner is still
// with the joiners: the joiner of the next life is woken by the end of that one, and not before.
func TestNextLifeKeepsItsJoiners(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		target := runningTask()
		var first, second sleeperCount
		x.Go("runner", func() { target.complete(nil) })
		target.addJoiner(&joiner{waker: &first})
		if target.ended() && target.state.Renew(references) {
			target.state.ToRunning()
			x.Assert(target.addJoiner(&joiner{waker: &second}), "the next life has ended")
			x.Go("another", func() {
				x.Assert(second.Load() == 0, "the end of the first life wakes a joiner of the next")
				target.complete(nil)
				x.Assert(second.Load() == 1, "the joiner was woken %d times", second.Load())
			})
		}
		x.Join()
	})
}

// A joiner runs a task whose entry is still queued, and starts it again when it has ended, while a
// worker takes that entry: each life has one runner, and the references are right after both.
func TestNextLifeHasNoEntryOfTheLast(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		target := &task{rt: &Runtime{}}
		target.rt.live.Store(3)
		target.state = taskstate.New(references)
		var runs, renewed atomic.Int32
		take := func() {
			if target.state.ToRunning() == taskstate.RunStale {
				target.dropStale()
				return
			}
			runs.Add(1)
			target.complete(nil)
		}
		x.Go("worker", take)
		if target.state.Claim() != taskstate.RunStale {
			runs.Add(1)
			target.complete(nil)
		}
		if target.ended() && target.state.Renew(references) {
			renewed.Add(1)
			take()
		}
		x.Join()
		x.Assert(runs.Load() == 1+renewed.Load(), "%d runs of %d lives", runs.Load(),
			1+renewed.Load())
		left := target.state.Load().References()
		x.Assert(left >= references-1, "%d references are left", left)
		x.Assert(renewed.Load() == 0 || left == references-1, "%d references are left", left)
	})
}

// Somebody still wakes the first life when the second one runs, waits or has ended: both end, each
// with its own result.
func TestLateWakeOfTheLastLife(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := stillWorld(x, 1)
		var flag atomic.Bool
		h := Submit(w.Runtime, func(cx Cx) (int, error) {
			defer w.last(cx)
			var again Task[int]
			again.Spawn(cx, func(cx Cx) (int, error) {
				first := cx.task
				go func() {
					first.wake(nil) // without a cause
					flag.Store(true)
					first.wake(nil)
				}()
				return 1, nil
			})
			first := again.last
			one, err := again.Join(cx)
			x.Assert(one == 1 && err == nil, "the first life: %d, %v", one, err)
			again.Spawn(cx, func(cx Cx) (int, error) { return 2, cx.until(&flag) })
			x.Assert(again.last == first, "the memory is not used again")
			return again.Join(cx)
		})
		w.start()
		two, err := w.await(h)
		x.Assert(two == 2 && err == nil, "the second life: %d, %v", two, err)
	}, model.Preemptions(3))
}

// The owner is cancelled while it is in a Join: the life that it waits for may be told, but not the
// next one, which it starts in a shield.
func TestNextLifeIsNotCancelledForTheLast(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := stillWorld(x, 1)
		var h *Handle[int]
		h = Submit(w.Runtime, func(cx Cx) (int, error) {
			defer w.last(cx)
			over := make(chan struct{})
			var again Task[int]
			again.Spawn(cx, func(cx Cx) (int, error) {
				go func() {
					h.Cancel()
					close(over)
				}()
				return 0, cx.Err()
			})
			_, _ = again.Join(cx)
			cx.enterShield()
			defer cx.leaveShield()
			again.Spawn(cx, func(cx Cx) (int, error) {
				<-over
				return 2, cx.Err()
			})
			return again.Join(cx)
		})
		w.start()
		two, err := w.await(h)
		x.Assert(two == 2 && err == nil, "the second life: %d, %v", two, err)
	})
}
