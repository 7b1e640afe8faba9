package hook

import (
	"unsafe"
)

// Functions of the runtime that programs reach by a directive for the linker. Those for random
// numbers are given the function that they stand for, what is assumed, and a site.

// LinkedNanotime stands for runtime.nanotime.
//
//go:norace
//go:noinline
func LinkedNanotime() int64 { return Now().UnixNano() }

// LinkedWalltime stands for runtime.walltime.
//
//go:norace
//go:noinline
func LinkedWalltime() (sec int64, nsec int32) {
	now := Now()
	return now.Unix(), int32(now.Nanosecond())
}

// LinkedNow stands for time.now.
//
//go:norace
//go:noinline
func LinkedNow() (sec int64, nsec int32, mono int64) {
	now := Now()
	return now.Unix(), int32(now.Nanosecond()), now.UnixNano()
}

// LinkedRand32 stands for runtime.cheaprand and runtime.fastrand.
//
//go:norace
//go:noinline
func LinkedRand32(_ func() uint32, assumption, site string) func() uint32 {
	return func() uint32 { return uint32(source{assumption, site}.Uint64() >> 32) }
}

// LinkedRandN stands for runtime.cheaprandn and runtime.fastrandn.
//
//go:norace
//go:noinline
func LinkedRandN(_ func(uint32) uint32, assumption, site string) func(uint32) uint32 {
	return func(n uint32) uint32 {
		return uint32(source{assumption, site}.Uint64() >> 32 * uint64(n) >> 32)
	}
}

// LinkedRand63 stands for runtime.cheaprand64.
//
//go:norace
//go:noinline
func LinkedRand63(_ func() int64, assumption, site string) func() int64 {
	return source{assumption, site}.Int63
}

// LinkedRand64 stands for runtime.rand and runtime.fastrand64.
//
//go:norace
//go:noinline
func LinkedRand64(_ func() uint64, assumption, site string) func() uint64 {
	return source{assumption, site}.Uint64
}

// LinkedMemhash stands for runtime.memhash: one hash, in all processes.
//
//go:norace
//go:noinline
func LinkedMemhash(
	_ func(p unsafe.Pointer, seed, n uintptr) uintptr, assumption, site string,
) func(p unsafe.Pointer, seed, n uintptr) uintptr {
	return func(p unsafe.Pointer, seed, n uintptr) uintptr {
		note(assumption, site)
		return hash(unsafe.Slice((*byte)(p), n), seed)
	}
}

// LinkedStrhash stands for runtime.strhash, whose argument points to a string.
//
//go:norace
//go:noinline
func LinkedStrhash(
	_ func(s unsafe.Pointer, seed uintptr) uintptr, assumption, site string,
) func(s unsafe.Pointer, seed uintptr) uintptr {
	return func(s unsafe.Pointer, seed uintptr) uintptr {
		note(assumption, site)
		text := *(*string)(s)
		return hash(unsafe.Slice(unsafe.StringData(text), len(text)), seed)
	}
}

// hash reads what it is given as any function does: the race detector sees it.
func hash(text []byte, seed uintptr) uintptr {
	h := uint64(seed) ^ 0xcbf29ce484222325 // FNV-1a, whose last bits mixed spreads
	for _, b := range text {
		h = (h ^ uint64(b)) * 0x100000001b3
	}
	return uintptr(mixed(h ^ uint64(len(text))))
}
