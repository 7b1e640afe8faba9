package instrument

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A goroutine pauses before a call of code that is not rewritten when all operands are evaluated.
func TestCallsAreMarkedAfterTheirOperands(t *testing.T) {
	set := rewriteModule(t, newModule(t, `-- a_test.go --
package t

import (
	"fmt"
	"io"
	"testing"
)

func add(p *int) int { *p++; return *p }

func TestA(t *testing.T) {
	n := new(int)
	fmt.Fprintln(io.Discard, "n", *n, add(n), nil)
	fmt.Print()
	defer fmt.Print(*n)
}
`))
	text := ""
	for name, rewritten := range rewrittenFiles(t, set, "example.com/t", true) {
		if filepath.Base(name) == "a_test.go" {
			text = rewritten
		}
	}
	for _, want := range []string{
		`fmt.Fprintln(sw_hook.Evaluated(io.Discard), "n", sw_hook.Evaluated(*n), ` +
			`sw_hook.PauseAfter(add(n)), nil)`,
		`sw_hook.PauseAfter(fmt.Print)()`,
		`defer fmt.Print(*n); defer sw_hook.Pause()`,
	} {
		require.Contains(t, text, want)
	}
	require.NotContains(t, rewrittenText(t, set, "example.com/t", "a_test.go"), "Pause")
}

// What may hold code that is not rewritten is marked where it is called, or handed to who calls it.
func TestWhatMayBeForeignIsMarked(t *testing.T) {
	set := rewriteModule(t, newModule(t, `-- a_test.go --
package t

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"sync"
	"testing"
	"text/template"
	"time"
)

type has struct{ io.Closer }

func each[C interface{ Close() error }](c C) { c.Close() }

var _ = template.Must(template.New("").Parse(""))

func stops() (context.Context, func()) { return nil, nil }

func TestA(t *testing.T) {
	var (
		f    func(int) bool
		seq  iter.Seq[int]
		c    io.Closer
		once sync.Once
		do   interface{ Do(func()) } = &once
		g    func()
	)
	f(1)
	c.Close()
	defer c.Close()
	go f(2)
	go c.Close()
	for range seq {
	}
	_ = slices.ContainsFunc([]int(nil), f)
	_, _ = io.WriteString(nil, "")
	time.AfterFunc(0, g)
	do.Do(g)
	h := c.Close
	k := fmt.Print
	e := os.Setenv
	_, _, _ = h, k, e
	func() { has{c}.Close() }()
	func() { go fmt.Print(1) }()
	func() { l := io.Closer.Close; _ = l }()
	func() { context.AfterFunc(stops()) }()
	func() { fmt.Print(os.Getwd()) }()
}
`))
	text := ""
	for name, rewritten := range rewrittenFiles(t, set, "example.com/t", true) {
		if filepath.Base(name) == "a_test.go" {
			text = rewritten
		}
	}
	for _, want := range []string{
		"\tsw_hook.CalledHere(f)(1)\n",
		"\tsw_hook.CalledHere(c).Close()\n",
		"\tdefer sw_hook.CalledHere(c).Close()\n",
		"sw_f := sw_hook.CalledAnywhere(f);",
		"sw_f := sw_hook.CalledAnywhere(c).Close;",
		"for range sw_hook.CalledHere(seq) {",
		"slices.ContainsFunc([]int(nil), sw_hook.CalledHere(f))",
		"sw_hook.TimeAfterFunc(0, sw_hook.CalledAnywhere(g))",
		"sw_hook.DynDo(do, sw_hook.CalledAnywhere(g))",
		"h := sw_hook.CalledAnywhere(c).Close\n",
		"{ sw_hook.CalledHere(c).Close() }",
		"{sw_hook.ForeignHere(); has{c}.Close() }",
		"{sw_hook.ForeignAnywhere(); { sw_f := fmt.Print;",
		"{sw_hook.ForeignAnywhere(); l := io.Closer.Close",
		"{sw_hook.ForeignAnywhere(); sw_hook.ContextAfterFunc(stops())",
		"{ return sw_hook.CalledHere(sw_hook.Global(os.Setenv, ",
	} {
		require.Contains(t, text, want)
	}
	require.NotContains(t, text, "RegisterForeignAnywhere")
	require.NotContains(t, rewrittenText(t, set, "example.com/t", "a_test.go"), "Called")
}
