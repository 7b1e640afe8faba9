package explore

import (
	"sync"
	"unsafe"
)

// RWTryLockAllowed reports whether the caller, which has just entered
// OpRWTryLock, got the lock: no other writer had announced itself.
func RWTryLockAllowed(m *sync.RWMutex) bool {
	e := eng
	return e.objs[e.object(unsafe.Pointer(m))].state == int32(e.cur.id)+1
}

// RWTryRLockAllowed reports whether no writer has announced itself.
func RWTryRLockAllowed(m *sync.RWMutex) bool {
	e := eng
	return e.objs[e.object(unsafe.Pointer(m))].state == 0
}
