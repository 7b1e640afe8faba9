package runtime

import (
	"context"
	goruntime "runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/internal/wide"
	"github.com/surewake/surewake/model"
)

// isToldOfAWait checks that it is told that a task waits for what nobody does, in a runtime of some
// workers in which all must have slept for that long. outside begins what else there is.
func isToldOfAWait(x *model.Exec, workers int, need time.Duration, outside func(world)) {
	told := make(chan struct{}, 8)
	w := stillWorld(x, workers, Debug(), func(c *config) error {
		c.alarm = func(Alarm) { told <- struct{}{} }
		return nil
	})
	var over Notify
	h := Submit(w.Runtime, func(cx Cx) (int, error) {
		if err := over.Wait(cx); err != nil {
			return 0, err
		}
		w.last(cx)
		return 1, nil
	})
	w.asleep.begin(w.Runtime)
	w.asleep.need.Store(int64(need))
	outside(w)
	w.start()
	select {
	case <-told:
	case <-time.After(20 * time.Second): // also where this runs on real goroutines
		x.Assert(false, "nothing is told")
	}
	over.Signal()
	v, err := w.await(h)
	x.Assert(v == 1 && err == nil, "%d, %v", v, err)
}

// However workers fall asleep, and whenever the timer goes off that one of them has set, it is told
// that a task waits for what nobody does. (runtime/R61)
func TestDebugTellsHoweverWorkersFallAsleep(t *testing.T) {
	for name, c := range map[string]struct{ workers, most int }{
		"one/three preemptions": {1, 3},
		"two/one preemption":    {2, 1},
		"two/two preemptions":   {2, 2},
	} {
		if c.workers*c.most > 3 && !wide.Checks {
			continue
		}
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				isToldOfAWait(x, c.workers, time.Second, func(world) {})
			}, model.Preemptions(c.most), model.Executions(8000)) // of 37,558
		})
	}
}

// However the last that may end a wait from outside leaves while a worker falls asleep, and
// whenever the timer goes off, it is told that a task waits for what nobody does. (runtime/R61)
func TestDebugTellsHoweverTheLastOutsiderLeaves(t *testing.T) {
	t.Run("one preemption", func(t *testing.T) {
		model.Check(t, func(x *model.Exec) {
			isToldOfAWait(x, 1, 0, func(w world) { // the timer goes off at once
				w.outsiders.Add(1)
				x.Go("outside", func() { w.outsiderLeft() })
			})
		}, model.Preemptions(1))
	})
}

// A thread that has waited long enough for a blocking task, and ends, is none that runs one.
// (runtime/R61)
func TestAThreadThatEndsIsNotBusy(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		w := stillWorld(x, 1, BlockingThreads(1), BlockingKeepAlive(0))
		p := &w.blocking
		SubmitBlocking(w.Runtime, func() (int, error) { return 1, nil })
		for p.idle.Load() == 0 && p.threads.Load() == 1 {
			goruntime.Gosched()
		}
		x.Assert(p.quiet(), "a thread is busy")
	})
}

// However a look meets what wakes a task, and the sleep of its worker, it tells nothing of a task
// that was woken: not by a timer, a context, a Go channel, a blocking task. (runtime/R61)
func TestDebugTellsNothingHoweverTasksAreWoken(t *testing.T) {
	for name, c := range map[string]struct {
		most int // preemptions
		need time.Duration
		body func(w world)
	}{
		"timer/two preemptions": {2, time.Second, func(w world) {
			h := Submit(w.Runtime, func(cx Cx) (int, error) {
				err := cx.Sleep(time.Second)
				w.last(cx)
				return 1, err
			})
			w.start()
			_, _ = w.await(h)
		}},
		"context/one preemption": {1, 0, func(w world) {
			ctx, cancel := context.WithCancel(context.Background())
			var began atomic.Bool
			SubmitContext(ctx, w.Runtime, func(cx Cx) (int, error) {
				began.Store(true)
				var bell Notify
				err := bell.Wait(cx)
				w.last(cx)
				return 1, err
			})
			w.start()
			yieldUntil(&began)
			cancel()
			<-w.Done()
		}},
		"Go channel/two preemptions": {2, 0, func(w world) {
			c := make(chan int)
			Submit(w.Runtime, func(cx Cx) (int, error) {
				_, _, err := Receive(cx, c)
				w.last(cx)
				return 1, err
			})
			w.start()
			c <- 1
			<-w.Done()
		}},
		"blocking task/one preemption": {1, 0, func(w world) {
			Submit(w.Runtime, func(cx Cx) (int, error) {
				_, err := SpawnBlocking(cx, func() (int, error) { return 0, nil }).Join(cx)
				w.last(cx)
				return 1, err
			})
			w.start()
			<-w.Done()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				w := stillWorld(x, 1, Debug(), func(o *config) error {
					o.alarm = func(a Alarm) { x.Assert(false, "told: %v", a) }
					return nil
				})
				w.asleep.begin(w.Runtime)
				w.asleep.need.Store(int64(c.need))
				c.body(w)
			}, model.Preemptions(c.most))
		})
	}
}
