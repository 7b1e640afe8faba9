package explore

import "unsafe"

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
