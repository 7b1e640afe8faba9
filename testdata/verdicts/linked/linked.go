// Package linked reaches functions of the runtime by directives for the linker.
package linked

import "unsafe"

//go:linkname nanotime runtime.nanotime
func nanotime() int64

//go:linkname walltime runtime.walltime
func walltime() (sec int64, nsec int32)

//go:linkname now time.now
func now() (sec int64, nsec int32, mono int64)

//go:linkname cheaprand runtime.cheaprand
func cheaprand() uint32

//go:linkname fastrandn runtime.fastrandn
func fastrandn(n uint32) uint32

//go:linkname fastrand64 runtime.fastrand64
func fastrand64() uint64

//go:linkname memhash runtime.memhash
func memhash(p unsafe.Pointer, seed, n uintptr) uintptr

//go:linkname strhash runtime.strhash
func strhash(s unsafe.Pointer, seed uintptr) uintptr

//go:linkname procPin runtime.procPin
func procPin() int

//go:linkname procUnpin runtime.procUnpin
func procUnpin()
