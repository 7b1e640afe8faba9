package runtime

import (
	"bytes"
	"runtime"
	"runtime/debug"
)

// Debug lets every waiting function look at the goroutine that calls it, which takes some microseconds, and panic with the rule that is
// broken. What Go does without it is to end the process, with a message that does not name the rule:
//
//   - A task that waits has not locked its thread (runtime.LockOSThread): it may go on on another one. What has to stay on a thread
//     is for [SpawnBlocking].
//   - A Cx is used on the goroutine of its task only.
//
// A thread that a task has locked and not unlocked before it ended is unlocked when its worker has nothing else to do on that stack, and
// reported as a panic is, to the function of [OnPanic].
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

// guarded returns yield with what [Debug] looks at before it. The coroutine of s calls it, before it runs tasks. Where nothing is guarded,
// it costs nothing.
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
			for locked { // whoever uses the stack next has not locked it
				runtime.UnlockOSThread()
				_, locked = header()
			}
			co.violation(lockedRule + "; this one has, or one that has ended on the same stack")
		}
		return yield(struct{}{})
	}
}

// refuse takes back what suspend has done so far, and panics.
func (co *coroutine) violation(rule string) {
	w := co.worker
	co.task = w.suspended
	co.task.body, co.savedBody = co.savedBody, nil
	w.reason = becameSpare
	panic("runtime: " + rule)
}

// unlock unlocks the thread of the calling goroutine, that of s, if a task has left it locked.
func (co *coroutine) unlock(rt *Runtime) {
	_, locked := header()
	if !locked {
		return
	}
	for locked {
		runtime.UnlockOSThread()
		_, locked = header()
	}
	rt.panicked(&PanicError{Value: "runtime: " + lockedRule + ", nor leave it locked when it ends", Stack: debug.Stack()})
}

// header returns the number of the calling goroutine, and whether its thread is locked.
func header() (number string, locked bool) {
	var buf [128]byte
	line, _, _ := bytes.Cut(buf[:runtime.Stack(buf[:], false)], []byte("\n")) // goroutine 7 [running, locked to thread]:
	fields := bytes.SplitN(line, []byte(" "), 3)
	return string(fields[1]), bytes.Contains(fields[2], []byte("locked to thread"))
}
