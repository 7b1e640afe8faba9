package runtime

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
)

// Calls that block
//
// What is for goroutines that are not tasks blocks the goroutine that calls it; in a task, its
// worker. With [Debug], a task that would wait so is refused; [Watchdog] names the call that it
// waits in. A channel or a lock belongs to no runtime, and knows of no task: so the runtimes that
// want to know are listed for the process.
//
//	call   1 queue  2 if there are such runtimes: 3 if the goroutine is that of a task of one with
//	       Debug, withdraw, and panic if that was in time  4 note the call  5 block
//
// Without such a runtime, that is a load in a call that blocks. (runtime/R18)
//
// Rejected alternatives
//
//   - To ask before it is known whether the call waits. Most need not, and asking takes
//     microseconds.

// guards are the runtimes with Debug or Watchdog that have not ended, and the calls that block.
var guards guardList

// A guardList is what guards is. Any goroutine may call its methods.
type guardList struct {
	// count is len(all): stored under the lock, loaded by any goroutine.
	count atomic.Int32
	lock  sync.Mutex
	// The rest is under the lock.

	all   map[*Runtime]struct{}
	calls map[string]blockingWait // by the number of the goroutine, what blocks it
}

// A blockingWait is a call that blocks a goroutine.
type blockingWait struct {
	call string
	// A call that waits for the end of tasks of rt is woken by that, or returns when ctx ends. All
	// are nil if it waits for anything else.
	rt    *Runtime
	woken goroutine
	ctx   context.Context
}

// add lists rt, if it wants to know.
func (g *guardList) add(rt *Runtime) {
	if !rt.config.debug && rt.config.watchdog == 0 {
		return
	}
	g.lock.Lock()
	defer g.lock.Unlock()
	if g.all == nil {
		g.all, g.calls = map[*Runtime]struct{}{}, map[string]blockingWait{}
	}
	g.all[rt] = struct{}{}
	g.count.Store(int32(len(g.all)))
}

// remove is called when rt has ended.
func (g *guardList) remove(rt *Runtime) {
	if !rt.config.debug && rt.config.watchdog == 0 {
		return
	}
	g.lock.Lock()
	defer g.lock.Unlock()
	delete(g.all, rt)
	g.count.Store(int32(len(g.all)))
}

// debugged reports whether the calling goroutine is that of a task of a runtime with Debug, other
// than a blocking task.
func (g *guardList) debugged() bool {
	if g.count.Load() == 0 {
		return false
	}
	creator, ok := taskCreator()
	if !ok {
		return false
	}
	g.lock.Lock()
	defer g.lock.Unlock()
	for rt := range g.all {
		if rt.config.debug && rt.coroutines.hasCreator(creator) {
			return true
		}
	}
	return false
}

// enter notes that the calling goroutine is about to block in call, until leave is called. What
// that calls is not noted.
func (g *guardList) enter(call string) (leave func()) {
	return g.note(blockingWait{call: call})
}

// enterEnd is enter for a call that the end of tasks of rt wakes, and that returns when ctx ends.
func (g *guardList) enterEnd(
	call string, rt *Runtime, woken goroutine, ctx context.Context,
) (leave func()) {
	leave = g.note(blockingWait{call, rt, woken, ctx})
	if rt.asleep.timer != nil && rt.blocking.isThread() {
		rt.asleep.rests(rt) // partner: quiet, which may have found the thread busy
	}
	return leave
}

// note is enter.
func (g *guardList) note(wait blockingWait) (leave func()) {
	if g.count.Load() == 0 {
		return func() {}
	}
	number, _ := header()
	g.lock.Lock()
	defer g.lock.Unlock()
	if _, within := g.calls[number]; within {
		return func() {}
	}
	g.calls[number] = wait
	return func() {
		g.lock.Lock()
		defer g.lock.Unlock()
		delete(g.calls, number)
	}
}

// call returns what a goroutine blocks in, or "".
func (g *guardList) call(goroutine string) string {
	g.lock.Lock()
	defer g.lock.Unlock()
	return g.calls[goroutine].call
}

// waitsForTasks reports whether a goroutine blocks until tasks of rt end, and no context will end
// that before. It is called under the lock.
func (g *guardList) waitsForTasks(goroutine string, rt *Runtime) bool {
	wait := g.calls[goroutine]
	if wait.rt != rt {
		return false
	}
	select {
	case <-wait.woken:
		return false // it goes on as soon as Go lets it
	default:
		return rt.neverEnds(wait.ctx)
	}
}

// refuse panics if a task calls what, and would block its worker, if that has [Debug]. undo is
// called before, and returns false if the call need not block any more: then it goes on.
func (g *guardList) refuse(what string, undo func() bool) {
	if g.debugged() && undo() {
		panic("surewake: " + what + ": " + waitInTaskRule + "; a task calls " + forTasks(what))
	}
}

// refuseBlocking is refuse for a call that has not begun.
func refuseBlocking(what string) { guards.refuse(what, func() bool { return true }) }

// forTasks returns what a task calls in place of a call that blocks.
func forTasks(call string) string {
	switch call {
	case "Handle.Wait":
		return "Handle.Join"
	case "Group.Go":
		return "Group.Spawn"
	case "Group.Wait":
		return "Group.Join"
	case "Run":
		return "Spawn"
	case "Submit":
		return "TrySubmit"
	case "Close", "Shutdown":
		return "SpawnBlocking"
	}
	return strings.TrimSuffix(call, "Context")
}
