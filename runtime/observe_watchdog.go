package runtime

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// The watchdog
//
// A goroutine looks at what the workers show twice in each period. It tells of
//
//	hold   a worker runs the same run of the same task at all looks of a period. Each run and each
//	       wait counts: many short tasks are no hold, and a task that waits and goes on begins a
//	       new one (runtime/R32)
//	stop   at all looks of a period no worker is awake, nothing has run since the last, there
//	       are tasks, and nothing that the runtime knows of can wake one: no timer, no Watch, no
//	       blocking task but those that wait for the end of tasks, no wait for a Go channel, no
//	       context that may end one (observe_outside.go), no resting future (runtime/R61)
//	circle with Debug: at all looks of a period, the same tasks are in the same waits of a circle,
//	       which only somebody outside of it can end, or nobody (runtime/R58)
//
// It tells of each once. It takes no lock of a worker for longer than to copy, and wakes none.
//
// Rejected alternatives
//
//   - Looking at the clock in each run. A run of a task may take 50 ns, and so does the clock.
//   - The stack of the task that holds its worker, with each alarm. Go gives the stack of another
//     goroutine only by stopping all of them; [Alarm.Stack] does it if it is asked for.

// Watchdog makes the runtime tell report of tasks that hold their worker, and of tasks that
// probably wait for ever; see [Alarm]. It must be 1 ms to 24 h; nil functions are refused.
//
//   - A task holds its worker if it runs for d without a wait or an end. Others that are queued
//     there are stolen or rescued, but a worker is missing. A join that runs its target counts as
//     a wait.
//   - Tasks wait for ever if for d all workers sleep, tasks are left, and nothing that the runtime
//     knows of can wake or end one: no timer, no [Watch], no blocking task, no wait for a Go
//     channel, no future, and no context, be it waited for or that of [SubmitContext] and the like,
//     [NewGroup] or [Run]. A blocking task that waits by [Handle.Wait], [Group.Wait] or [Group.Go]
//     can wake none, nor can a context that never ends or is that of a task ([Cx.Context]). A
//     goroutine that is no task, or a task of another runtime, may still do it, by a [Channel] for
//     instance: whether that is so, the runtime cannot know. So a program whose tasks all end with
//     a context that can be cancelled is not told of those that wait: [Runtime.Dump] shows them.
//   - With [Debug], tasks wait in a circle if for d each of them waits for another: for its end,
//     for a place that it has in a [Group], or for a [Mutex] or [RWMutex] that it has locked, or
//     ended without unlocking. Other tasks may run meanwhile. What can end nothing but a
//     cancellation, Debug refuses at once; but anybody may unlock a lock, so that is told of here.
//
// Each is told of once, half a period late at most. report is called on a goroutine of its own and
// may block, which delays further alarms. Its panics are told as those of tasks are; see [OnPanic].
// The goroutine ends with the runtime, which does not wait for it. A runtime in which nothing
// happens wakes no worker for it, only that goroutine, twice in each period.
//
// It costs some 100 ns for each run of a task, and a microsecond for each call that blocks a
// goroutine, such as [Handle.Wait] or [SelectContext], of the process.
func Watchdog(d time.Duration, report func(Alarm)) Option {
	return func(c *config) error {
		if d < time.Millisecond || d > 24*time.Hour {
			return fmt.Errorf("surewake: Watchdog(%v, _): must be 1ms to 24h0m0s", d)
		}
		if report == nil {
			return fmt.Errorf("surewake: Watchdog: nil function")
		}
		c.watchdog, c.alarm = d, report
		return nil
	}
}

// An Alarm is what the watchdog of a runtime has noticed; see [Watchdog].
type Alarm struct {
	Worker int           // the worker that a task holds; -1: tasks wait
	Task   string        // what the task was named by [Cx.SetName], or its function; "" without one
	For    time.Duration // for how long at least
	// Call is the call of this package that the task holds its worker in, which blocks it, such as
	// "Handle.Wait" or "Channel.ReceiveContext": a task must not call that. It is "" if there is
	// none.
	Call string
	// Circle has a line for each step of a circle of waits, or of a wait for a lock whose holder
	// has ended, each after "\n\t".
	Circle string
	// Dump is what [Runtime.Dump] writes, if tasks wait.
	Dump string

	goroutine string
}

// String returns a line that says what was noticed, and Circle or Dump.
func (a Alarm) String() string {
	if a.Circle != "" {
		return fmt.Sprintf("surewake: no task will end these waits, for %v:%s", a.For, a.Circle)
	}
	if a.Worker < 0 {
		return fmt.Sprintf("surewake: tasks wait for each other or for the outside, for %v:\n%s",
			a.For, a.Dump)
	}
	text := fmt.Sprintf("surewake: task %q holds worker %d for %v", a.Task, a.Worker, a.For)
	if a.Call != "" {
		text += " in " + a.Call + ", which blocks it; a task calls " + forTasks(a.Call)
	}
	return text
}

// Stack returns the stack of the task that holds its worker, as it is now, or "" if no task did or
// its goroutine is gone. The task may have gone on meanwhile. It stops all goroutines of the
// process while it copies their stacks, at most 64 MB.
func (a Alarm) Stack() string {
	if a.goroutine == "" {
		return ""
	}
	text := make([]byte, 1<<20)
	for {
		n := runtime.Stack(text, true)
		if n < len(text) || len(text) >= 64<<20 {
			text = text[:n]
			break
		}
		text = make([]byte, 2*len(text))
	}
	for _, stack := range bytes.Split(text, []byte("\n\n")) {
		if strings.HasPrefix(string(stack), "goroutine "+a.goroutine+" ") {
			return string(stack)
		}
	}
	return ""
}

// A watchdog is what the goroutine knows. It belongs to that.
type watchdog struct {
	rt      *Runtime
	holds   []hold // by worker
	stop    stop
	circles map[*waitNote]lasting // what was in circles at the last look
}

// A lasting is since when a wait is in a circle.
type lasting struct {
	since int64
	told  bool
}

// A hold is what a worker has run at the last looks.
type hold struct {
	run     *run
	changes uint64
	since   int64
	told    bool
}

// A stop is for how long nothing has run.
type stop struct {
	changes uint64 // of all workers, at the last look
	quiet   bool   // nothing could wake a task then
	since   int64
	told    bool
}

func newWatchdog(rt *Runtime) *watchdog {
	return &watchdog{rt: rt, holds: make([]hold, len(rt.workers))}
}

// run is the goroutine.
func (d *watchdog) run() {
	normal := false
	defer func() {
		if !normal {
			go d.run() // report has called Goexit
		}
	}()
	d.rt.label()
	ticker := time.NewTicker(d.rt.config.watchdog / 2)
	defer ticker.Stop()
	for {
		select {
		case <-d.rt.done:
			normal = true
			return
		case <-ticker.C:
			d.look(d.rt.now())
		}
	}
}

// look looks once.
func (d *watchdog) look(now int64) {
	changes := uint64(0)
	for i, w := range d.rt.workers {
		r, n := w.looked()
		changes += n
		h := &d.holds[i]
		if r == nil || r != h.run || n != h.changes {
			*h = hold{run: r, changes: n, since: now}
		} else if !h.told && now-h.since >= int64(d.rt.config.watchdog) {
			h.told = true
			d.rt.tell(Alarm{
				Worker: i, Task: r.name(), For: time.Duration(now - h.since),
				Call: guards.call(r.goroutine), goroutine: r.goroutine,
			})
		}
	}
	d.lookAtCircles(now)
	s := &d.stop
	if quiet := d.rt.quiet(); !quiet || !s.quiet || changes != s.changes {
		*s = stop{changes: changes, quiet: quiet, since: now}
	} else if !s.told && now-s.since >= int64(d.rt.config.watchdog) {
		s.told = true
		d.rt.tell(Alarm{
			Worker: -1, For: time.Duration(now - s.since), Dump: string(d.rt.dump()),
		})
	}
}

// lookAtCircles tells of circles that last. (runtime/R58)
func (d *watchdog) lookAtCircles(now int64) {
	lines, in := d.rt.circles()
	last := d.circles
	d.circles = make(map[*waitNote]lasting, len(in))
	longest := int64(-1)
	for _, note := range in {
		l, again := last[note]
		if !again {
			l.since = now
		}
		if !l.told && now-l.since >= int64(d.rt.config.watchdog) {
			l.told = true
			longest = max(longest, now-l.since)
		}
		d.circles[note] = l
	}
	if longest >= 0 {
		d.rt.tell(Alarm{
			Worker: -1, For: time.Duration(longest), Circle: lines, Dump: string(d.rt.dump()),
		})
	}
}

// tell calls the function of Watchdog.
func (rt *Runtime) tell(a Alarm) {
	defer func() {
		if r := recover(); r != nil {
			defer func() { _ = recover() }() // no result can hold it
			rt.panicked(&PanicError{Value: r, Stack: debug.Stack()})
		}
	}()
	rt.config.alarm(a)
}

// quiet reports whether all workers sleep, tasks are left, and nothing that the runtime knows of
// can wake one.
func (rt *Runtime) quiet() bool {
	return rt.idle.Parked() == len(rt.workers) && rt.injector.Len() == 0 && rt.live.Load() > 0 &&
		rt.timers.next.Load() == math.MaxInt64 && rt.watches.open.Load() == 0 &&
		rt.outsiders.Load() == 0 && rt.futures.empty() && rt.blocking.quiet()
}
