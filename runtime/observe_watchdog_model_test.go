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

// withAlarms checks a runtime of one worker with a watchdog that looks when the body says so. told
// counts the alarms that are meant. The body submits a task that waits for over, which is signalled
// once, and returns 1.
func withAlarms(t *testing.T, meant func(Alarm) bool,
	body func(x *model.Exec, w world, d *watchdog, told *int, over *Notify) *Handle[int],
) {
	for name, options := range map[string][]Option{
		"plain/one preemption": nil, "debug/one preemption": {Debug()},
	} {
		t.Run(name, func(t *testing.T) {
			model.Check(t, func(x *model.Exec) {
				told := 0
				w := stillWorld(x, 1, append(options, Watchdog(time.Millisecond, func(a Alarm) {
					if meant(a) {
						told++
					}
				}))...)
				var over Notify
				h := body(x, w, newWatchdog(w.Runtime), &told, &over)
				x.Go("waker", over.Signal)
				w.start()
				v, err := w.await(h)
				x.Assert(v == 1 && err == nil, "%d, %v", v, err)
			}, model.Preemptions(1))
		})
	}
}

// A watchdog looks while a task runs, waits twice and ends: it tells of no stop in which the task
// has run.
func TestAlarmsAreOfNothingThatGoesOn(t *testing.T) {
	stop := func(a Alarm) bool { return a.Worker < 0 }
	withAlarms(t, stop, func(
		x *model.Exec, w world, d *watchdog, told *int, over *Notify,
	) *Handle[int] {
		var steps atomic.Int32
		var looked Notify
		x.Go("watchdog", func() {
			d.look(0)
			before, after := steps.Load(), steps.Load()
			d.look(int64(time.Millisecond))
			x.Assert(*told == 0 || before == after, "step %d came after %d", after, before)
			looked.Signal()
		})
		return Submit(w.Runtime, func(cx Cx) (int, error) {
			for _, n := range []*Notify{over, &looked} {
				steps.Add(1)
				if err := n.Wait(cx); err != nil {
					return 0, err
				}
			}
			w.last(cx)
			return 1, nil
		})
	})
}

// A hold of which the watchdog tells has no wait in it, though the task runs again, as the same one
// on the same worker.
func TestAHoldHasNoWaitInIt(t *testing.T) {
	hold := func(a Alarm) bool { return a.Worker >= 0 }
	withAlarms(t, hold, func(
		x *model.Exec, w world, d *watchdog, told *int, over *Notify,
	) *Handle[int] {
		var runs atomic.Uint64
		looked := make(chan struct{})
		x.Go("watchdog", func() {
			<-looked
			again := runs.Load()
			d.look(int64(time.Millisecond))
			x.Assert(*told == 0 || again == 0, "it ran %d times more", again)
		})
		return Submit(w.Runtime, func(cx Cx) (int, error) {
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
	})
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
