package t // comment

import . "sync/atomic"
import "testing"

func TestDot(t *testing.T) {
	var x int32
	eq(t, AddInt32(&x, 3), int32(3))
	f := LoadInt32
	eq(t, f(&x), int32(3))
	var v Int32
	v.Store(4)
	eq(t, v.Load(), int32(4))
}
