package runtime

import (
	goruntime "runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/surewake/surewake/model"
)

// Two looks that agree have seen one run of a task: between them it has neither waited nor ended.
// (runtime/R32)
func TestLooksThatAgreeHaveSeenOneRun(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c, err := configure(worldOptions(1))
		x.Assert(err == nil, "%v", err)
		w := assemble(c).workers[0]
		var one, two run
		var others atomic.Int32
		x.Go("worker", func() {
			w.showRun(&one)
			for _, other := range []*run{nil, &two} {
				w.showRun(other)
				others.Add(1)
				w.showRun(&one)
			}
		})
		r, changes := w.looked()
		before, after := others.Load(), others.Load()
		again, changed := w.looked()
		if r == &one && again == r && changes == changed {
			x.Assert(before == after, "%d waits and runs of others in between", after-before)
		}
		x.Join()
	})
}

// A watchdog looks while a task runs, waits twice and ends: it tells of no stop in which the task
// has run.
func TestAlarmsAreOfNothingThatGoesOn(t *testing.T) {
	for name, options := range map[string][]Option{
		"plain/one preemption": nil, "debug/one preemption": {Debug()},
	} {
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				stops, steps := 0, atomic.Int32{}
				w := stillWorld(x, 1, append(options, Watchdog(time.Millisecond, func(a Alarm) {
					if a.Worker < 0 {
						stops++
					}
				}))...)
				var over Notify
				h := Submit(w.Runtime, func(cx Cx) (int, error) {
					for range 2 {
						steps.Add(1)
						if err := over.Wait(cx); err != nil {
							return 0, err
						}
						steps.Add(1)
						over.Signal()
					}
					w.last(cx)
					return 1, nil
				})
				x.Go("watchdog", func() {
					d := newWatchdog(w.Runtime)
					d.look(0)
					before, after := steps.Load(), steps.Load()
					d.look(int64(time.Millisecond))
					x.Assert(stops == 0 || before == after, "step %d came after %d", after, before)
				})
				x.Go("waker", over.Signal)
				w.start()
				v, err := w.await(h)
				x.Assert(v == 1 && err == nil, "%d, %v", v, err)
			}, model.Preemptions(1))
		})
	}
}

// A hold of which the watchdog tells has no wait in it, though the task runs again, as the same one
// on the same worker.
func TestAHoldHasNoWaitInIt(t *testing.T) {
	for name, options := range map[string][]Option{
		"plain/one preemption": nil, "debug/one preemption": {Debug()},
	} {
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				holds, runs := 0, atomic.Uint64{}
				w := stillWorld(x, 1, append(options, Watchdog(time.Millisecond, func(a Alarm) {
					if a.Worker >= 0 {
						holds++
					}
				}))...)
				d := newWatchdog(w.Runtime)
				var over Notify
				looked := make(chan struct{})
				h := Submit(w.Runtime, func(cx Cx) (int, error) {
					first := cx.coroutine.worker.count.polled
					d.look(0) // while it runs
					close(looked)
					if err := over.Wait(cx); err != nil {
						return 0, err
					}
					runs.Store(cx.coroutine.worker.count.polled - first)
					w.last(cx)
					return 1, nil
				})
				x.Go("watchdog", func() {
					<-looked
					again := runs.Load()
					d.look(int64(time.Millisecond))
					x.Assert(holds == 0 || again == 0, "it ran %d times more", again)
				})
				x.Go("waker", over.Signal)
				w.start()
				v, err := w.await(h)
				x.Assert(v == 1 && err == nil, "%d, %v", v, err)
			}, model.Preemptions(1))
		})
	}
}

// A task that holds its worker, and one for which nobody comes, are told of once, whenever the
// looks come.
func TestAlarmsOfWhatLasts(t *testing.T) {
	period := int64(time.Millisecond)
	for name, waits := range map[string]bool{
		"stop/one preemption": true, "hold/one preemption": false,
	} {
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				var told []Alarm
				w := stillWorld(x, 1, Watchdog(time.Millisecond, func(a Alarm) {
					told = append(told, a)
				}))
				d := newWatchdog(w.Runtime)
				var over Notify
				held, release := make(chan struct{}), make(chan struct{})
				h := Submit(w.Runtime, func(cx Cx) (int, error) {
					if waits {
						_ = over.Wait(cx)
					} else {
						close(held)
						<-release
					}
					w.last(cx)
					return 1, nil
				})
				x.Go("watchdog", func() { d.look(0) })
				w.start()
				if waits {
					for w.idle.Parked() == 0 || w.live.Load() == 0 {
						goruntime.Gosched()
					}
				} else {
					<-held
				}
				x.Join()
				for i := range int64(5) {
					d.look((1 + i) * period)
				}
				x.Assert(len(told) == 1, "%d alarms", len(told))
				x.Assert((told[0].Worker < 0) == waits, "%v", told)
				over.Signal()
				close(release)
				v, err := w.await(h)
				x.Assert(v == 1 && err == nil, "%d, %v", v, err)
			}, model.Preemptions(1))
		})
	}
}
