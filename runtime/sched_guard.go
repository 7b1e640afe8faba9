package runtime

import (
	"bytes"
	"runtime"
	"runtime/debug"
)

// Debug makes every call that waits check the goroutine that makes it, and panic with the broken
// rule. The check takes some microseconds. Without it, Go ends the process with a message that does
// not name the rule:
//
//   - A task that waits must not have locked its thread (runtime.LockOSThread), since it may
//     continue on another one. Run code that has to stay on a thread by [SpawnBlocking].
//   - A Cx must be used on the goroutine of its task only.
//
// A thread that an ended task has left locked is unlocked when its coroutine becomes idle, and
// reported to the function of [OnPanic] as a panic is.
func Debug() Option {
	return func(c *config) error {
		c.debug = true
		return nil
	}
}

const (
	lockedRule  = "a task that waits must not have locked its thread (runtime.LockOSThread)"
	foreignRule = "a Cx must be used on the goroutine of its task only"
)

// guarded returns yield with [Debug]'s checks before it. The coroutine itself calls it, before it
// runs tasks. Without Debug, nothing is checked and nothing costs.
func (co *coroutine) guarded(yield func(struct{}) bool) func(struct{}) bool {
	own, _ := header()
	return func(struct{}) bool {
		number, locked := header()
		switch {
		case co.worker.reason == becameSpare:
			co.unlock(co.worker.rt)
		case number != own:
			co.violation(foreignRule)
		case locked:
			for locked { // the next task on this coroutine has not locked it
				runtime.UnlockOSThread()
				_, locked = header()
			}
			co.violation(lockedRule + "; this one has, or one that has ended on the same coroutine")
		}
		return yield(struct{}{})
	}
}

// violation undoes what suspend has done so far, and panics with the broken rule.
func (co *coroutine) violation(rule string) {
	w := co.worker
	co.task = w.suspended
	co.task.body, co.savedBody = co.savedBody, nil
	w.reason = becameSpare
	panic("runtime: " + rule)
}

// unlock unlocks the thread of the calling goroutine, which is co's, if a task has left it locked,
// and reports it.
func (co *coroutine) unlock(rt *Runtime) {
	_, locked := header()
	if !locked {
		return
	}
	for locked {
		runtime.UnlockOSThread()
		_, locked = header()
	}
	rt.panicked(&PanicError{
		Value: "runtime: " + lockedRule + ", nor leave it locked when it ends",
		Stack: debug.Stack(),
	})
}

// header returns the number of the calling goroutine and whether its thread is locked.
func header() (number string, locked bool) {
	var buf [128]byte
	// The first line is, say, "goroutine 7 [running, locked to thread]:".
	line, _, _ := bytes.Cut(buf[:runtime.Stack(buf[:], false)], []byte("\n"))
	fields := bytes.SplitN(line, []byte(" "), 3)
	return string(fields[1]), bytes.Contains(fields[2], []byte("locked to thread"))
}
