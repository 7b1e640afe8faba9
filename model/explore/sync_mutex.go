package explore

import "sync"

// The state of a Mutex is kept by the real mutex: TryLock tells whether Lock is enabled. The
// attempt is hidden from the race detector, because it is not the program's.
func init() {
	ops[OpLock] = operation{
		name:          "Lock",
		class:         write,
		enabled:       func(_ *engine, t *thread) bool { return probeMutex((*sync.Mutex)(t.ptr)) },
		enabledBefore: mutexFreeBefore,
		loop:          loopLocks,
	}
	ops[OpUnlock] = operation{name: "Unlock", class: write, loop: loopUnlocks}
	ops[OpTryLock] = operation{
		name:    "TryLock",
		class:   write,
		resolve: tryLockClass,
		boolean: true,
		leaves:  true,
	}
}

// tryLockClass: a TryLock that would fail only reads.
func tryLockClass(_ *engine, t *thread) class {
	if !probeMutex((*sync.Mutex)(t.ptr)) {
		return read
	}
	return write
}

// mutexFreeBefore reports whether the mutex was free just before f, which is so if f took it.
func mutexFreeBefore(_ *thread, f *event, _ int32) bool {
	return f.op == OpLock || f.op == OpTryLock && f.class == write
}

// probeMutex reports whether Lock would succeed.
func probeMutex(m *sync.Mutex) (ok bool) {
	quietly(func() {
		if ok = m.TryLock(); ok {
			m.Unlock()
		}
	})
	return
}

// MutexLocked reports whether *m is locked, without an edge for the race detector.
func MutexLocked(m *sync.Mutex) bool { return !probeMutex(m) }
