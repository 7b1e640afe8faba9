package hook

import (
	"sync"
	"unsafe"

	"github.com/surewake/surewake/model/explore"
)

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
		explore.Assume(tryLockAssumption)
		explore.Leave(flag(v))
	}
	return v
}

// In package sync, RWMutex.TryLock holds an inner lock for a moment while it looks for readers, and
// another TryLock that comes then fails, though nobody gets the lock.
const tryLockAssumption = "RWMutex.TryLock fails only while the lock is held or a writer waits"

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

func (r rlocker) Lock() { RWMutexRLock(r.m) }

func (r rlocker) Unlock() { RWMutexRUnlock(r.m) }

// RWMutexRLocker is the hook of sync.RWMutex.RLocker.
func RWMutexRLocker(m *sync.RWMutex) sync.Locker { return rlocker{m} }
