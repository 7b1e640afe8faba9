package instrument

import (
	"strings"
	"testing"
)

// A function without a body is modelled if a directive joins it with one of the runtime that is,
// and it has its type; whatever its name is.
func TestLinkedFunctions(t *testing.T) {
	dir := newModule(t, `-- linked/linked.go --
package linked

import _ "unsafe"

//go:linkname ticks runtime.nanotime
func ticks() int64

//go:linkname nanotime runtime.cheaprand
func nanotime() uint32

//go:linkname Unsigned runtime.nanotime
func Unsigned() uint64

//go:linkname pin runtime.procPin
func pin() int

func Sum() int64 { return ticks() + int64(nanotime()) + int64(Unsigned()) }

func Pinned() int { return pin() }

var Later = ticks
-- a_test.go --
package t

import (
	"testing"

	"example.com/t/linked"
)

func TestSum(t *testing.T) { linked.Sum() }
`)
	set := rewriteModule(t, dir)
	buildAndRun(t, set, "example.com/t", false)
	text := rewrittenText(t, set, "example.com/t", "linked.go")
	for _, want := range []string{
		"return sw_hook.LinkedNanotime() + ",
		`sw_hook.LinkedRand32(nanotime, "random numbers do not matter", "runtime.cheaprand linked/linked.go:17")()`,
		`sw_hook.Refused(Unsigned, "linked/linked.go:17:`,
		`sw_hook.Refused(pin, "linked/linked.go:19:`,
		"var Later = sw_hook.LinkedNanotime\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}
