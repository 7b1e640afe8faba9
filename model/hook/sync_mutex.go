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
