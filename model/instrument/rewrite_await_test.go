package instrument

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A receive says whether its value is used: a timer's value is the time.
func TestReceivesWhoseValueNobodyUsesSaySo(t *testing.T) {
	set := rewriteModule(t, newModule(t, `-- a.go --
package t

import "sync"

func F(a, b, c, d chan int) int {
	var lock sync.Mutex
	lock.Lock()
	<-a
	v := <-b
	select {
	case <-a:
	case (<-b):
	case v = <-c:
	case _, ok := <-d:
		_ = ok
	}
	return v
}
-- a_test.go --
package t

import "testing"

func TestNothing(*testing.T) {}
`))
	text := rewrittenText(t, set, "example.com/t", "a.go")
	for _, want := range []string{
		"\tsw_hook.Await(a)\n", "v := sw_hook.Recv(b)\n",
		"sw_hook.SelectAwait(&sw_select0, a)", "sw_hook.SelectAwait(&sw_select0, b)",
		"sw_hook.SelectRecv(&sw_select0, c)", "sw_hook.SelectRecv(&sw_select0, d)",
	} {
		require.Contains(t, text, want)
	}
}
