package hook

import (
	"sync"
	"unsafe"

	"github.com/surewake/surewake/model/explore"
)

// MutexLock is the hook of sync.Mutex.Lock.
//
//go:norace
//go:noinline
func MutexLock(m *sync.Mutex) {
	explore.Enter(unsafe.Pointer(m), explore.OpLock)
	m.Lock()
}

// MutexTryLock is the hook of sync.Mutex.TryLock.
//
//go:norace
//go:noinline
func MutexTryLock(m *sync.Mutex) bool {
	in := explore.Enter(unsafe.Pointer(m), explore.OpTryLock)
	v := m.TryLock()
	if in {
		explore.Leave(flag(v))
	}
	return v
}

// MutexUnlock is the hook of sync.Mutex.Unlock. Deferred unlocks of an
// execution that is torn down release the real mutex, since it may outlive
// the execution.
//
//go:norace
//go:noinline
func MutexUnlock(m *sync.Mutex) {
	if explore.Aborting() {
		if explore.MutexLocked(m) {
			m.Unlock()
		}
		return
	}
	if explore.Enter(unsafe.Pointer(m), explore.OpUnlock) && !explore.MutexLocked(m) {
		explore.Fail(explore.KindPanic, "fatal error: sync: unlock of unlocked mutex")
	}
	m.Unlock()
}

// RWMutexLock is the hook of sync.RWMutex.Lock: first the writer announces
// itself, which keeps new readers out, then it waits for those inside.
//
//go:norace
//go:noinline
func RWMutexLock(m *sync.RWMutex) {
	if explore.Enter(unsafe.Pointer(m), explore.OpRWAnnounce) {
		explore.Enter(unsafe.Pointer(m), explore.OpRWLock)
	}
	m.Lock()
}

// RWMutexTryLock is the hook of sync.RWMutex.TryLock.
//
//go:norace
//go:noinline
func RWMutexTryLock(m *sync.RWMutex) bool {
	in := explore.Enter(unsafe.Pointer(m), explore.OpRWTryLock)
	v := (!in || explore.RWTryLockAllowed(m)) && m.TryLock()
	if in {
		explore.Leave(flag(v))
	}
	return v
}

// RWMutexUnlock is the hook of sync.RWMutex.Unlock.
//
//go:norace
//go:noinline
func RWMutexUnlock(m *sync.RWMutex) {
	if explore.Aborting() {
		if explore.RWMutexWriting(m) {
			m.Unlock()
		}
		return
	}
	if explore.Enter(unsafe.Pointer(m), explore.OpRWUnlock) && !explore.RWMutexWriting(m) {
		explore.Fail(explore.KindPanic, "fatal error: sync: Unlock of unlocked RWMutex")
	}
	m.Unlock()
}

// RWMutexRLock is the hook of sync.RWMutex.RLock.
//
//go:norace
//go:noinline
func RWMutexRLock(m *sync.RWMutex) {
	explore.Enter(unsafe.Pointer(m), explore.OpRLock)
	m.RLock()
}

// RWMutexTryRLock is the hook of sync.RWMutex.TryRLock.
//
//go:norace
//go:noinline
func RWMutexTryRLock(m *sync.RWMutex) bool {
	in := explore.Enter(unsafe.Pointer(m), explore.OpTryRLock)
	v := (!in || explore.RWTryRLockAllowed(m)) && m.TryRLock()
	if in {
		explore.Leave(flag(v))
	}
	return v
}

// RWMutexRUnlock is the hook of sync.RWMutex.RUnlock.
//
//go:norace
//go:noinline
func RWMutexRUnlock(m *sync.RWMutex) {
	if explore.Aborting() {
		if explore.RWMutexReading(m) {
			m.RUnlock()
		}
		return
	}
	if explore.Enter(unsafe.Pointer(m), explore.OpRUnlock) && !explore.RWMutexReading(m) {
		explore.Fail(explore.KindPanic, "fatal error: sync: RUnlock of unlocked RWMutex")
	}
	m.RUnlock()
}

type rlocker struct{ m *sync.RWMutex }

func (r rlocker) Lock()   { RWMutexRLock(r.m) }
func (r rlocker) Unlock() { RWMutexRUnlock(r.m) }

// RWMutexRLocker is the hook of sync.RWMutex.RLocker.
func RWMutexRLocker(m *sync.RWMutex) sync.Locker { return rlocker{m} }

// WaitGroupAdd is the hook of sync.WaitGroup.Add.
//
//go:norace
//go:noinline
func WaitGroupAdd(wg *sync.WaitGroup, delta int) {
	explore.EnterDelta(unsafe.Pointer(wg), delta)
	wg.Add(delta)
}

// WaitGroupDone is the hook of sync.WaitGroup.Done.
//
//go:norace
//go:noinline
func WaitGroupDone(wg *sync.WaitGroup) { WaitGroupAdd(wg, -1) }

// WaitGroupWait is the hook of sync.WaitGroup.Wait.
//
//go:norace
//go:noinline
func WaitGroupWait(wg *sync.WaitGroup) {
	explore.Enter(unsafe.Pointer(wg), explore.OpWGWait)
	wg.Wait()
}

// WaitGroupGo is the hook of sync.WaitGroup.Go.
//
//go:norace
//go:noinline
func WaitGroupGo(wg *sync.WaitGroup, f func()) {
	if !explore.Active() {
		wg.Go(f)
		return
	}
	WaitGroupAdd(wg, 1)
	Go(func() {
		defer WaitGroupDone(wg)
		f()
	})
}

// OnceDo is the hook of sync.Once.Do.
//
//go:norace
//go:noinline
func OnceDo(o *sync.Once, f func()) {
	if !explore.Enter(unsafe.Pointer(o), explore.OpOnce) {
		o.Do(f)
		return
	}
	if !explore.OnceMine(unsafe.Pointer(o)) {
		o.Do(f) // done: the real operation has the edge
		return
	}
	ran := false
	o.Do(func() {
		ran = true
		defer onceDone(o)
		f()
	})
	if !ran {
		explore.OnceWasDone(unsafe.Pointer(o))
	}
}

//go:norace
//go:noinline
func onceDone(o *sync.Once) {
	if !explore.Aborting() {
		explore.Enter(unsafe.Pointer(o), explore.OpOnceDone)
	}
}

// OnceFunc is the hook of sync.OnceFunc.
func OnceFunc(f func()) func() {
	g := OnceValue(func() struct{} { f(); return struct{}{} })
	return func() { g() }
}

// OnceValue is the hook of sync.OnceValue.
func OnceValue[T any](f func() T) func() T {
	g := OnceValues(func() (T, struct{}) { return f(), struct{}{} })
	return func() T { v, _ := g(); return v }
}

// OnceValues is the hook of sync.OnceValues: as there, a panic of f is
// repeated at every call.
func OnceValues[A, B any](f func() (A, B)) func() (A, B) {
	var (
		once  sync.Once
		valid bool
		p     any
		a     A
		b     B
	)
	do := func() {
		defer func() {
			if !valid {
				p = Recover(recover())
				panic(p)
			}
		}()
		a, b = f()
		f = nil
		valid = true
	}
	return func() (A, B) {
		OnceDo(&once, do)
		if !valid {
			panic(p)
		}
		return a, b
	}
}

// CondWait is the hook of sync.Cond.Wait: the goroutine queues, unlocks, waits
// for its signal and locks again.
//
//go:norace
//go:noinline
func CondWait(c *sync.Cond) {
	if !explore.Enter(unsafe.Pointer(c), explore.OpCondAdd) {
		c.Wait()
		return
	}
	DynUnlock(c.L)
	explore.EnterCondWait(unsafe.Pointer(c))
	DynLock(c.L)
}

// CondSignal is the hook of sync.Cond.Signal. Every waiter that it may wake is
// explored: the documentation promises no order.
//
//go:norace
//go:noinline
func CondSignal(c *sync.Cond) {
	if explore.Enter(unsafe.Pointer(c), explore.OpCondSignal) {
		explore.CondEdge(unsafe.Pointer(c))
		return
	}
	c.Signal()
}

// CondBroadcast is the hook of sync.Cond.Broadcast.
//
//go:norace
//go:noinline
func CondBroadcast(c *sync.Cond) {
	if explore.Enter(unsafe.Pointer(c), explore.OpCondBroadcast) {
		explore.CondEdge(unsafe.Pointer(c))
		return
	}
	c.Broadcast()
}

// DynLock calls Lock on what may be a lock of package sync behind an interface.
func DynLock(l interface{ Lock() }) {
	switch m := l.(type) {
	case *sync.Mutex:
		MutexLock(m)
	case *sync.RWMutex:
		RWMutexLock(m)
	default:
		l.Lock()
	}
}

// DynUnlock is DynLock for Unlock.
func DynUnlock(l interface{ Unlock() }) {
	switch m := l.(type) {
	case *sync.Mutex:
		MutexUnlock(m)
	case *sync.RWMutex:
		RWMutexUnlock(m)
	default:
		l.Unlock()
	}
}

// DynRLock is DynLock for RLock.
func DynRLock(l interface{ RLock() }) {
	if m, ok := l.(*sync.RWMutex); ok {
		RWMutexRLock(m)
		return
	}
	l.RLock()
}

// DynRUnlock is DynLock for RUnlock.
func DynRUnlock(l interface{ RUnlock() }) {
	if m, ok := l.(*sync.RWMutex); ok {
		RWMutexRUnlock(m)
		return
	}
	l.RUnlock()
}

// DynTryLock is DynLock for TryLock.
func DynTryLock(l interface{ TryLock() bool }) bool {
	switch m := l.(type) {
	case *sync.Mutex:
		return MutexTryLock(m)
	case *sync.RWMutex:
		return RWMutexTryLock(m)
	}
	return l.TryLock()
}

// DynTryRLock is DynLock for TryRLock.
func DynTryRLock(l interface{ TryRLock() bool }) bool {
	if m, ok := l.(*sync.RWMutex); ok {
		return RWMutexTryRLock(m)
	}
	return l.TryRLock()
}

// DynWait calls Wait on what may be a WaitGroup or a Cond.
func DynWait(l interface{ Wait() }) {
	switch w := l.(type) {
	case *sync.WaitGroup:
		WaitGroupWait(w)
	case *sync.Cond:
		CondWait(w)
	default:
		l.Wait()
	}
}

// DynDone calls Done on what may be a WaitGroup.
func DynDone(l interface{ Done() }) {
	if w, ok := l.(*sync.WaitGroup); ok {
		WaitGroupDone(w)
		return
	}
	l.Done()
}

// DynAdd calls Add on what may be a WaitGroup.
func DynAdd(l interface{ Add(int) }, n int) {
	if w, ok := l.(*sync.WaitGroup); ok {
		WaitGroupAdd(w, n)
		return
	}
	l.Add(n)
}

// DynGo calls Go on what may be a WaitGroup.
func DynGo(l interface{ Go(func()) }, f func()) {
	if w, ok := l.(*sync.WaitGroup); ok {
		WaitGroupGo(w, f)
		return
	}
	l.Go(f)
}

// DynDo calls Do on what may be a Once.
func DynDo(l interface{ Do(func()) }, f func()) {
	if o, ok := l.(*sync.Once); ok {
		OnceDo(o, f)
		return
	}
	l.Do(f)
}

// DynSignal calls Signal on what may be a Cond.
func DynSignal(l interface{ Signal() }) {
	if c, ok := l.(*sync.Cond); ok {
		CondSignal(c)
		return
	}
	l.Signal()
}

// DynBroadcast calls Broadcast on what may be a Cond.
func DynBroadcast(l interface{ Broadcast() }) {
	if c, ok := l.(*sync.Cond); ok {
		CondBroadcast(c)
		return
	}
	l.Broadcast()
}
