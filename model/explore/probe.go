package explore

import "sync"

// The state of a mutex stays in the mutex itself: whether an operation is
// enabled is asked of it by trying. Under the race detector the attempt is
// hidden, since it is not the program's.

func probeMutex(m *sync.Mutex) (ok bool) {
	quietly(func() {
		if ok = m.TryLock(); ok {
			m.Unlock()
		}
	})
	return
}

func probeRWMutex(m *sync.RWMutex) (ok bool) {
	quietly(func() {
		if ok = m.TryLock(); ok {
			m.Unlock()
		}
	})
	return
}

func probeRLock(m *sync.RWMutex) (ok bool) {
	quietly(func() {
		if ok = m.TryRLock(); ok {
			m.RUnlock()
		}
	})
	return
}

// MutexLocked reports whether *m is locked, without an edge for the race detector.
func MutexLocked(m *sync.Mutex) bool { return !probeMutex(m) }

// RWMutexWriting reports whether a writer holds *m.
func RWMutexWriting(m *sync.RWMutex) bool { return !probeRLock(m) }

// RWMutexReading reports whether readers hold *m.
func RWMutexReading(m *sync.RWMutex) bool { return !probeRWMutex(m) && probeRLock(m) }
