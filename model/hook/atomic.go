package hook

import (
	"sync/atomic"
	"unsafe"

	"github.com/surewake/surewake/model/explore"
)

//go:generate go run atomic_generate.go

const wordSize = uint8(unsafe.Sizeof(uintptr(0)))

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// BoolLoad is the hook of atomic.Bool.Load.
//
//go:norace
//go:noinline
func BoolLoad(p *atomic.Bool) bool {
	in := explore.Enter(unsafe.Pointer(p), explore.OpLoad)
	v := p.Load()
	if in {
		explore.Leave(flag(v))
	}
	return v
}

// BoolStore is the hook of atomic.Bool.Store.
//
//go:norace
//go:noinline
func BoolStore(p *atomic.Bool, val bool) {
	in := explore.Enter(unsafe.Pointer(p), explore.OpStore)
	p.Store(val)
	if in {
		explore.Leave(flag(val))
	}
}

// BoolSwap is the hook of atomic.Bool.Swap.
//
//go:norace
//go:noinline
func BoolSwap(p *atomic.Bool, new bool) bool {
	in := explore.Enter(unsafe.Pointer(p), explore.OpSwap)
	v := p.Swap(new)
	if in {
		explore.Leave(flag(v))
	}
	return v
}

// BoolCompareAndSwap is the hook of atomic.Bool.CompareAndSwap.
//
//go:norace
//go:noinline
func BoolCompareAndSwap(p *atomic.Bool, old, new bool) bool {
	// a Bool is a uint32 of 0 or 1
	in := explore.EnterCAS(unsafe.Pointer(p), 4, flag(old), flag(new))
	v := p.CompareAndSwap(old, new)
	if in {
		explore.Leave(flag(v))
	}
	return v
}

// PointerLoad is the hook of atomic.Pointer.Load.
//
//go:norace
//go:noinline
func PointerLoad[T any](p *atomic.Pointer[T]) *T {
	in := explore.Enter(unsafe.Pointer(p), explore.OpLoad|explore.WideIfPointer)
	v := p.Load()
	if in {
		explore.LeavePointer(unsafe.Pointer(v))
	}
	return v
}

// PointerStore is the hook of atomic.Pointer.Store.
//
//go:norace
//go:noinline
func PointerStore[T any](p *atomic.Pointer[T], val *T) {
	in := explore.Enter(unsafe.Pointer(p), explore.OpStore|explore.WideIfPointer)
	p.Store(val)
	if in {
		explore.LeavePointer(unsafe.Pointer(val))
	}
}

// PointerSwap is the hook of atomic.Pointer.Swap.
//
//go:norace
//go:noinline
func PointerSwap[T any](p *atomic.Pointer[T], new *T) *T {
	in := explore.Enter(unsafe.Pointer(p), explore.OpSwap|explore.WideIfPointer)
	v := p.Swap(new)
	if in {
		explore.LeavePointer(unsafe.Pointer(v))
	}
	return v
}

// PointerCompareAndSwap is the hook of atomic.Pointer.CompareAndSwap.
//
//go:norace
//go:noinline
func PointerCompareAndSwap[T any](p *atomic.Pointer[T], old, new *T) bool {
	in := explore.EnterCASPointer(unsafe.Pointer(p), unsafe.Pointer(old))
	v := p.CompareAndSwap(old, new)
	if in {
		explore.Leave(flag(v))
	}
	return v
}

// LoadPointer is the hook of atomic.LoadPointer.
//
//go:norace
//go:noinline
func LoadPointer(p *unsafe.Pointer) unsafe.Pointer {
	in := explore.Enter(unsafe.Pointer(p), explore.OpLoad|explore.WideIfPointer)
	v := atomic.LoadPointer(p)
	if in {
		explore.LeavePointer(v)
	}
	return v
}

// StorePointer is the hook of atomic.StorePointer.
//
//go:norace
//go:noinline
func StorePointer(p *unsafe.Pointer, val unsafe.Pointer) {
	in := explore.Enter(unsafe.Pointer(p), explore.OpStore|explore.WideIfPointer)
	atomic.StorePointer(p, val)
	if in {
		explore.LeavePointer(val)
	}
}

// SwapPointer is the hook of atomic.SwapPointer.
//
//go:norace
//go:noinline
func SwapPointer(p *unsafe.Pointer, new unsafe.Pointer) unsafe.Pointer {
	in := explore.Enter(unsafe.Pointer(p), explore.OpSwap|explore.WideIfPointer)
	v := atomic.SwapPointer(p, new)
	if in {
		explore.LeavePointer(v)
	}
	return v
}

// CompareAndSwapPointer is the hook of atomic.CompareAndSwapPointer.
//
//go:norace
//go:noinline
func CompareAndSwapPointer(p *unsafe.Pointer, old, new unsafe.Pointer) bool {
	in := explore.EnterCASPointer(unsafe.Pointer(p), old)
	v := atomic.CompareAndSwapPointer(p, old, new)
	if in {
		explore.Leave(flag(v))
	}
	return v
}
