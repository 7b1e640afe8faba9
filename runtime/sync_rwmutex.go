package runtime

import (
	"context"
	"sync"
	"sync/atomic"
)

// Readers and writers in one line
//
// The word of an RWMutex says who is inside, a writer or how many readers, and whether anybody is
// in line. It follows the rules of Mutex: while nobody is in line, one compare-and-swap changes it;
// the bit rwWaited is set and cleared under the lock, and while it is set, all changes need the
// lock. As there, a call that changes the word by one swap is one function without calls.
//
// There is one line. Whoever comes while it is not empty stands in it, so that neither readers nor
// writers starve. It is served from its front: a writer if nobody is inside, readers if no writer
// is, up to the first whose turn it is not. It is served whenever somebody has left, the lock or
// the line. The latter is easily forgotten: readers behind a writer wait for that writer, and when
// it gives up while other readers are inside, nobody else lets them pass. (runtime/R25)
//
// Rejected alternatives
//
//   - Preference for writers or for readers. The others starve.
//   - Letting all readers of the line in after each writer, as sync.RWMutex does: more of them read
//     at once. But a reader then passes writers that came before it, and what the second writer
//     waits for depends on who comes later.

// An RWMutex excludes writers from everybody else; any number of readers may hold it at once. As
// [Mutex], it is for tasks and goroutines, and may be held while a task waits. The zero RWMutex is
// unlocked. It must not be copied.
//
// It is handed over in the order in which calls have come: a reader that comes after a writer waits
// for that writer, and neither starves. So a task must not RLock what it holds already: if a writer
// has come in between, both wait for ever, or until they must end.
//
// An Unlock synchronizes before the return of each call that locks the RWMutex later, and an
// RUnlock before the return of each later Lock.
type RWMutex struct {
	// word has the bits below. Every goroutine may swap it while it does not say rwWaited;
	// everything else is under the lock.
	word atomic.Uint64
	lock sync.Mutex
	line line[bool] // under the lock; of who wants to write; empty unless the word says rwWaited
	// held has who is inside, if Debug knows: nil before the first, and never changed afterwards.
	held atomic.Pointer[rwHolders]
}

const (
	rwWriter uint64 = 1 << iota // a writer is inside
	rwWaited                    // somebody is in line
	rwReader                    // times the number of readers inside
)

// Lock waits until the task holds m alone, and returns nil; or returns [Cx.Err] without holding it
// if the task must end. A task that is cancelled at the moment when its turn comes holds m, and
// Lock returns nil.
func (m *RWMutex) Lock(cx Cx) error {
	if cx.goesOn() && m.TryLock() { // partners: the swaps of release and leave
		cx.coroutine.budget--
		return nil
	}
	cx.checkHere("RWMutex.Lock")
	return m.lockIn(cx, true)
}

// RLock is [RWMutex.Lock] for a reader: others may read at the same time.
func (m *RWMutex) RLock(cx Cx) error {
	if cx.goesOn() {
		s := m.word.Load() // partners: those of TryLock
		if s&(rwWriter|rwWaited) == 0 && m.word.CompareAndSwap(s, s+rwReader) {
			cx.coroutine.budget--
			return nil
		}
	}
	cx.checkHere("RWMutex.RLock")
	return m.lockIn(cx, false)
}

func (m *RWMutex) lockIn(cx Cx, writes bool) error {
	cx.charge() // first: a task that yields after it has locked keeps all others waiting
	if err := cx.stopErr(); err != nil {
		return err
	}
	if w := m.takeOrQueue(writes, cx.task); w != nil {
		if err := waitForLock(cx, w, m); err != nil {
			return err
		}
	}
	m.note(cx)
	return nil
}

// LockContext is [RWMutex.Lock] for goroutines that are not tasks, since it would block a worker.
// If ctx ends first, it returns the error of ctx, as [Handle.Wait] does.
func (m *RWMutex) LockContext(ctx context.Context) error {
	notNil(ctx, "RWMutex.LockContext")
	return m.lockOutside(ctx, true, "RWMutex.LockContext")
}

// RLockContext is [RWMutex.RLock] for goroutines that are not tasks, as LockContext is Lock.
func (m *RWMutex) RLockContext(ctx context.Context) error {
	notNil(ctx, "RWMutex.RLockContext")
	return m.lockOutside(ctx, false, "RWMutex.RLockContext")
}

// lockOutside is LockContext or RLockContext; what is the name of that.
func (m *RWMutex) lockOutside(ctx context.Context, writes bool, what string) error {
	if ctx.Err() != nil {
		return contextErr(ctx)
	}
	done := make(goroutine)
	w := m.takeOrQueue(writes, done)
	if w == nil {
		return nil
	}
	return w.waitOutside(ctx, m, done, what)
}

// TryLock locks m alone and returns true if nobody holds it. Otherwise it returns false. Any
// goroutine may call it.
func (m *RWMutex) TryLock() bool { return m.word.CompareAndSwap(0, rwWriter) }

// TryRLock locks m for reading and returns true if no writer holds it and nobody waits. Otherwise
// it returns false. Any goroutine may call it.
func (m *RWMutex) TryRLock() bool {
	s := m.word.Load()
	for s&(rwWriter|rwWaited) == 0 {
		if m.word.CompareAndSwap(s, s+rwReader) {
			return true
		}
		s = m.word.Load()
	}
	return false
}

// Unlock unlocks m, which a writer holds, or hands it over. Any goroutine may call it; a task
// should use [RWMutex.UnlockFrom]. It panics if no writer holds m.
func (m *RWMutex) Unlock() {
	if !m.release(rwWriter) {
		m.unlock("Unlock", nil)
	}
}

// UnlockFrom is [RWMutex.Unlock] for tasks: a task that gets m runs next on the worker of cx.
func (m *RWMutex) UnlockFrom(cx Cx) {
	cx.checkHere("RWMutex.UnlockFrom")
	if !m.release(rwWriter) {
		m.unlock("UnlockFrom", cx.coroutine.worker)
	}
}

// RUnlock unlocks m for one reader. Any goroutine may call it; a task should use
// [RWMutex.RUnlockFrom]. It panics if no reader holds m.
func (m *RWMutex) RUnlock() {
	if m.release(rwReader) {
		return
	}
	m.forget(nil, rwReader)
	m.runlock("RUnlock", nil)
}

// RUnlockFrom is [RWMutex.RUnlock] for tasks: a task that gets m runs next on the worker of cx.
func (m *RWMutex) RUnlockFrom(cx Cx) {
	cx.checkHere("RWMutex.RUnlockFrom")
	if m.release(rwReader) {
		return
	}
	m.forget(cx.task, rwReader)
	m.runlock("RUnlockFrom", cx.coroutine.worker)
}

// release takes one who is inside, rwWriter or rwReader, off m and returns true if nobody is in
// line, nobody else changes m meanwhile, and Debug has noted no holder.
func (m *RWMutex) release(who uint64) bool {
	s := m.word.Load()
	return m.held.Load() == nil && s&rwWaited == 0 && isInside(s, who) &&
		m.word.CompareAndSwap(s, s-who)
}

func (m *RWMutex) unlock(what string, by *worker) {
	m.forget(nil, rwWriter) // there is one
	if !m.leave(rwWriter, by) {
		panic("surewake: RWMutex." + what + ": no writer holds the RWMutex")
	}
}

func (m *RWMutex) runlock(what string, by *worker) {
	if !m.leave(rwReader, by) {
		panic("surewake: RWMutex." + what + ": no reader holds the RWMutex")
	}
}

// admitted returns the word after the entry of a reader or writer into m, whose word is s, and
// whether it may enter. It does not look at the line.
func admitted(s uint64, writes bool) (after uint64, may bool) {
	if writes {
		return s + rwWriter, s&^rwWaited == 0
	}
	return s + rwReader, s&rwWriter == 0
}

// takeOrQueue locks m and returns nil, or queues a waiter for who and returns it.
func (m *RWMutex) takeOrQueue(writes bool, who waker) *waiter[bool] {
	// Partners, here and below: leave, and the answer.
	if s := m.word.Load(); s&rwWaited == 0 {
		if after, may := admitted(s, writes); may && m.word.CompareAndSwap(s, after) {
			return nil
		}
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	for {
		s := m.word.Load()
		if s&rwWaited != 0 {
			break
		}
		if after, may := admitted(s, writes); !may {
			if m.word.CompareAndSwap(s, s|rwWaited) {
				break
			}
		} else if m.word.CompareAndSwap(s, after) {
			return nil
		}
	}
	w := &waiter[bool]{waker: who, payload: writes}
	m.line.push(w)
	return w
}

// leave takes one who is inside, rwWriter or rwReader, off m, serves the line, and returns true. It
// returns false if there is none.
func (m *RWMutex) leave(who uint64, by *worker) bool {
	s := m.word.Load()
	for ; s&rwWaited == 0 && isInside(s, who); s = m.word.Load() {
		if m.word.CompareAndSwap(s, s-who) {
			return true
		}
	}
	m.lock.Lock()
	for s = m.word.Load(); isInside(s, who); s = m.word.Load() {
		if m.word.CompareAndSwap(s, s-who) {
			granted := m.serve()
			m.lock.Unlock()
			granted.wakeAll(by)
			return true
		}
	}
	m.lock.Unlock()
	return false
}

// isInside reports whether s, a word, says that a writer is inside, if who is rwWriter, or a reader
// if it is rwReader.
func isInside(s, who uint64) bool {
	if who == rwWriter {
		return s&rwWriter != 0
	}
	return s >= rwReader
}

// serve lets in from the front of the line whose turn it is, and returns them, to be woken after
// the lock. It is called under the lock.
func (m *RWMutex) serve() (granted line[bool]) {
	s := m.word.Load()
	if s&rwWaited == 0 {
		return granted
	}
	for w := m.line.first; w != nil; w = m.line.first {
		after, may := admitted(s, w.payload)
		if !may {
			break
		}
		s = after
		m.line.remove(w)
		w.setAnswer(served)
		granted.push(w)
	}
	if m.line.first == nil {
		s &^= rwWaited
	}
	m.word.Store(s)
	return granted
}

// withdraw implements source. Readers behind a writer may enter where it could not.
func (m *RWMutex) withdraw(w *waiter[bool], by *worker) bool {
	m.lock.Lock()
	if w.answered() {
		m.lock.Unlock()
		return false
	}
	m.line.remove(w)
	granted := m.serve()
	m.lock.Unlock()
	granted.wakeAll(by)
	return true
}
