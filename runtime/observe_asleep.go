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
// task that ends or comes to wait for the end of another) or to be waited for (a context that ends,
// a Watch that is closed) sets one timer; when it goes off, and nothing has happened since, that is
// told.
//
//	whoever   1 say that it can end no wait any more  2 set the timer, if all workers sleep
//	look      1 find that nothing can end one
//	          So a look that comes before is not the last.
//
// Nothing orders what look finds: that all sleep, and then that no timer, context or blocking task
// is left. A task that is woken in between may be missed, as what has woken it is gone by then. So
// it looks again a little later, and tells only if all has stayed as it was: since when all sleep,
// and how many runs and waits of tasks there were.
//
// Where goroutines that are no tasks feed a runtime, it may sleep for longer than that again and
// again, as it should. So each time it must sleep twice as long as when it was told last: of what
// sleeps for ever, that is told at the latest when it has lasted twice as long as anything that has
// not.
//
// Rejected alternative: a watchdog for each runtime with Debug. Its ticker would keep the clock of
// a bubble of testing/synctest going for ever, so that Go would never tell of a deadlock in it. The
// timer goes off once: the clock of the bubble goes to it, the tasks that wait are named, and then
// nothing is left that could go on, which Go tells of.

// asleepFor is after which time Debug first tells that all workers sleep and tasks are left.
const asleepFor = 10 * time.Second

// lookAgain is after which time look looks again at what it has found quiet.
const lookAgain = 100 * time.Millisecond

// An asleepTimer is for a runtime with Debug and without Watchdog.
type asleepTimer struct {
	timer *time.Timer  // nil without Debug, and with Watchdog; never changes
	since atomic.Int64 // the clock when it was set last
	need  atomic.Int64 // for how long all must sleep; stored by look, loaded by any goroutine

	seen atomic.Pointer[quietLook] // used by look
}

// begin is called before the workers of rt start.
func (a *asleepTimer) begin(rt *Runtime) {
	if rt.config.debug && rt.config.watchdog == 0 {
		if rt.config.alarm == nil {
			rt.config.alarm = func(alarm Alarm) { fmt.Fprint(os.Stderr, alarm) }
		}
		a.need.Store(int64(asleepFor))
		a.timer = time.AfterFunc(asleepFor, func() { a.look(rt) })
		a.timer.Stop() // until there is a sleep
	}
}

// rests sets the timer if all workers sleep. A worker calls it that is about to sleep, after
// Publish: the last of them finds that all have published. So does any goroutine after something
// that makes quiet true.
func (a *asleepTimer) rests(rt *Runtime) {
	if a.timer != nil && rt.idle.Parked() == len(rt.workers) {
		a.set(rt)
	}
}

// set sets the timer anew. Any goroutine may call it.
func (a *asleepTimer) set(rt *Runtime) {
	if a.timer != nil {
		a.since.Store(rt.now()) // partner: look, which may have begun
		a.timer.Reset(time.Duration(a.need.Load()))
	}
}

// look is called when the timer goes off.
func (a *asleepTimer) look(rt *Runtime) {
	d, need := time.Duration(rt.now()-a.since.Load()), time.Duration(a.need.Load())
	if d < need {
		a.timer.Reset(need - d) // somebody has set it again, perhaps when need was less
		return
	}
	now := quietLook{a.since.Load(), rt.ran()}
	if !rt.quiet() {
		return // somebody will set it again
	}
	if last := a.seen.Swap(&now); last == nil || *last != now {
		a.timer.Reset(lookAgain)
		return
	}
	a.need.Store(int64(2 * need))
	rt.tell(Alarm{Worker: -1, For: d, Dump: string(rt.dump())})
}

// end is called when the runtime has ended.
func (a *asleepTimer) end() {
	if a.timer != nil {
		a.timer.Stop()
	}
}

// A quietLook is what look has found quiet.
type quietLook struct {
	since int64
	ran   uint64
}

// ran returns how many runs and waits of tasks there were.
func (rt *Runtime) ran() (n uint64) {
	for _, w := range rt.workers {
		_, changes := w.looked()
		n += changes
	}
	return n
}
