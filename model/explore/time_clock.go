package explore

import (
	"time"
	"unsafe"
)

// Epoch is what the virtual clock shows at the start of each execution.
var Epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Now is the virtual clock: it moves only by Sleep.
func Now() time.Duration { return eng.clock }

// EnterClock announces an operation on the virtual clock.
func EnterClock(op Op, d time.Duration) bool {
	e := eng
	if e == nil {
		return false
	}
	e.cur.old = uint64(d)
	return Enter(unsafe.Pointer(&e.clockKey), op)
}

// clockObject is the number of the object that stands for the clock.
func (e *engine) clockObject() int32 {
	return e.channel(&Chan{Ptr: unsafe.Pointer(&e.clockKey), Cap: 1})
}
