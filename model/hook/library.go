package hook

import "github.com/surewake/surewake/model/explore"

// Shared gives v back, and notes in an execution that what is done with v meets state that several
// goroutines can reach, unseen by the checker. site says what it is and where, assumption
// under which the order of such uses does not matter.
//
//go:norace
//go:noinline
func Shared[T any](v T, assumption, site string) T {
	explore.NoteUse(explore.Use{Assumption: assumption, Site: site}, true)
	return v
}

// Global is Shared for state that outlives the execution, which is looked at before the next one.
//
//go:norace
//go:noinline
func Global[T any](v T, assumption, site string) T {
	explore.Outlive()
	return Shared(v, assumption, site)
}

// Outside is Shared for what depends on the world outside of the execution, even if only one
// goroutine is left.
//
//go:norace
//go:noinline
func Outside[T any](v T, assumption, site string) T {
	explore.NoteUse(explore.Use{Assumption: assumption, Site: site}, false)
	return v
}

// Ranged is Outside for a map that a loop visits, also in the initialisers that have run before the
// executions. One entry has one order.
//
//go:norace
//go:noinline
func Ranged[M ~map[K]V, K comparable, V any](m M, assumption, site string) M {
	if len(m) > 1 {
		orderIsOne(assumption, site)
	}
	return m
}

// orderIsOne notes that a map was visited in one order, in an execution or before all of them.
//
//go:norace
func orderIsOne(assumption, site string) {
	use := explore.Use{Assumption: assumption, Site: site}
	if explore.InExecution() {
		explore.NoteUse(use, false)
	} else {
		explore.NoteBefore(use)
	}
}

// Evaluated gives v back: an argument of a call of code that is not rewritten, evaluated before the
// PauseAfter that stands further right in the call.
//
//go:norace
//go:noinline
func Evaluated[T any](v T) T { return v }

// PauseAfter gives back the last operand that is evaluated before such a call, and lets others run
// before it if the execution is one that pauses here.
//
//go:norace
//go:noinline
func PauseAfter[T any](v T) T {
	explore.Pause()
	return v
}

// Pause is PauseAfter for a call that is deferred.
//
//go:norace
//go:noinline
func Pause() { explore.Pause() }

// CalledHere gives v back, which the goroutine calls, or of which it calls a method: here, or in a
// function of the standard library.
//
//go:norace
//go:noinline
func CalledHere[T any](v T) T {
	if explore.Race && explore.InExecution() && explore.IsForeign(v) {
		explore.ForeignHere()
	}
	return v
}

// CalledAnywhere is CalledHere for what another goroutine may call.
//
//go:norace
//go:noinline
func CalledAnywhere[T any](v T) T {
	if explore.Race && explore.IsForeign(v) {
		explore.ForeignAnywhere()
	}
	return v
}

// ForeignHere stands at the beginning of a function that calls code that is not rewritten where
// that cannot be marked.
//
//go:norace
//go:noinline
func ForeignHere() { explore.ForeignHere() }

// ForeignAnywhere stands at the beginning of a function that makes a value of one that is not
// rewritten, or starts a goroutine with it.
//
//go:norace
//go:noinline
func ForeignAnywhere() { explore.ForeignAnywhere() }
