package explore

import (
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
)

// The state of a mutex stays in the mutex itself: whether an operation is
// enabled is asked of it. A Mutex answers by TryLock; under the race detector
// the attempt is hidden, since it is not the program's. An RWMutex reports
// every attempt to the detector as a memory access, which cannot be hidden, so
// its count of readers is read instead.

func probeMutex(m *sync.Mutex) (ok bool) {
	quietly(func() {
		if ok = m.TryLock(); ok {
			m.Unlock()
		}
	})
	return
}

// readerCount is where RWMutex keeps the number of its readers, less 2^30 while
// a writer holds it.
var readerCount = func() uintptr {
	f, ok := reflect.TypeFor[sync.RWMutex]().FieldByName("readerCount")
	if !ok || f.Type != reflect.TypeFor[atomic.Int32]() {
		panic("model/explore: sync.RWMutex of this Go release has no readerCount; the checker does not know it yet")
	}
	return f.Offset
}()

// readers is unsafe because the field is not exported; its place and type were
// looked up above.
func readers(m *sync.RWMutex) int32 {
	return (*atomic.Int32)(unsafe.Add(unsafe.Pointer(m), readerCount)).Load()
}

// probeRWMutex reports whether Lock would succeed, probeRLock whether RLock would.
func probeRWMutex(m *sync.RWMutex) bool { return readers(m) == 0 }

func probeRLock(m *sync.RWMutex) bool { return readers(m) >= 0 }

// MutexLocked reports whether *m is locked, without an edge for the race detector.
func MutexLocked(m *sync.Mutex) bool { return !probeMutex(m) }

// RWMutexWriting reports whether a writer holds *m.
func RWMutexWriting(m *sync.RWMutex) bool { return readers(m) < 0 }

// RWMutexReading reports whether readers hold *m.
func RWMutexReading(m *sync.RWMutex) bool { return readers(m) > 0 }
