package hook

import (
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/surewake/surewake/model/explore"
)

// Types of sync, sync/atomic and time may be called through an interface, which only the running
// program can tell. Where the method could be one of theirs, the call goes to what Held gives.

// Held gives what is to be called in place of v: v itself, or something with the same methods that
// calls hooks if v is one of those types behind an interface, or has the method from one that it
// embeds. An atomic.Pointer, or such a type behind a type parameter, fails the check.
//
//go:norace
//go:noinline
func Held[T any](v T, method, what string) T {
	if !explore.Active() || explore.Aborting() {
		return v
	}
	h := hooked(any(v))
	if h == nil && !isAtomicPointer(any(v)) {
		e := embedded(any(v), method)
		for outer := e; outer != nil; outer = embedded(outer, method) {
			e = outer
		}
		h = hooked(e)
		if h == nil && !isAtomicPointer(e) {
			return v
		}
	}
	if h, ok := h.(T); ok {
		return h
	}
	explore.Fail(explore.KindRefused, what)
	return v
}

// hooked gives what has the methods of v and calls hooks, nil if v is none of those types.
//
//go:norace
//go:noinline
func hooked(v any) any {
	switch p := v.(type) {
	case *sync.Map:
		return heldMap{p}
	case *sync.Pool:
		return heldPool{p}
	case *time.Timer:
		return heldTimer{p}
	case *time.Ticker:
		return heldTicker{p}
	case *atomic.Bool:
		return &heldWord[atomic.Bool, bool]{p, BoolLoad, BoolStore, BoolSwap, BoolCompareAndSwap}
	case *atomic.Value:
		return &heldWord[atomic.Value, any]{
			p, ValueLoad, ValueStore, ValueSwap, ValueCompareAndSwap,
		}
	case *atomic.Int32:
		return &heldInt[atomic.Int32, int32]{
			heldWord[atomic.Int32, int32]{p, Int32Load, Int32Store, Int32Swap, Int32CompareAndSwap},
			Int32Add, Int32And, Int32Or,
		}
	case *atomic.Int64:
		return &heldInt[atomic.Int64, int64]{
			heldWord[atomic.Int64, int64]{p, Int64Load, Int64Store, Int64Swap, Int64CompareAndSwap},
			Int64Add, Int64And, Int64Or,
		}
	case *atomic.Uint32:
		return &heldInt[atomic.Uint32, uint32]{
			heldWord[atomic.Uint32, uint32]{
				p, Uint32Load, Uint32Store, Uint32Swap, Uint32CompareAndSwap,
			},
			Uint32Add, Uint32And, Uint32Or,
		}
	case *atomic.Uint64:
		return &heldInt[atomic.Uint64, uint64]{
			heldWord[atomic.Uint64, uint64]{
				p, Uint64Load, Uint64Store, Uint64Swap, Uint64CompareAndSwap,
			},
			Uint64Add, Uint64And, Uint64Or,
		}
	case *atomic.Uintptr:
		return &heldInt[atomic.Uintptr, uintptr]{
			heldWord[atomic.Uintptr, uintptr]{
				p, UintptrLoad, UintptrStore, UintptrSwap, UintptrCompareAndSwap,
			},
			UintptrAdd, UintptrAnd, UintptrOr,
		}
	}
	return nil
}

// isAtomicPointer recognizes every *atomic.Pointer[T].
func isAtomicPointer(v any) bool {
	t := reflect.TypeOf(v)
	return t != nil && t.Kind() == reflect.Pointer && t.Elem().PkgPath() == "sync/atomic" &&
		strings.HasPrefix(t.Elem().Name(), "Pointer[")
}

type heldMap struct{ m *sync.Map }

func (h heldMap) Load(key any) (value any, ok bool) { return MapLoad(h.m, key) }
func (h heldMap) Store(key, value any)              { MapStore(h.m, key, value) }
func (h heldMap) Clear()                            { MapClear(h.m) }
func (h heldMap) Delete(key any)                    { MapDelete(h.m, key) }

func (h heldMap) LoadOrStore(key, value any) (actual any, loaded bool) {
	return MapLoadOrStore(h.m, key, value)
}

func (h heldMap) LoadAndDelete(key any) (value any, loaded bool) {
	return MapLoadAndDelete(h.m, key)
}

func (h heldMap) Swap(key, value any) (previous any, loaded bool) {
	return MapSwap(h.m, key, value)
}

func (h heldMap) CompareAndSwap(key, old, new any) bool {
	return MapCompareAndSwap(h.m, key, old, new)
}

func (h heldMap) CompareAndDelete(key, old any) bool { return MapCompareAndDelete(h.m, key, old) }

func (h heldMap) Range(f func(key, value any) bool) { MapRange(h.m, f) }

type heldPool struct{ p *sync.Pool }

func (h heldPool) Get() any  { return PoolGet(h.p) }
func (h heldPool) Put(x any) { PoolPut(h.p, x) }

type heldTimer struct{ t *time.Timer }

func (h heldTimer) Stop() bool                 { return TimerStop(h.t) }
func (h heldTimer) Reset(d time.Duration) bool { return TimerReset(h.t, d) }

type heldTicker struct{ t *time.Ticker }

func (h heldTicker) Stop()                 { TickerStop(h.t) }
func (h heldTicker) Reset(d time.Duration) { TickerReset(h.t, d) }

// heldWord has the methods of a type P of sync/atomic that holds a V.
type heldWord[P, V any] struct {
	p     *P
	load  func(*P) V
	store func(*P, V)
	swap  func(*P, V) V
	cas   func(p *P, old, new V) bool
}

func (h *heldWord[P, V]) Load() V                        { return h.load(h.p) }
func (h *heldWord[P, V]) Store(v V)                      { h.store(h.p, v) }
func (h *heldWord[P, V]) Swap(v V) V                     { return h.swap(h.p, v) }
func (h *heldWord[P, V]) CompareAndSwap(old, new V) bool { return h.cas(h.p, old, new) }

// heldInt is heldWord of an integer.
type heldInt[P, V any] struct {
	heldWord[P, V]
	add, and, or func(*P, V) V
}

func (h *heldInt[P, V]) Add(v V) V { return h.add(h.p, v) }
func (h *heldInt[P, V]) And(v V) V { return h.and(h.p, v) }
func (h *heldInt[P, V]) Or(v V) V  { return h.or(h.p, v) }
