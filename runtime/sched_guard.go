package runtime

import (
	"bytes"
	"reflect"
	"runtime"
	"runtime/debug"
)

// Debug makes every call that waits, wakes others, forks, joins or spawns check the goroutine that
// makes it, and panic with the broken rule, before it has changed anything. The check takes some
// microseconds. Without it, Go ends the process with a message that does not name the rule, or
// tasks wait until they are cancelled:
//
//   - A task that waits must not have locked its thread (runtime.LockOSThread), since it may
//     continue on another one. Run code that has to stay on a thread by [SpawnBlocking].
//   - A Cx must be used on the goroutine of its task only. So must a fork be joined there, and by
//     the task that has forked it.
//   - Tasks must not wait for each other in a circle. The wait that closes one panics with the
//     lines of all waits in it. Forks, children of a [Scope] and functions of a [Group] count as
//     parts of what has started them. The waits are those that only the end of a task of the
//     runtime ends, or a cancellation: joins, also of blocking tasks that call [Handle.Wait] or
//     [Group.Wait]; [Select] of ends only, [Next] and [AsEnded]; and those for a place among the
//     functions of a Group, or the goroutines of [BlockingThreads]. A deadline ends any of them.
//     What anybody may end is no such wait: that for a [Mutex] or [RWMutex], or until a context
//     ends. A circle through one is not refused; [Runtime.Dump] shows it, and [Watchdog] tells of
//     it. Nor is it known who will release a [Semaphore], send to a [Channel], signal a [Notify],
//     or wake a [Future]: where all tasks wait so, that is told of, as below.
//   - A task must not wait by [Handle.Wait] of a task of its runtime, by a [Group.Go] or
//     [Group.Wait] of a group of that, by [Run], or by what takes a context in place of a Cx, such
//     as [SelectContext], [Channel.ReceiveContext] or [Mutex.LockContext]: it would block the
//     worker that may be needed for it. Calls that need not wait are not refused.
//
// When for 10 s all workers sleep, tasks are left, and nothing that the runtime knows of can wake
// or end one, as [Watchdog] says, Debug writes to the standard error what [Runtime.Dump] shows: for
// each task where it waits, for what, and since when. It does so again when that has lasted twice
// as long as the last time, so that a runtime that goroutines feed from time to time is told of
// seldom. A Watchdog is told of that in place of it, and of circles and tasks that last while
// others run.
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
	return func(struct{}) bool {
		number, locked := header()
		switch {
		case co.worker.reason == becameSpare:
			co.unlock(co.worker.rt)
		case number != co.goroutine:
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

// refuseForeign panics if the calling goroutine is neither that of the task that w runs, nor that
// of w itself, on which a task that ends may start another. (runtime/R54)
func (w *worker) refuseForeign() {
	if number, _ := header(); number != w.current.goroutine && number != w.goroutine {
		panic("surewake: " + foreignRule)
	}
}

// refuseForeign panics, with Debug, if the calling goroutine is not that of the task of cx. What
// changes anything before it spawns calls it first.
func (cx Cx) refuseForeign() {
	if w := cx.coroutine.worker; w.rt.config.debug {
		w.refuseForeign()
	}
}

// violation undoes what suspend has done so far, and panics with the broken rule.
func (co *coroutine) violation(rule string) {
	w := co.worker
	co.task = w.suspended
	co.task.body, co.savedBody = co.savedBody, nil
	w.reason = becameSpare
	co.forgetJoins(w.rt)
	panic("surewake: " + rule)
}

// unlock unlocks the thread of the calling goroutine, which is co's, if a task has left it locked,
// and reports it. The task has ended, so a panic of the function of [OnPanic] is dropped: no result
// can hold it. (runtime/R17)
func (co *coroutine) unlock(rt *Runtime) {
	_, locked := header()
	if !locked {
		return
	}
	for locked {
		runtime.UnlockOSThread()
		_, locked = header()
	}
	defer func() { _ = recover() }()
	rt.panicked(&PanicError{
		Value: "surewake: " + lockedRule + ", nor leave it locked when it ends",
		Stack: debug.Stack(),
	})
}

const (
	endInTaskRule  = "called in a task of the runtime, which would wait for its own end"
	waitInTaskRule = "called in a task of the runtime, whose worker it would block"

	endInBlockingRule = "called in a blocking task of the runtime, which would wait for its own " +
		"end; a goroutine that is no task calls it"
)

// inTask reports whether the calling goroutine is that of a task of rt, other than a blocking task.
//
// Go tells a goroutine nothing about itself but in the text of its stack. That ends with the number
// of the goroutine that has started it: for a coroutine, the trampoline of a worker. So a coroutine
// costs nothing more. The text of a deep stack takes 100 microseconds; most goroutines are told
// apart by their first functions.
func (rt *Runtime) inTask() bool {
	creator, ok := taskCreator()
	return ok && rt.coroutines.hasCreator(creator)
}

// taskCreator returns the number of the goroutine that has started the calling one, and true, if
// that may be a coroutine of any runtime.
func taskCreator() (number string, ok bool) {
	if !maybeInTask() {
		return "", false
	}
	text := make([]byte, 64<<10)
	text = text[:runtime.Stack(text, false)]
	stack, creator, ok := bytes.Cut(text, []byte("created by iter.Pull"))
	if !ok || !bytes.Contains(stack, []byte(loopName)) {
		return "", false
	}
	line, _, _ := bytes.Cut(creator, []byte("\n"))
	return string(line[bytes.LastIndexByte(line, ' ')+1:]), true
}

// maybeInTask returns false if the calling goroutine is not that of a coroutine of any runtime.
func maybeInTask() bool {
	var calls [64]uintptr
	n := runtime.Callers(0, calls[:])
	if n == len(calls) {
		return true // its first functions are not among these
	}
	for _, pc := range calls[max(n-8, 0):n] { // loop is among the first functions of a coroutine
		if runtime.FuncForPC(pc-1).Name() == loopName {
			return true
		}
	}
	return false
}

// packagePrefix is what the names of the functions of this package begin with.
var packagePrefix = reflect.TypeFor[Runtime]().PkgPath() + "."

// loopName is the name of coroutine.loop.
var loopName = packagePrefix + "(*coroutine).loop"

// hasCreator reports whether that goroutine has started one of the coroutines.
func (l *coroutineList) hasCreator(goroutine string) bool {
	l.lock.Lock()
	defer l.lock.Unlock()
	for co := l.all; co != nil; co = co.listNext {
		if co.creator == goroutine {
			return true
		}
	}
	return false
}

// refuseInTask panics if the calling goroutine is that of a task of rt. what is the name of the
// calling function, rule why a task must not call it, instead what it calls. (runtime/R18)
func (rt *Runtime) refuseInTask(what, rule, instead string) {
	if rt.inTask() {
		panic("surewake: " + what + ": " + rule + "; a task calls " + instead)
	}
}

// refuseEnd panics if the calling goroutine is that of a task of rt, also of a blocking one, and so
// would wait for itself. what is Close or Shutdown, which it calls before anything has changed.
// (runtime/R18)
func (rt *Runtime) refuseEnd(what string) {
	rt.refuseInTask(what, endInTaskRule, "Cx."+what)
	if rt.blocking.isThread() {
		panic("surewake: " + what + ": " + endInBlockingRule)
	}
}

// header returns the number of the calling goroutine and whether its thread is locked.
func header() (number string, locked bool) {
	var buf [128]byte
	// The first line is, say, "goroutine 7 [running, locked to thread]:".
	line, _, _ := bytes.Cut(buf[:runtime.Stack(buf[:], false)], []byte("\n"))
	fields := bytes.SplitN(line, []byte(" "), 3)
	return string(fields[1]), bytes.Contains(fields[2], []byte("locked to thread"))
}
