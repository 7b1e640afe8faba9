package atomic

import (
	"sync/atomic"
	"unsafe"
)

// The types have the layout of those of sync/atomic.

// A Bool is a recorded atomic.Bool.
type Bool struct{ v atomic.Bool }

// Load is recorded.
func (x *Bool) Load() bool {
	return access(Load, unsafe.Pointer(x), 0, x.v.Load, same[bool], truth)
}

// Store is recorded.
func (x *Bool) Store(v bool) {
	access(Store, unsafe.Pointer(x), truth(v), func() bool { return x.v.Swap(v) },
		func(bool) bool { return v }, truth)
}

// An Int32 is a recorded atomic.Int32.
type Int32 struct{ v atomic.Int32 }

// Load is recorded.
func (x *Int32) Load() int32 {
	return access(Load, unsafe.Pointer(x), 0, x.v.Load, same[int32], number)
}

// Add is recorded.
func (x *Int32) Add(n int32) int32 {
	return n + access(Add, unsafe.Pointer(x), number(n),
		func() int32 { return x.v.Add(n) - n }, func(old int32) int32 { return old + n }, number)
}

// Store is recorded.
func (x *Int32) Store(n int32) {
	access(Store, unsafe.Pointer(x), number(n), func() int32 { return x.v.Swap(n) },
		func(int32) int32 { return n }, number)
}

// CompareAndSwap is recorded.
func (x *Int32) CompareAndSwap(from, to int32) bool {
	return compareAndSwap(unsafe.Pointer(x), from, to, x.v.CompareAndSwap, x.v.Load, number)
}

// A Uint32 is a recorded atomic.Uint32.
type Uint32 struct{ v atomic.Uint32 }

// Load is recorded.
func (x *Uint32) Load() uint32 {
	return access(Load, unsafe.Pointer(x), 0, x.v.Load, same[uint32], wide)
}

// Store is recorded.
func (x *Uint32) Store(n uint32) {
	access(Store, unsafe.Pointer(x), wide(n), func() uint32 { return x.v.Swap(n) },
		func(uint32) uint32 { return n }, wide)
}

// Swap is recorded.
func (x *Uint32) Swap(n uint32) uint32 {
	return access(Swap, unsafe.Pointer(x), wide(n), func() uint32 { return x.v.Swap(n) },
		func(uint32) uint32 { return n }, wide)
}

// CompareAndSwap is recorded.
func (x *Uint32) CompareAndSwap(from, to uint32) bool {
	return compareAndSwap(unsafe.Pointer(x), from, to, x.v.CompareAndSwap, x.v.Load, wide)
}

// A Uint64 is a recorded atomic.Uint64.
type Uint64 struct{ v atomic.Uint64 }

// Load is recorded.
func (x *Uint64) Load() uint64 {
	return access(Load, unsafe.Pointer(x), 0, x.v.Load, same[uint64], same[uint64])
}

// Store is recorded.
func (x *Uint64) Store(n uint64) {
	access(Store, unsafe.Pointer(x), n, func() uint64 { return x.v.Swap(n) },
		func(uint64) uint64 { return n }, same[uint64])
}

// And is recorded.
func (x *Uint64) And(mask uint64) uint64 {
	return access(And, unsafe.Pointer(x), mask, func() uint64 { return x.v.And(mask) },
		func(old uint64) uint64 { return old & mask }, same[uint64])
}

// Or is recorded.
func (x *Uint64) Or(mask uint64) uint64 {
	return access(Or, unsafe.Pointer(x), mask, func() uint64 { return x.v.Or(mask) },
		func(old uint64) uint64 { return old | mask }, same[uint64])
}

// CompareAndSwap is recorded.
func (x *Uint64) CompareAndSwap(from, to uint64) bool {
	return compareAndSwap(unsafe.Pointer(x), from, to, x.v.CompareAndSwap, x.v.Load,
		same[uint64])
}

func same[T any](x T) T { return x }

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func number(n int32) uint64 { return uint64(int64(n)) }

func wide(n uint32) uint64 { return uint64(n) }
