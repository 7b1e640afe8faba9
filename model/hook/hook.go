// Package hook is what rewritten code calls: for each operation of sync/atomic
// and sync, and for the rest of what the checker controls, a function that is
// a scheduling point followed by the real operation on the real memory.
// Outside a checked execution each does just the operation.
//
// The functions are not meant to be called by hand: the rewriter
// (model/instrument) puts the calls in.
//
// None of them is seen by the race detector (go:norace), but the operations
// inside are: the detector judges the program's own synchronization only.
package hook

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/surewake/surewake/model/explore"
)

//go:generate go run gen.go

const wordSize = uint8(unsafe.Sizeof(uintptr(0)))

func flag(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

var registered = map[string]bool{}

// Register notes that the package was rewritten. Packages register while they
// are initialized; Check refuses those that did not.
func Register(path string) bool {
	registered[path] = true
	return true
}

// Registered reports whether the package was rewritten.
func Registered(path string) bool { return registered[path] }

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
	in := explore.EnterCAS(unsafe.Pointer(p), 4, flag(old), flag(new)) // a Bool is a uint32 of 0 or 1
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
	in := explore.Enter(unsafe.Pointer(p), explore.OpLoad)
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
	in := explore.Enter(unsafe.Pointer(p), explore.OpStore)
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
	in := explore.Enter(unsafe.Pointer(p), explore.OpSwap)
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
	in := explore.Enter(unsafe.Pointer(p), explore.OpLoad)
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
	in := explore.Enter(unsafe.Pointer(p), explore.OpStore)
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
	in := explore.Enter(unsafe.Pointer(p), explore.OpSwap)
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

// ValueLoad is the hook of atomic.Value.Load.
//
//go:norace
//go:noinline
func ValueLoad(p *atomic.Value) any {
	in := explore.Enter(unsafe.Pointer(p), explore.OpLoad)
	v := p.Load()
	if in {
		explore.LeaveValue(func() string { return fmt.Sprint(v) })
	}
	return v
}

// ValueStore is the hook of atomic.Value.Store.
//
//go:norace
//go:noinline
func ValueStore(p *atomic.Value, val any) {
	in := explore.Enter(unsafe.Pointer(p), explore.OpStore)
	p.Store(val)
	if in {
		explore.LeaveValue(func() string { return fmt.Sprint(val) })
	}
}

// ValueSwap is the hook of atomic.Value.Swap.
//
//go:norace
//go:noinline
func ValueSwap(p *atomic.Value, new any) any {
	in := explore.Enter(unsafe.Pointer(p), explore.OpSwap)
	v := p.Swap(new)
	if in {
		explore.LeaveValue(func() string { return fmt.Sprint(v) })
	}
	return v
}

// ValueCompareAndSwap is the hook of atomic.Value.CompareAndSwap.
//
//go:norace
//go:noinline
func ValueCompareAndSwap(p *atomic.Value, old, new any) bool {
	in := explore.EnterCASFunc(unsafe.Pointer(p), func() bool { return explore.Hidden(func() bool { return p.Load() == old }) })
	v := p.CompareAndSwap(old, new)
	if in {
		explore.Leave(flag(v))
	}
	return v
}

// Go is the hook of the go statement.
//
//go:norace
//go:noinline
func Go(fn func()) {
	if !explore.Go("", fn, false) {
		go fn()
	}
}

// Gosched is the hook of runtime.Gosched. It is no scheduling point: the
// checker switches wherever that can matter.
//
//go:norace
//go:noinline
func Gosched() {
	if !explore.Active() {
		runtime.Gosched()
	}
}

// Goexit is the hook of runtime.Goexit.
//
//go:norace
//go:noinline
func Goexit() {
	explore.Goexit()
	runtime.Goexit()
}

// Recover is what recover() becomes: it does not let checked code swallow the
// end of an execution.
func Recover(v any) any { return explore.Recover(v) }

// Sleep is the hook of time.Sleep: the virtual clock moves on by d, and the
// goroutine goes on at any time after, as a sleep promises no more.
//
//go:norace
//go:noinline
func Sleep(d time.Duration) {
	if explore.EnterClock(explore.OpSleep, max(d, 0)) {
		return
	}
	time.Sleep(d)
}

// Now is the hook of time.Now.
//
//go:norace
//go:noinline
func Now() time.Time {
	if explore.EnterClock(explore.OpNow, 0) {
		return explore.Epoch.Add(explore.Now())
	}
	return time.Now()
}

// Since is the hook of time.Since.
//
//go:norace
//go:noinline
func Since(t time.Time) time.Duration {
	if explore.EnterClock(explore.OpNow, 0) {
		return explore.Epoch.Add(explore.Now()).Sub(t)
	}
	return time.Since(t)
}

// Until is the hook of time.Until.
//
//go:norace
//go:noinline
func Until(t time.Time) time.Duration {
	if explore.EnterClock(explore.OpNow, 0) {
		return t.Sub(explore.Epoch.Add(explore.Now()))
	}
	return time.Until(t)
}

// SpinStart begins an activation of a loop without effects of its own.
//
//go:norace
//go:noinline
func SpinStart() uint64 { return explore.SpinStart() }

// Spin stands at the head of each iteration of such a loop.
//
//go:norace
//go:noinline
func Spin(n uint64) { explore.Spin(n) }

// Refused gives v back outside an execution and fails the check inside one:
// what is done with v is not modelled.
//
//go:norace
//go:noinline
func Refused[T any](v T, what string) T {
	if explore.Active() && !explore.Aborting() {
		explore.Fail(explore.KindRefused, what)
	}
	return v
}

// NotAtomic gives v back, and fails the check when v is one of the types of
// sync/atomic, or one of sync's that are not modelled, behind an interface or a
// type parameter.
//
//go:norace
//go:noinline
func NotAtomic[T any](v T, what string) T {
	if explore.Active() && !explore.Aborting() {
		switch any(v).(type) {
		case *atomic.Bool, *atomic.Int32, *atomic.Int64, *atomic.Uint32, *atomic.Uint64, *atomic.Uintptr, *atomic.Value,
			*sync.Map, *sync.Pool, *sync.RWMutex:
			explore.Fail(explore.KindRefused, what)
		default:
			if isPointerType(any(v)) {
				explore.Fail(explore.KindRefused, what)
			}
		}
	}
	return v
}

// isPointerType recognizes every *atomic.Pointer[T] by a method set that
// nothing else in the standard library has.
func isPointerType(v any) bool {
	s := fmt.Sprintf("%T", v)
	return len(s) > 16 && s[:16] == "*atomic.Pointer["
}

// Bind00 and its siblings make method values.
func Bind00[P any](f func(P), p P) func() { return func() { f(p) } }

// Bind01 is Bind00 with a result.
func Bind01[P, R any](f func(P) R, p P) func() R { return func() R { return f(p) } }

// Bind10 is Bind00 with an argument.
func Bind10[P, A any](f func(P, A), p P) func(A) { return func(a A) { f(p, a) } }

// Bind11 is Bind00 with an argument and a result.
func Bind11[P, A, R any](f func(P, A) R, p P) func(A) R { return func(a A) R { return f(p, a) } }

// Bind21 is Bind00 with two arguments and a result.
func Bind21[P, A, B, R any](f func(P, A, B) R, p P) func(A, B) R {
	return func(a A, b B) R { return f(p, a, b) }
}
