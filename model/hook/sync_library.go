package hook

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/surewake/surewake/model/explore"
	"github.com/surewake/surewake/model/virtual"
)

// MapLoad is the hook of sync.Map.Load.
//
//go:norace
//go:noinline
func MapLoad(m *sync.Map, key any) (value any, ok bool) {
	if !explore.InExecution() {
		return m.Load(key)
	}
	return mapOf(m).Load(key)
}

// MapStore is the hook of sync.Map.Store.
//
//go:norace
//go:noinline
func MapStore(m *sync.Map, key, value any) {
	if !explore.InExecution() {
		m.Store(key, value)
		return
	}
	mapOf(m).Store(key, value)
}

// MapClear is the hook of sync.Map.Clear.
//
//go:norace
//go:noinline
func MapClear(m *sync.Map) {
	if !explore.InExecution() {
		m.Clear()
		return
	}
	mapOf(m).Clear()
}

// MapLoadOrStore is the hook of sync.Map.LoadOrStore.
//
//go:norace
//go:noinline
func MapLoadOrStore(m *sync.Map, key, value any) (actual any, loaded bool) {
	if !explore.InExecution() {
		return m.LoadOrStore(key, value)
	}
	return mapOf(m).LoadOrStore(key, value)
}

// MapLoadAndDelete is the hook of sync.Map.LoadAndDelete.
//
//go:norace
//go:noinline
func MapLoadAndDelete(m *sync.Map, key any) (value any, loaded bool) {
	if !explore.InExecution() {
		return m.LoadAndDelete(key)
	}
	return mapOf(m).LoadAndDelete(key)
}

// MapDelete is the hook of sync.Map.Delete.
//
//go:norace
//go:noinline
func MapDelete(m *sync.Map, key any) {
	if !explore.InExecution() {
		m.Delete(key)
		return
	}
	mapOf(m).Delete(key)
}

// MapSwap is the hook of sync.Map.Swap.
//
//go:norace
//go:noinline
func MapSwap(m *sync.Map, key, value any) (previous any, loaded bool) {
	if !explore.InExecution() {
		return m.Swap(key, value)
	}
	return mapOf(m).Swap(key, value)
}

// MapCompareAndSwap is the hook of sync.Map.CompareAndSwap.
//
//go:norace
//go:noinline
func MapCompareAndSwap(m *sync.Map, key, old, new any) (swapped bool) {
	if !explore.InExecution() {
		return m.CompareAndSwap(key, old, new)
	}
	return mapOf(m).CompareAndSwap(key, old, new)
}

// MapCompareAndDelete is the hook of sync.Map.CompareAndDelete.
//
//go:norace
//go:noinline
func MapCompareAndDelete(m *sync.Map, key, old any) (deleted bool) {
	if !explore.InExecution() {
		return m.CompareAndDelete(key, old)
	}
	return mapOf(m).CompareAndDelete(key, old)
}

// MapRange is the hook of sync.Map.Range.
//
//go:norace
//go:noinline
func MapRange(m *sync.Map, f func(key, value any) bool) {
	if !explore.InExecution() {
		m.Range(f)
		return
	}
	mapOf(m).Range(f)
}

// nilPool is what Get and Put of package sync panic with. Under the race detector its Put drops
// one value in four before it looks at the pool, so it is of no use here.
const nilPool = "nil Pool"

// PoolPut is the hook of sync.Pool.Put.
//
//go:norace
//go:noinline
func PoolPut(p *sync.Pool, x any) {
	if !explore.InExecution() {
		p.Put(x)
		return
	}
	if x == nil {
		return
	}
	if p == nil {
		panic(nilPool)
	}
	poolOf(p).Put(x)
}

// PoolGet is the hook of sync.Pool.Get.
//
//go:norace
//go:noinline
func PoolGet(p *sync.Pool) any {
	if !explore.InExecution() {
		return p.Get()
	}
	if p == nil {
		panic(nilPool)
	}
	x := poolOf(p).Get()
	if x != nil {
		return x
	}
	explore.RaceRead(unsafe.Pointer(&p.New))
	if p.New != nil {
		x = CalledHere(p.New)()
	}
	return x
}

// A sync.Pool whose contents are in use has local set, or victim and its size. Of others victim is
// never followed, so it can hold a mark.
var (
	poolType       = reflect.TypeFor[sync.Pool]()
	poolLocal      = explore.FieldOffset(poolType, reflect.UnsafePointer, "local")
	poolVictim     = explore.FieldOffset(poolType, reflect.UnsafePointer, "victim")
	poolVictimSize = explore.FieldOffset(poolType, reflect.Uintptr, "victimSize")
)

// poolOf returns what stands for p in the running execution.
//
//go:norace
//go:noinline
func poolOf(p *sync.Pool) *virtual.Pool {
	at := unsafe.Pointer(p)
	explore.RaceRead(unsafe.Add(at, poolLocal))
	mark := (*unsafe.Pointer)(unsafe.Add(at, poolVictim))
	if *(*unsafe.Pointer)(unsafe.Add(at, poolLocal)) != nil ||
		*(*uintptr)(unsafe.Add(at, poolVictimSize)) != 0 {
		mark = nil
	}
	return virtual.PoolOf(at, mark)
}

// mapRoot is the offset of what a sync.Map has once it was used.
var mapRoot = explore.FieldOffset(
	reflect.TypeFor[sync.Map](), reflect.UnsafePointer, "m", "root", "v")

// mapOf returns what stands for m in the running execution.
func mapOf(m *sync.Map) *virtual.Map {
	if m == nil {
		m.Clear() // panics
	}
	p := unsafe.Pointer(m)
	explore.RaceRead(p)
	return virtual.MapOf(p, (*unsafe.Pointer)(unsafe.Add(p, mapRoot)), m.Range)
}
