package t // comment

import . "sync/atomic"
import . "iter"
import "testing"

func TestDot(t *testing.T) {
	var x int32
	eq(t, AddInt32(&x, 3), int32(3))
	f := LoadInt32
	eq(t, f(&x), int32(3))
	var v Int32
	v.Store(4)
	eq(t, v.Load(), int32(4))
	next, stop := Pull(func(yield func(int) bool) { yield(7) })
	defer stop()
	n, _ := next()
	eq(t, n, 7)
}
