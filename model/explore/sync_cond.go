package explore

import "unsafe"

// EnterCondWait waits until a Signal or Broadcast on the Cond at c has chosen
// the caller.
func EnterCondWait(c unsafe.Pointer) {
	Enter(nil, OpCondWait)
	condAcquire(c)
}

// CondEdge makes what follows a wake-up synchronize after the Signal that
// caused it, as the documentation of Cond promises.
func CondEdge(c unsafe.Pointer) { condRelease(c) }
