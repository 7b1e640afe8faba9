package instrument

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The race detector sees what is written element by element, and a slice that a call returns.
func TestWhatIsClearedIsWritten(t *testing.T) {
	set := rewriteModule(t, newModule(t, `-- a.go --
package t

import "sync"

type list []*int

func F[S ~[]E, E any, M ~map[int]E, L interface{ []int | []uint }](s S, m M, l L) {
	var lock sync.Mutex
	lock.Lock()
	clear(s[1:])
	clear(m)
	clear(l)
	defer clear(s)
	clear := func(S) {}
	clear(s)
}

func G(s list, n int) list {
	clear(s)
	s = append(s, (make(list, n))...)
	return append(s, make(list, n)[0])
}
-- a_test.go --
package t

import "testing"

func TestNothing(*testing.T) {}
`))
	text := rewrittenText(t, set, "example.com/t", "a.go")
	for _, want := range []string{
		"\tsw_hook.Clear(s[1:])\n\tclear(m)\n\tclear(l)\n\tdefer sw_hook.Clear(s)\n",
		"\tclear(s)\n}",
		"\tsw_hook.Clear(s)\n\ts = append(s, sw_hook.Made((make(list, n)))...)\n" +
			"\treturn append(s, make(list, n)[0])\n",
	} {
		require.Contains(t, text, want)
	}
	require.NoError(t, set.Build(t.Context(), "example.com/t", false, t.TempDir()+"/bin"))
}
