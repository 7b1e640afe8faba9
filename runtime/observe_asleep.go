package runtime

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"
)

// How Debug notices that nothing goes on
//
// A [Watchdog] looks twice in each period. With [Debug] alone nobody looks. Instead, whoever may be
// the last to have had something to do (a worker that falls asleep when all others are, a blocking
// task that ends) sets one timer; when it goes off, and nothing has happened since, that is told.
//
// Rejected alternative: a watchdog for each runtime with Debug. Its ticker would keep the clock of
// a bubble of testing/synctest going for ever, so that Go would never tell of a deadlock in it. The
// timer goes off once: the clock of the bubble goes to it, the tasks that wait are named, and then
// nothing is left that could go on, which Go tells of.

// asleepFor is after which time Debug tells that all workers sleep and tasks are left.
const asleepFor = 10 * time.Second

// An asleepTimer is for a runtime with Debug and without Watchdog.
type asleepTimer struct {
	timer *time.Timer  // nil without Debug, and with Watchdog; never changes
	since atomic.Int64 // the clock when it was set last
}

// begin is called before the workers of rt start.
func (a *asleepTimer) begin(rt *Runtime) {
	if rt.config.debug && rt.config.watchdog == 0 {
		if rt.config.alarm == nil {
			rt.config.alarm = func(alarm Alarm) { fmt.Fprint(os.Stderr, alarm) }
		}
		a.timer = time.AfterFunc(asleepFor, func() { a.look(rt) })
		a.timer.Stop() // until there is a sleep
	}
}

// rests sets the timer if all workers sleep. A worker calls it that is about to sleep, after
// Publish: the last of them finds that all have published.
func (a *asleepTimer) rests(rt *Runtime) {
	if a.timer != nil && rt.idle.Parked() == len(rt.workers) {
		a.set(rt)
	}
}

// set sets the timer anew. Any goroutine may call it.
func (a *asleepTimer) set(rt *Runtime) {
	if a.timer != nil {
		a.since.Store(rt.now()) // partner: look, which may have begun
		a.timer.Reset(asleepFor)
	}
}

// look is called when the timer goes off.
func (a *asleepTimer) look(rt *Runtime) {
	d := time.Duration(rt.now() - a.since.Load())
	if d < asleepFor || !rt.quiet() {
		return // somebody has set it again, or will: a worker is awake or will be woken
	}
	rt.tell(Alarm{Worker: -1, For: d, Dump: string(rt.dump())})
}

// end is called when the runtime has ended.
func (a *asleepTimer) end() {
	if a.timer != nil {
		a.timer.Stop()
	}
}
