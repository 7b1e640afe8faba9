package t

import "sync/atomic"
import tm "time"
import "runtime"
import "sync"
import "testing"

var only uint64

// After rewriting, nothing in this file mentions these packages.
func TestOnlyFunctions(t *testing.T) {
	eq(t, atomic.AddUint64(&only, 1), uint64(1))
	tm.Sleep(1)
	runtime.Gosched()
	n := 0
	once := sync.OnceFunc(func() { n++ })
	once()
	once()
	eq(t, n, 1)
	eq(t, sync.OnceValue(func() int { return 5 })(), 5)
	a, b := sync.OnceValues[int, string](func() (int, string) { return 1, "x" })()
	eq(t, a, 1)
	eq(t, b, "x")
	start := tm.Now()
	eq(t, tm.Since(start) >= 0 && tm.Until(start) <= 0, true)
}
