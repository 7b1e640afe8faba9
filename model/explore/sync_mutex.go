package explore

import "sync"

// A Mutex keeps its state in itself: whether Lock is enabled is asked of it by
// TryLock. Under the race detector the attempt is hidden, since it is not the
// program's.
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

// tryLockClass: a TryLock that fails only reads.
func tryLockClass(_ *engine, t *thread) class {
	if !probeMutex((*sync.Mutex)(t.ptr)) {
		return read
	}
	return write
}

// mutexFreeBefore reports whether the mutex was free just before f: so it was if
// f took it.
func mutexFreeBefore(f *event) bool {
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
