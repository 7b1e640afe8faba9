package explore

import (
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A program may assign to an object of package sync: once = sync.Once{}, or *p = T{} for a T that
// holds one. No operation tells the engine. So whenever a thread comes to an operation on such an
// object, its model is compared with the real one (operation.meet), which has the same state while
// nobody assigns to it, and follows it if they differ. The assignment is ordered with every use of
// the object, or it is a data race; so what happened before it is the history of another object.

// meet lets the model of the object of t's pending operation follow the real one.
func (e *engine) meet(t *thread) {
	o := &e.objs[t.obj]
	if f := ops[t.op].meet; f != nil {
		f(e, o, t.ptr)
	}
	if !o.met {
		o.met = true
		if l := t.layout(); layouts[l].state != nil {
			e.find(t.obj, t.ptr, l, layouts[l].state(t.ptr))
		}
	}
}

// FieldOffset returns the offset of a field, which is not exported, in t. It must have the kind.
func FieldOffset(t reflect.Type, kind reflect.Kind, path ...string) (offset uintptr) {
	at := t
	for i, name := range path {
		f, ok := at.FieldByName(name)
		if !ok || i == len(path)-1 && f.Type.Kind() != kind {
			panic("model/explore: " + t.String() + " of this Go release has another layout; " +
				"the checker does not know it yet")
		}
		offset += f.Offset
		at = f.Type
	}
	return offset
}

// The type of sync.Map is none of these: it would bring along its generic methods, compiled without
// the race detector.
var (
	groupState   = FieldOffset(reflect.TypeFor[sync.WaitGroup](), reflect.Uint64, "state", "v")
	onceFinished = FieldOffset(reflect.TypeFor[sync.Once](), reflect.Uint32, "done", "v")
	onceLock     = FieldOffset(reflect.TypeFor[sync.Once](), reflect.Struct, "m")
	condChecker  = FieldOffset(reflect.TypeFor[sync.Cond](), reflect.Uintptr, "checker")
)

// groupCounter returns the counter of the WaitGroup at p: the upper half of its state.
func groupCounter(p unsafe.Pointer) int32 {
	return int32((*atomic.Uint64)(unsafe.Add(p, groupState)).Load() >> 32)
}

// meetGroup: an execution in which a WaitGroup that was used is assigned to is irregular, because
// additions before the assignment are none to subtractions after it.
func meetGroup(_ *engine, o *object, p unsafe.Pointer) {
	n := groupCounter(p)
	if n == o.count {
		return
	}
	o.assigned = o.last >= 0
	o.count, o.base, o.waiters = n, n, o.waiters[:0]
}

// meetOnce: the real Once is done before the next operation after OpOnceDone, and locked while the
// function runs.
func meetOnce(_ *engine, o *object, p unsafe.Pointer) {
	switch {
	case (*atomic.Uint32)(unsafe.Add(p, onceFinished)).Load() != 0:
		o.state = onceDone
	case MutexLocked(lockOfOnce(p)):
		o.state = onceRuns
	default:
		o.state = onceFresh
	}
}

func lockOfOnce(p unsafe.Pointer) *sync.Mutex { return (*sync.Mutex)(unsafe.Add(p, onceLock)) }

// OnceReplaced reports whether the function of the Once at p has assigned to it: the lock is not
// held. The caller then fails; the lock is taken, because package sync releases it.
func OnceReplaced(p unsafe.Pointer) (replaced bool) {
	quietly(func() { replaced = lockOfOnce(p).TryLock() })
	return
}

// byNobody is the state of an RWMutex that was locked by nobody: it was copied from one that was.
const byNobody = 1<<31 - 1

// meetRWMutex: a writer that has announced itself and does not wait holds the real one.
func meetRWMutex(e *engine, o *object, p unsafe.Pointer) {
	n := readers((*sync.RWMutex)(p))
	if n < 0 {
		if o.state == 0 {
			o.state = byNobody
		}
		return
	}
	o.count = n
	if o.state != 0 && !e.announced(int(o.state)-1, p) {
		o.state = 0
	}
}

// announced reports whether thread id waits for the readers of the RWMutex at p.
func (e *engine) announced(id int, p unsafe.Pointer) bool {
	if !e.gated.has(id) {
		return false
	}
	t := e.threads[id]
	return t.op == OpRWLock && t.ptr == p
}

// MeetCond is called before each operation on the Cond at p. It reports whether p is a copy of one
// that has been used, for which package sync panics. The real Cond is not used in an execution, so
// its mark that it was is set here; what has none has no waiters.
//
//go:noinline
func MeetCond(p unsafe.Pointer) (copied bool) {
	if eng == nil || !InExecution() {
		return false
	}
	RaceRead(unsafe.Add(p, condChecker))
	mark := (*atomic.Uintptr)(unsafe.Add(p, condChecker))
	switch mark.Load() {
	case uintptr(p):
		return false
	case 0:
		mark.Store(uintptr(p))
		o := &eng.objs[eng.object(p)]
		o.waiters = o.waiters[:0]
		return false
	}
	return true
}
