package explore

import "unsafe"

func init() {
	ops[OpCall] = operation{name: "call", class: read}
	ops[OpReturn] = operation{name: "return", class: add}
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
