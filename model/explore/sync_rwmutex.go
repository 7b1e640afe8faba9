package explore

import (
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
)

// The state of an RWMutex is kept by the real one. An attempt to lock it is reported to the race
// detector as a memory access, which cannot be hidden, so its count of readers is read instead.
//
// Lock is two operations:
//
//  1. The writer announces itself, which keeps new readers out.
//  2. It takes the lock when the readers inside have left.
//
// In the model, state is 1 + the thread that announced itself, and count is the number of readers.
func init() {
	ops[OpRWAnnounce] = operation{
		name:          "Lock (announce)",
		class:         announce,
		enabled:       func(e *engine, t *thread) bool { return e.objs[t.obj].state == 0 },
		enabledBefore: func(_ *thread, f *event, _ int32) bool { return f.state&rwAnnounced == 0 },
		before:        rwBefore,
		meet:          meetRWMutex,
		apply: func(e *engine, t *thread, _ int32) {
			e.objs[t.obj].state = int32(t.id) + 1
		},
		loop: loopEffect, // it keeps readers out
	}
	ops[OpRWLock] = operation{
		name:  "Lock",
		class: write,
		enabled: func(_ *engine, t *thread) bool {
			return probeRWMutex((*sync.RWMutex)(t.ptr))
		},
		// A TryRLock fails once the writer has announced itself. The readers that were inside may
		// leave before it, as RUnlock does not depend on it, and then the writer may lock before
		// it.
		enabledBefore: func(_ *thread, f *event, _ int32) bool {
			return f.state&rwRead == 0 || f.op == OpTryRLock
		},
		before: rwBefore,
		loop:   loopLocks,
	}
	ops[OpRWUnlock] = operation{
		name:   "Unlock",
		class:  write,
		before: rwBefore,
		meet:   meetRWMutex,
		apply:  func(e *engine, t *thread, _ int32) { e.objs[t.obj].state = 0 },
		loop:   loopUnlocks,
	}
	ops[OpRWTryLock] = operation{
		name:    "TryLock",
		class:   write,
		before:  rwBefore,
		meet:    meetRWMutex,
		apply:   rwTryLock,
		boolean: true,
		leaves:  true,
	}
	ops[OpRLock] = operation{
		name:  "RLock",
		class: read,
		enabled: func(e *engine, t *thread) bool {
			return e.objs[t.obj].state == 0 && probeRLock((*sync.RWMutex)(t.ptr))
		},
		enabledBefore: func(_ *thread, f *event, _ int32) bool { return f.state&rwAnnounced == 0 },
		before:        rwBefore,
		meet:          meetRWMutex,
		apply:         func(e *engine, t *thread, _ int32) { e.objs[t.obj].count++ },
		loop:          loopLocks,
	}
	ops[OpTryRLock] = operation{
		name:    "TryRLock",
		class:   read,
		before:  rwBefore,
		meet:    meetRWMutex,
		apply:   rwTryRLock,
		loop:    loopEffect,
		boolean: true,
		leaves:  true,
	}
	ops[OpRUnlock] = operation{
		name:   "RUnlock",
		class:  release,
		before: rwBefore,
		meet:   meetRWMutex,
		apply:  func(e *engine, t *thread, _ int32) { e.objs[t.obj].count-- },
		loop:   loopUnlocks,
	}
}

// The bits of what is recorded of an RWMutex before each event on it.
const (
	rwAnnounced = 1 << iota // a writer has announced itself
	rwRead                  // readers hold it
)

func rwBefore(o *object) (s uint8) {
	if o.state != 0 {
		s = rwAnnounced
	}
	if o.count != 0 {
		s |= rwRead
	}
	return s
}

func rwTryLock(e *engine, t *thread, _ int32) {
	if o := &e.objs[t.obj]; o.state == 0 && probeRWMutex((*sync.RWMutex)(t.ptr)) {
		o.state = int32(t.id) + 1
	}
}

func rwTryRLock(e *engine, t *thread, _ int32) {
	if o := &e.objs[t.obj]; o.state == 0 && probeRLock((*sync.RWMutex)(t.ptr)) {
		o.count++
	}
}

// readerCount is the offset of the number of readers in an RWMutex. A writer that holds it
// subtracts 2^30 from the number.
var readerCount = FieldOffset(reflect.TypeFor[sync.RWMutex](), reflect.Int32, "readerCount", "v")

// readers is unsafe because the field is not exported. Its offset and type were checked above.
func readers(m *sync.RWMutex) int32 {
	return (*atomic.Int32)(unsafe.Add(unsafe.Pointer(m), readerCount)).Load()
}

// probeRWMutex reports whether Lock would succeed, probeRLock whether RLock would.
func probeRWMutex(m *sync.RWMutex) bool { return readers(m) == 0 }
func probeRLock(m *sync.RWMutex) bool   { return readers(m) >= 0 }

// RWTryLockAllowed reports whether the caller, which has just entered OpRWTryLock, got the lock: no
// other writer had announced itself.
func RWTryLockAllowed(m *sync.RWMutex) bool {
	e := eng
	return e.objs[e.object(unsafe.Pointer(m))].state == int32(e.cur.id)+1
}

// RWTryRLockAllowed reports whether no writer has announced itself.
func RWTryRLockAllowed(m *sync.RWMutex) bool {
	e := eng
	return e.objs[e.object(unsafe.Pointer(m))].state == 0
}

// RWMutexWriting reports whether a writer holds *m.
func RWMutexWriting(m *sync.RWMutex) bool { return readers(m) < 0 }

// RWMutexReading reports whether readers hold *m.
func RWMutexReading(m *sync.RWMutex) bool { return readers(m) > 0 }
