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
