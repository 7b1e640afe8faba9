package hook

import (
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/surewake/surewake/model/explore"
)

// ValueLoad is the hook of atomic.Value.Load.
//
//go:norace
//go:noinline
func ValueLoad(p *atomic.Value) any {
	in := explore.EnterValue(unsafe.Pointer(p), explore.OpLoad)
	v := p.Load()
	if in {
		explore.LeaveValue(func() string { return show(v) })
	}
	return v
}

// ValueStore is the hook of atomic.Value.Store.
//
//go:norace
//go:noinline
func ValueStore(p *atomic.Value, val any) {
	in := explore.EnterValue(unsafe.Pointer(p), explore.OpStore)
	p.Store(val)
	if in {
		explore.LeaveValue(func() string { return show(val) })
	}
}

// ValueSwap is the hook of atomic.Value.Swap.
//
//go:norace
//go:noinline
func ValueSwap(p *atomic.Value, new any) any {
	in := explore.EnterValue(unsafe.Pointer(p), explore.OpSwap)
	v := p.Swap(new)
	if in {
		explore.LeaveValue(func() string { return show(v) })
	}
	return v
}

// valueWords is an atomic.Value, and an interface value, as the words that sync/atomic works on.
type valueWords struct{ typ, data unsafe.Pointer }

// ValueCompareAndSwap is the hook of atomic.Value.CompareAndSwap. Go loads the value and compares
// it with old by ==; then it swaps if the data word is still what it has loaded. In between another
// goroutine can store an equal value that lies elsewhere, and nothing is swapped though the value
// was equal to old all the time. So these are two steps, except where equal data are the same word,
// and where old is nil.
//
//go:norace
//go:noinline
func ValueCompareAndSwap(p *atomic.Value, old, new any) bool {
	typ := reflect.TypeOf(old)
	if new == nil || typ != nil && typ != reflect.TypeOf(new) {
		return p.CompareAndSwap(old, new) // panics before it looks at *p
	}
	if typ == nil || isWord(typ) {
		in := explore.EnterCASFunc(unsafe.Pointer(p), func() bool {
			return explore.Hidden(func() bool { return p.Load() == old })
		})
		v := p.CompareAndSwap(old, new)
		if in {
			explore.Leave(flag(v))
		}
		return v
	}
	in := explore.EnterValue(unsafe.Pointer(p), explore.OpLoad)
	if !in {
		return p.CompareAndSwap(old, new)
	}
	now := p.Load()
	explore.LeaveValue(func() string { return show(now) })
	if now == nil {
		return false
	}
	if reflect.TypeOf(now) != typ {
		return p.CompareAndSwap(old, new) // panics
	}
	if now != old { // panics if the type is not comparable
		return false
	}
	word := &(*valueWords)(unsafe.Pointer(p)).data
	was := (*valueWords)(unsafe.Pointer(&now)).data
	explore.EnterCASFunc(unsafe.Pointer(p), func() bool {
		return explore.Hidden(func() bool { return atomic.LoadPointer(word) == was })
	})
	v := atomic.CompareAndSwapPointer(word, was, (*valueWords)(unsafe.Pointer(&new)).data)
	explore.Leave(flag(v))
	return v
}

// isWord reports whether a value of type t is held in an interface's data word itself, so that
// equal ones are the same.
//
//go:norace
func isWord(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Chan, reflect.UnsafePointer:
		return true
	}
	return false
}
