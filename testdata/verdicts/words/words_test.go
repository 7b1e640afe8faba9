// Package words holds programs in which atomic words of different sizes lie over one another, and
// others whose operations have more outcomes than their documentation suggests.
package words

import (
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/surewake/surewake/model"
)

func half(w *uint64) *uint32 { return (*uint32)(unsafe.Add(unsafe.Pointer(w), 4)) }

// verdict: FAILED loaded before the store
func TestHalfIsStoredFirst(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var w uint64
		x.Go("half", func() { atomic.StoreUint32(half(&w), 1) })
		x.Go("whole", func() {
			x.Assert(atomic.LoadUint64(&w) != 0, "loaded before the store")
		})
		x.Join()
	})
}

// verdict: FAILED loaded after the store
func TestHalfIsStoredLast(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var w uint64
		x.Go("whole", func() {
			x.Assert(atomic.LoadUint64(&w) == 0, "loaded after the store")
		})
		x.Go("half", func() { atomic.StoreUint32(half(&w), 1) })
		x.Join()
	})
}

// verdict: FAILED both halves
func TestTypedHalves(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var w atomic.Uint64
		low := (*atomic.Uint32)(unsafe.Pointer(&w))
		high := (*atomic.Uint32)(unsafe.Add(unsafe.Pointer(&w), 4))
		x.Go("low", func() { low.Store(1) })
		x.Go("high", func() { high.Store(1) })
		x.Go("whole", func() { x.Assert(w.Load() != 1<<32|1, "both halves") })
		x.Join()
	})
}

// Two words beside each other are two.
//
// verdict: proved, 1 trace
func TestNeighbours(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var pair struct{ a, b atomic.Uint32 }
		x.Go("a", func() { pair.a.Add(1) })
		x.Go("b", func() { pair.b.Add(1) })
		x.Join()
		x.Assert(pair.a.Load() == 1 && pair.b.Load() == 1, "lost")
	})
}

// Of two TryLocks that meet in package sync, both may fail.
//
// verdict: said TryLock
func TestTryLockOfTwo(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var rw sync.RWMutex
		var left atomic.Bool
		var one, two, late bool
		rw.RLock()
		x.Go("reader", func() { rw.RUnlock(); left.Store(true) })
		x.Go("one", func() {
			if one = rw.TryLock(); one {
				rw.Unlock()
			}
		})
		x.Go("two", func() {
			if late = left.Load(); late {
				if two = rw.TryLock(); two {
					rw.Unlock()
				}
			}
		})
		x.Join()
		x.Assert(!late || one || two, "nobody held it, nobody got it")
	})
}

// Values are handed from one goroutine to another by pointers that only the engine copies.
//
// verdict: proved
func TestManySendersAndReceivers(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		c := make(chan int)
		for range 3 {
			x.Go("sender", func() { c <- 1 })
			x.Go("receiver", func() { <-c })
		}
		x.Join()
	})
}

type halves struct{ low, high uint32 }

type atomicHalves struct{ low, high atomic.Uint32 }

func cast[T any](p unsafe.Pointer) *T { return (*T)(p) }

func castTo[P any](p unsafe.Pointer) P { return *(*P)(unsafe.Pointer(&p)) }

// lost adds to the whole word in two steps, and to its upper half.
func lost(t *testing.T, add func(w *uint64)) {
	model.Check(t, func(x *model.Exec) {
		w := new(uint64)
		x.Go("whole", func() { atomic.StoreUint64(w, atomic.LoadUint64(w)+1<<32) })
		x.Go("half", func() { add(w) })
		x.Join()
		x.Assert(*w == 2<<32, "%x", *w)
	})
}

// verdict: FAILED assertion
func TestHalfOfAStruct(t *testing.T) {
	lost(t, func(w *uint64) { atomic.AddUint32(&(*halves)(unsafe.Pointer(w)).high, 1) })
}

// verdict: FAILED assertion
func TestHalfOfAnArray(t *testing.T) {
	lost(t, func(w *uint64) { atomic.AddUint32(&(*[2]uint32)(unsafe.Pointer(w))[1], 1) })
}

// verdict: FAILED assertion
func TestHalfOfATypedStruct(t *testing.T) {
	lost(t, func(w *uint64) { (*atomicHalves)(unsafe.Pointer(w)).high.Add(1) })
}

// verdict: FAILED assertion
func TestHalfByATypeParameter(t *testing.T) {
	lost(t, func(w *uint64) { atomic.AddUint32(&cast[halves](unsafe.Pointer(w)).high, 1) })
}

// verdict: FAILED assertion
func TestHalfByAPointerToAPointer(t *testing.T) {
	lost(t, func(w *uint64) { castTo[*atomicHalves](unsafe.Pointer(w)).high.Add(1) })
}
