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
	"reflect"
	"runtime"
	"strings"

	"github.com/surewake/surewake/model/explore"
)

var registered = map[string]bool{}

// Register records that the package was rewritten. Packages register when they are initialized;
// Check refuses packages that did not.
//
//go:noinline
func Register(path string) bool {
	registered[path] = true
	if _, file, _, ok := runtime.Caller(1); ok {
		explore.Own(path, file)
	}
	return true
}

// Foreign says that some rewritten package calls code that is not rewritten and may synchronize.
var Foreign bool

// RegisterForeign records that a package calls such code. Packages do so when they are initialized.
func RegisterForeign() bool {
	Foreign = true
	return true
}

// RegisterForeignAnywhere records that a package keeps a function that is not rewritten as a value,
// which any goroutine may call. Packages do so when they are initialized.
func RegisterForeignAnywhere() bool {
	explore.ForeignAnywhere()
	return true
}

// ShowWord says how traces show the words that the calling file uses on a line. Packages do so when
// they are initialized.
//
//go:noinline
func ShowWord(line int, show func(v uint64) string) bool {
	if _, file, _, ok := runtime.Caller(1); ok {
		explore.ShowWord(file, line, show)
	}
	return true
}

// Registered reports whether the package was rewritten.
func Registered(path string) bool { return registered[path] }

// Refused returns v, and fails a check that is running: what is done with v is not modelled.
//
//go:norace
//go:noinline
func Refused[T any](v T, what string) T {
	if explore.Active() && !explore.Aborting() {
		explore.Fail(explore.KindRefused, what)
	}
	if len(states) > 0 && explore.Probing() {
		panic(notRepeated(what))
	}
	return v
}

// RefusedOfLibrary is Refused for an interface that holds a connection of the standard library.
//
//go:norace
//go:noinline
func RefusedOfLibrary[T any](v T, what string) T {
	if t := reflect.TypeOf(v); t != nil {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		switch path, _, _ := strings.Cut(t.PkgPath(), "/"); {
		case path == "net", t.PkgPath() == "crypto/tls":
			return Refused(v, what)
		}
	}
	return v
}
