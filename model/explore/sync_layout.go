package explore

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// A layout is what operations take the memory of their object for.
type layout uint8

const (
	noLayout layout = iota
	word4
	word8
	aValue
	aMutex
	anRWMutex
	aWaitGroup
	aOnce
	aCond
	aMap
	aPool
	aChannel
)

// layouts has, for each layout, the size, what is added to the address of an object to get its key
// in engine.table (what is an object may begin where another one does), and a function that reads
// the state of the real one, as far as executions that share it might leave it (left.go).
var layouts = [...]struct {
	name      string
	size, key uintptr
	state     func(p unsafe.Pointer) int64
}{
	noLayout:   {},
	word4:      {"an atomic word", 4, 0, nil},
	word8:      {"an atomic word", 8, 1, nil},
	aValue:     {"an atomic.Value", unsafe.Sizeof(atomic.Value{}), 2, nil},
	aMutex:     {"a sync.Mutex", unsafe.Sizeof(sync.Mutex{}), 0, stateOfMutex},
	anRWMutex:  {"a sync.RWMutex", unsafe.Sizeof(sync.RWMutex{}), 0, stateOfRWMutex},
	aWaitGroup: {"a sync.WaitGroup", unsafe.Sizeof(sync.WaitGroup{}), 0, stateOfGroup},
	aOnce:      {"a sync.Once", unsafe.Sizeof(sync.Once{}), 0, stateOfOnce},
	aCond:      {"a sync.Cond", unsafe.Sizeof(sync.Cond{}), 0, nil},
	aMap:       {"a sync.Map", unsafe.Sizeof(sync.Map{}), 0, nil},
	aPool:      {"a sync.Pool", unsafe.Sizeof(sync.Pool{}), 0, nil},
	aChannel:   {"a channel", 0, 0, nil}, // its model has it
}

func stateOfMutex(p unsafe.Pointer) int64 {
	if MutexLocked((*sync.Mutex)(p)) {
		return 1
	}
	return 0
}

func stateOfRWMutex(p unsafe.Pointer) int64 { return int64(readers((*sync.RWMutex)(p))) }

func stateOfGroup(p unsafe.Pointer) int64 { return int64(groupCounter(p)) }

func stateOfOnce(p unsafe.Pointer) int64 {
	return int64((*atomic.Uint32)(unsafe.Add(p, onceFinished)).Load())
}

// largest is the size of the largest layout.
var largest = func() (n uintptr) {
	for _, l := range layouts {
		n = max(n, l.size)
	}
	return n
}()

// layout returns what t's pending operation takes its memory for, or noLayout if it is on nothing
// that checked code has the address of.
func (t *thread) layout() layout {
	switch o := t.op; {
	case o.isAtomic() && t.onValue:
		return aValue
	case o.isAtomic() && t.word&Wide != 0:
		return word8
	case o.isAtomic(), OpFutexWait <= o && o <= OpFutexWake:
		return word4
	case o <= OpTryLock:
		return aMutex
	case o <= OpTryRLock:
		return anRWMutex
	case o <= OpWGWait:
		return aWaitGroup
	case o <= OpOnceDone:
		return aOnce
	case o <= OpCondBroadcast:
		return aCond
	case o <= OpMapRange:
		return aMap
	case o <= OpPoolPut:
		return aPool
	}
	return noLayout
}
