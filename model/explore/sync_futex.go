package explore

import (
	"math"
	"slices"
	"time"
	"unsafe"
)

// The futex of the Linux kernel. A wait compares the word and queues in one step, so it is a read
// of the word; a wake is a write, because it is ordered with every wait. The kernel promises no
// order of sleepers: a wake of n of them chooses among all sets of n. The numbers of these sets
// must not depend on the order of the waits, which are independent; so a queue is in the order of
// the threads' numbers.
//
// A wait can end in three ways:
//
//   1. woken: a wake takes it;
//   2. early: its timeout or a signal ends it although other threads can run, at most
//      Config.EarlyTimeouts times in an execution, but never if Config.TimePasses. These are
//      choices of the wait. Those of timers are counted by themselves: nothing orders them with
//      the waits, so that no wait may depend on how many there were;
//   3. forced: its timeout ends it because nothing else can run. So a timeout does not hide a lost
//      wakeup: Result.Rescued counts the executions that needed one.

func init() {
	ops[OpFutexWait] = operation{
		name:    "futex wait",
		class:   read,
		choices: futexWaitChoices,
		apply:   futexWait,
	}
	ops[OpFutexSleep] = operation{
		name:     "futex wait (asleep)",
		enabled:  wasSignalled,
		wokenBy:  signalOf,
		deadline: futexDeadline,
		past:     futexSleepPast,
		apply:    futexAwake,
		address:  func(e *engine, t *thread) unsafe.Pointer { return e.objs[t.queue].ptr },
	}
	ops[OpFutexEarly] = operation{
		name:  "futex wait (timeout or signal)",
		class: write,
		apply: futexEarly,
	}
	ops[OpFutexWake] = operation{
		name:    "futex wake",
		class:   write,
		choices: futexWakeChoices,
		apply:   futexWake,
		result:  func(t *thread) uint64 { return t.old },
	}
}

// FutexResult says how a futex wait ended.
type FutexResult uint8

// The ends of a futex wait.
const (
	FutexWoken FutexResult = iota
	FutexMismatch
	FutexTimeout
	FutexInterrupted
)

const noDeadline = time.Duration(-1)

// FutexWait sleeps while *p is val, at most for timeout unless that is negative. It reports false
// outside of an execution.
func FutexWait(p unsafe.Pointer, val uint32, timeout time.Duration) (FutexResult, bool) {
	if e := eng; e == nil || !InExecution() {
		return 0, false
	} else if e.cfg.Before != nil {
		return enterFutexWaitBelow(p, val, timeout), true
	}
	return enterFutexWait(p, val, timeout), true
}

func enterFutexWait(p unsafe.Pointer, val uint32, timeout time.Duration) FutexResult {
	e := eng
	t := e.cur
	t.old, t.deadline = uint64(val), noDeadline
	e.waitApart()
	if timeout >= 0 {
		e.res.HeldFutex = true
		t.deadline = e.clock.now + timeout
		if t.deadline < 0 {
			t.deadline = 1<<63 - 1
		}
	}
	Enter(p, OpFutexWait)
	switch {
	case t.futex == FutexMismatch:
	case t.chosen == 0 && e.alone(t): // others wake it, or the kernel does for no reason
		t.old = 0
		Enter(p, OpFutexEarly)
	case t.chosen == 0:
		Enter(nil, OpFutexSleep)
	default:
		t.old = uint64(t.chosen)
		Enter(p, OpFutexEarly)
	}
	return t.futex
}

// FutexWake wakes n of the threads that sleep on p, or all, and returns how many. It reports
// false outside of an execution. n is not negative.
func FutexWake(p unsafe.Pointer, n int) (int, bool) {
	if e := eng; e == nil || !InExecution() {
		return 0, false
	} else if e.cfg.Before != nil {
		return enterFutexWakeBelow(p, n), true
	}
	return enterFutexWake(p, n), true
}

func enterFutexWake(p unsafe.Pointer, n int) int {
	t := eng.cur
	t.old = uint64(n)
	Enter(p, OpFutexWake)
	return int(t.old)
}

// futexEqual reports whether the word still holds the value for which t waits.
func (e *engine) futexEqual(t *thread) bool {
	var word uint32
	quietly(func() { word = *(*uint32)(t.ptr) }) // nothing else runs
	return word == uint32(t.old)
}

// futexWaitChoices: a wait that sleeps ends by a wake, early by its timeout, or early by a signal.
func futexWaitChoices(e *engine, t *thread) int32 {
	early := e.earlyWaits
	if e.alone(t) {
		early = -1 // each wait may end early
	}
	switch {
	case !e.futexEqual(t) || e.cfg.TimePasses || early >= e.cfg.EarlyTimeouts:
		return 1
	case t.deadline == noDeadline:
		return 2 // woken, signal
	default:
		return 3 // woken, timeout, signal
	}
}

// futexWakeChoices: a wake takes t.old sleepers, or all of them.
func futexWakeChoices(e *engine, t *thread) int32 {
	if e.alone(t) {
		return 2 // somebody who is not there sleeps, or nobody does
	}
	n := len(e.objs[t.obj].waiters)
	return binomial(n, min(n, int(t.old)))
}

// binomial returns the number of sets of k of n things, at most math.MaxInt32: more than can be
// explored.
func binomial(n, k int) int32 {
	sets := int64(1)
	for i := 1; i <= k; i++ {
		if sets = sets * int64(n-k+i) / int64(i); sets > math.MaxInt32 {
			return math.MaxInt32
		}
	}
	return int32(sets)
}

// futexDeadline returns when the sleep ends by its timeout.
func futexDeadline(_ *engine, t *thread) (time.Duration, bool) {
	return t.deadline, t.deadline != noDeadline
}

// futexSleepPast: a forced timeout comes after everything that has happened.
func futexSleepPast(e *engine, t *thread, d int32) {
	if t.signal < 0 {
		e.joinAll(d)
	}
}

// futexWait compares the word and queues t, unless the word has changed.
func futexWait(e *engine, t *thread, _ int32) {
	t.signal = -1
	if !e.futexEqual(t) {
		t.futex, t.chosen = FutexMismatch, 0
		return
	}
	if t.chosen != 0 {
		e.earlyWaits++
		if t.deadline == noDeadline {
			t.chosen = 2
		}
	}
	t.futex = FutexWoken
	o := &e.objs[t.obj]
	i, _ := slices.BinarySearch(o.waiters, int32(t.id))
	o.waiters = slices.Insert(o.waiters, i, int32(t.id))
	t.queue = t.obj
}

// futexWake takes the chosen sleepers out of the queue: set number t.chosen, where those with the
// first sleeper come before those without it, and so on.
func futexWake(e *engine, t *thread, d int32) {
	if e.alone(t) {
		t.old = uint64(t.chosen)
		return
	}
	o := &e.objs[t.obj]
	n, number, asleep := min(len(o.waiters), int(t.old)), t.chosen, o.waiters[:0]
	t.old = uint64(n)
	for i, w := range o.waiters {
		with := int32(0) // so many of the sets have w
		if n > 0 {
			with = binomial(len(o.waiters)-i-1, n-1)
		}
		if number < with {
			e.threads[w].signal = max(d, 0)
			n--
		} else {
			number -= with
			asleep = append(asleep, w)
		}
	}
	o.waiters = asleep
}

// futexEarly ends a wait early, unless a wake came first.
func futexEarly(e *engine, t *thread, _ int32) {
	if t.signal >= 0 {
		return
	}
	e.dequeue(t)
	t.futex = FutexInterrupted
	if t.old == 0 {
		t.futex = FutexWoken
	} else if t.old == 1 {
		t.futex = FutexTimeout
		e.clock.now = max(e.clock.now, t.deadline)
		e.futexMoved = true
	}
}

// futexAwake ends a wait that was woken, or else by a forced timeout.
func futexAwake(e *engine, t *thread, _ int32) {
	if t.signal >= 0 {
		return
	}
	e.dequeue(t)
	t.futex = FutexTimeout
	e.clock.now = max(e.clock.now, t.deadline)
	e.anyForced, e.rescued = true, true
}

// dequeue takes t out of the queue of the futex that it sleeps on.
func (e *engine) dequeue(t *thread) {
	o := &e.objs[t.queue]
	if i, found := slices.BinarySearch(o.waiters, int32(t.id)); found {
		o.waiters = slices.Delete(o.waiters, i, i+1)
	}
}
