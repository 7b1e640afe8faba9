package runtime

import (
	"context"
	"sync"
	"sync/atomic"
)

// Handing a lock over
//
// The word of a Mutex says whether it is held, and whether anybody is in line. While nobody is, one
// compare-and-swap takes it and one gives it back. The bit that says that somebody waits is set and
// cleared under the lock of the line only, and while it is set, whoever wants to change the word
// needs that lock:
//
//	bits         Lock                               Unlock
//	0            -> held                            panics
//	held         lock the line: -> held|waited      -> 0
//	held|waited  lock the line: stand in it         lock the line: answer the first; -> held if
//	                                                that was the last
//
// A call that finds 0, or held and nobody in line, is one function without calls: Lock asks by
// goesOn whether there is anything to do besides, and release whether Debug has noted a holder.
// What is in the way is asked again, and told, the long way. Both ways make the same swaps, so
// nothing is ordered in another way by the short one.
//
// So an unlock gives the mutex to the first in line, and it is never free while somebody waits. A
// call that gives up has either been removed from the line, under its lock, or holds the mutex and
// says so. (runtime/R24)
//
// Rejected alternative: barging, as sync.Mutex does it. An unlock frees the mutex and wakes the
// first in line, which tries again, and whoever runs just then takes the mutex first. Nobody waits
// for a task that is only queued, which is faster where critical sections are short and always
// wanted. But it takes a second mode against starvation, which reads the clock; and a call that
// gives up after it was woken has to wake the next one in its place. BenchmarkMutex shows
// the two side by side.
//
// Rejected alternative: not to ask, in a Lock that finds the mutex free, whether the task must end.
// A task that locks, works and unlocks in a loop would not learn of its end.

// A Mutex excludes tasks, and goroutines, from one another. Unlike sync.Mutex, it may be held while
// its task waits, and a task that wants it does not block its worker. The zero Mutex is unlocked.
// It must not be copied.
//
// It is handed over in the order in which calls have come, so that nobody starves: [Mutex.Lock]
// returns holding the mutex as soon as all that came before have had it. It belongs to no task:
// another one may unlock it.
//
// An unlock synchronizes before the return of the next call that locks the Mutex.
type Mutex struct {
	// word is 0, mutexHeld or mutexHeld|mutexWaited. Every goroutine may swap 0 and mutexHeld;
	// everything else is under the lock.
	word atomic.Uint32
	lock sync.Mutex
	line line[struct{}] // under the lock; not empty if and only if the word says mutexWaited
	// held is the task that holds it, if Debug knows, or nil. Whoever holds it stores it, any
	// goroutine loads it.
	held atomic.Pointer[holder]
}

const (
	mutexHeld uint32 = 1 << iota
	mutexWaited
)

// Lock waits until the task holds m, and returns nil; or returns [Cx.Err] without holding it if the
// task must end. A task that is cancelled at the moment when its turn comes holds m, and Lock
// returns nil.
func (m *Mutex) Lock(cx Cx) error {
	if cx.goesOn() && m.TryLock() { // partner: the swap to 0 in release and unlock
		cx.coroutine.budget--
		return nil
	}
	return m.lockLong(cx)
}

// lockLong is Lock whatever there may be in the way.
func (m *Mutex) lockLong(cx Cx) error {
	cx.checkHere("Mutex.Lock")
	cx.charge() // first: a task that yields after it has locked keeps all others waiting
	if err := cx.stopErr(); err != nil {
		return err
	}
	if w := m.takeOrQueue(cx.task); w != nil {
		if err := waitForLock(cx, w, m); err != nil {
			return err
		}
	}
	m.note(cx)
	return nil
}

// LockContext is [Mutex.Lock] for goroutines that are not tasks, since it would block a worker. If
// ctx ends first, it returns the error of ctx, as [Handle.Wait] does.
func (m *Mutex) LockContext(ctx context.Context) error {
	notNil(ctx, "Mutex.LockContext")
	if ctx.Err() != nil {
		return contextErr(ctx)
	}
	done := make(goroutine)
	w := m.takeOrQueue(done)
	if w == nil {
		return nil
	}
	return w.waitOutside(ctx, m, done, "Mutex.LockContext")
}

// TryLock locks m and returns true if nobody holds it. Otherwise it returns false. Any goroutine
// may call it.
func (m *Mutex) TryLock() bool { return m.word.CompareAndSwap(0, mutexHeld) }

// Unlock unlocks m, or hands it to the call that has waited longest. Any goroutine may call it; a
// task should use [Mutex.UnlockFrom]. It panics if m is not locked.
func (m *Mutex) Unlock() {
	if !m.release() {
		m.unlock("Unlock", nil)
	}
}

// UnlockFrom is [Mutex.Unlock] for tasks: a task that gets m runs next on the worker of cx.
func (m *Mutex) UnlockFrom(cx Cx) {
	cx.checkHere("Mutex.UnlockFrom")
	if !m.release() {
		m.unlock("UnlockFrom", cx.coroutine.worker)
	}
}

// release unlocks m and returns true if nobody is in line, and Debug has noted no holder. It is
// small enough to be inlined.
func (m *Mutex) release() bool {
	return m.held.Load() == nil && m.word.CompareAndSwap(mutexHeld, 0)
}

// takeOrQueue takes m and returns nil, or queues a waiter for who and returns it.
func (m *Mutex) takeOrQueue(who waker) *waiter[struct{}] {
	// Partners, here and below: the swap to 0 in release and unlock, and the answer. The load comes
	// first since Lock has tried already.
	if m.word.Load() == 0 && m.TryLock() {
		return nil
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	for m.line.first == nil && !m.word.CompareAndSwap(mutexHeld, mutexHeld|mutexWaited) {
		if m.word.CompareAndSwap(0, mutexHeld) {
			return nil
		}
	}
	w := &waiter[struct{}]{waker: who}
	m.line.push(w)
	return w
}

// unlock is Unlock or UnlockFrom, whose name is what, if release has not done it.
func (m *Mutex) unlock(what string, by *worker) {
	m.forget()
	m.lock.Lock()
	w := m.line.pop()
	if w == nil { // Debug has noted the holder, or whoever was in line has given up
		held := m.word.CompareAndSwap(mutexHeld, 0)
		m.lock.Unlock()
		if !held {
			panic("surewake: Mutex." + what + ": the Mutex is not locked")
		}
		return
	}
	m.noteLine()
	w.setAnswer(served)
	m.lock.Unlock()
	w.waker.wake(by)
}

// noteLine makes the word of m, which is held, say that nobody waits if that is so. It is called
// under the lock after somebody has left the line.
func (m *Mutex) noteLine() {
	if m.line.first == nil {
		m.word.Store(mutexHeld)
	}
}

// withdraw implements source.
func (m *Mutex) withdraw(w *waiter[struct{}], _ *worker) bool {
	m.lock.Lock()
	defer m.lock.Unlock()
	if w.answered() {
		return false
	}
	m.line.remove(w)
	m.noteLine()
	return true
}
