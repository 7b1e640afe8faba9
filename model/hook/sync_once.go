package hook

import (
	"sync"
	"unsafe"

	"github.com/surewake/surewake/model/explore"
)

// OnceDo is the hook of sync.Once.Do.
//
//go:norace
//go:noinline
func OnceDo(o *sync.Once, f func()) {
	if !explore.Enter(unsafe.Pointer(o), explore.OpOnce) {
		o.Do(f)
		return
	}
	if !explore.OnceMine(unsafe.Pointer(o)) {
		o.Do(f) // done: the real operation has the edge
		return
	}
	o.Do(func() {
		defer onceDone(o)
		f()
	})
}

//go:norace
//go:noinline
func onceDone(o *sync.Once) {
	if explore.Aborting() {
		return
	}
	explore.Enter(unsafe.Pointer(o), explore.OpOnceDone)
	if explore.OnceReplaced(unsafe.Pointer(o)) {
		explore.Fail(explore.KindPanic, "fatal error: sync: unlock of unlocked mutex")
	}
}

// OnceFunc is the hook of sync.OnceFunc.
func OnceFunc(f func()) func() {
	g := OnceValue(func() struct{} { f(); return struct{}{} })
	return func() { g() }
}

// OnceValue is the hook of sync.OnceValue.
func OnceValue[T any](f func() T) func() T {
	g := OnceValues(func() (T, struct{}) { return f(), struct{}{} })
	return func() T { v, _ := g(); return v }
}

// OnceValues is the hook of sync.OnceValues: as there, a panic of f is
// repeated at every call.
func OnceValues[A, B any](f func() (A, B)) func() (A, B) {
	var (
		once  sync.Once
		valid bool
		p     any
		a     A
		b     B
	)
	do := func() {
		defer func() {
			if !valid {
				p = Recover(recover())
				panic(p)
			}
		}()
		a, b = f()
		f = nil
		valid = true
	}
	return func() (A, B) {
		OnceDo(&once, do)
		if !valid {
			panic(p)
		}
		return a, b
	}
}
