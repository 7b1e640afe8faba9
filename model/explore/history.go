package explore

import "unsafe"

func init() {
	ops[OpCall] = operation{name: "call", class: read}
	ops[OpReturn] = operation{name: "return", class: add}
}

// Instant is the scheduling point before the call, or with returns before the return, of an
// operation of a history (package history). Whether one operation returned before another was
// called is part of a history, so calls and returns depend on one another.
func Instant(returns bool) {
	if e := eng; e != nil {
		op := OpCall
		if returns {
			op = OpReturn
		}
		Enter(unsafe.Pointer(&e.historyKey), op)
	}
}
