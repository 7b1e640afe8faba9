package explore

import (
	"fmt"
	"math/bits"
	"strconv"
	"sync"
	"time"
	"unsafe"
)

// EnterCASPointer is EnterCAS on a pointer.
func EnterCASPointer(p, old unsafe.Pointer) bool {
	return EnterCAS(p, uint8(unsafe.Sizeof(old)), uint64(uintptr(old)), 0)
}

// EnterDelta announces WaitGroup.Add of delta.
func EnterDelta(p unsafe.Pointer, delta int) bool {
	if e := eng; e != nil {
		e.cur.old = uint64(int64(delta))
	}
	return Enter(p, OpWGAdd)
}

// EnterClock announces an operation on the virtual clock.
func EnterClock(op Op, d time.Duration) bool {
	e := eng
	if e == nil {
		return false
	}
	e.cur.old = uint64(d)
	return Enter(unsafe.Pointer(&e.clockKey), op)
}

// Now is the virtual clock: it moves only by Sleep.
func Now() time.Duration { return eng.clock }

// EnterCondWait waits until a Signal or Broadcast on the Cond at c has chosen
// the caller.
func EnterCondWait(c unsafe.Pointer) {
	Enter(nil, OpCondWait)
	condAcquire(c)
}

// CondEdge makes what follows a wake-up synchronize after the Signal that
// caused it, as the documentation of Cond promises.
func CondEdge(c unsafe.Pointer) { condRelease(c) }

// OnceMine reports whether the caller, which has just entered OpOnce on o, is
// to run the function.
func OnceMine(o unsafe.Pointer) bool {
	e := eng
	return e.objs[e.object(o)].state == 1
}

// OnceWasDone notes that o had been done before the execution began.
func OnceWasDone(o unsafe.Pointer) {
	e := eng
	e.objs[e.object(o)].state = 2
}

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

// LeavePointer is Leave for a pointer, whose value differs from one execution
// to the next.
func LeavePointer(p unsafe.Pointer) {
	e := eng
	if e == nil || e.quiet {
		return
	}
	if e.rec != nil {
		e.rec.text(e.rec.pointer(p))
	}
	if e.cfg.Observe != nil {
		e.observe(e.cur, 0)
	}
}

// Serial numbers what checked code makes: by thread, and in the order in which
// that made it. It does not depend on how threads took turns.
func Serial() uint64 {
	e := eng
	if e == nil {
		return 0
	}
	t := e.cur
	t.serial++
	return uint64(t.id)<<32 | uint64(t.serial)
}

// PointerName gives a pointer the name by which lanes show it; "" when nothing is
// recorded.
func PointerName(p unsafe.Pointer) string {
	if e := eng; e != nil && e.rec != nil {
		return e.rec.pointer(p)
	}
	return ""
}

// Hidden runs f without edges for the race detector.
func Hidden(f func() bool) (ok bool) {
	quietly(func() { ok = f() })
	return
}

// pointer names pointers by first appearance, so that lanes can be compared.
func (r *recorder) pointer(p unsafe.Pointer) string {
	if p == nil {
		return "nil"
	}
	if r.ptrs == nil {
		r.ptrs = map[uint64]int{}
	}
	k := uint64(uintptr(p))
	if _, ok := r.ptrs[k]; !ok {
		r.ptrs[k] = len(r.ptrs) + 1
	}
	return fmt.Sprintf("&%d", r.ptrs[k])
}

// Instant is a scheduling point before the call or the return of a recorded
// operation. Whether one operation returned before another was called is part
// of a history, so these two depend on each other.
func Instant(returns bool) {
	if e := eng; e != nil {
		op := OpCall
		if returns {
			op = OpReturn
		}
		Enter(unsafe.Pointer(&e.historyKey), op)
	}
}

// Thread is the number of the running thread, 0 outside an execution.
func Thread() int {
	if e := eng; e != nil {
		return e.cur.id
	}
	return 0
}

// ThreadName is the name that a thread of the last execution had.
func ThreadName(i int) string {
	if e := latest; e != nil && i < len(e.threads) {
		return e.threads[i].name
	}
	return "goroutine " + strconv.Itoa(i)
}

// Goroutines is the number of threads of the running execution that have not
// ended and of its coroutines, 0 outside one.
func Goroutines() int {
	if e := eng; e != nil {
		return bits.OnesCount64(e.alive) + len(e.coros)
	}
	return 0
}

// Procs is what GOMAXPROCS was before the running exploration, 0 outside an
// execution.
func Procs() int {
	if e := eng; e != nil {
		return e.procs
	}
	return 0
}
