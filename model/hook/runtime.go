package hook

import (
	"runtime"

	"github.com/surewake/surewake/model/explore"
)

// Go is the hook of the go statement.
//
//go:norace
//go:noinline
func Go(fn func()) {
	if !explore.Go("", fn, false) {
		explore.Begin(fn)
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
//
//go:norace
//go:noinline
func Recover(v any) any { return explore.Recover(v) }

// NumGoroutine is the hook of runtime.NumGoroutine: it counts the goroutines
// and coroutines of the execution. It is no scheduling point, so schedules
// that differ only in what it gives are not told apart.
//
//go:norace
//go:noinline
func NumGoroutine() int {
	if n := explore.Goroutines(); n > 0 {
		return n
	}
	return runtime.NumGoroutine()
}

// GOMAXPROCS is the hook of runtime.GOMAXPROCS. In an execution it gives what
// held before the check, and cannot be changed.
//
//go:norace
//go:noinline
func GOMAXPROCS(n int) int {
	procs := explore.Procs()
	if procs == 0 {
		return runtime.GOMAXPROCS(n)
	}
	if n > 0 && n != procs {
		explore.Fail(explore.KindRefused, "runtime.GOMAXPROCS cannot be changed in a check")
	}
	return procs
}

// Overlaid returns p, a pointer to an atomic word that was made of an unsafe.Pointer: another word
// may lie over it.
//
//go:norace
//go:noinline
func Overlaid[P any](p P) P {
	explore.OverlayWords()
	return p
}
