package instrument

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/hook"
)

const watchProgram = `
-- a.go --
package p

import (
	"errors"
	"hash/crc32"
	"log"
	"regexp"
	"time"
)

var (
	errFull = errors.New("full")
	table   = crc32.MakeTable(crc32.IEEE)
	word    = regexp.MustCompile("a+")
	when    struct{ at time.Time }
	either  any
	number  int
	text    = "a"
	primes  = [...]int{2, 3, 5}
	what    = func() { log.Print(time.UTC, time.Local) }
	_       = errors.New("blank")

	get, set = pair()
	other, _ = pair()
	boxed    = any(more())
	unused   = any(more())
)

func more() func() int { n := 0; return func() int { n++; return n } }

func pair() (func() int, func(int)) {
	n := 0
	return func() int { return n }, func(v int) { n = v }
}
-- b_test.go --
package p

import (
	"testing"

	"github.com/surewake/surewake/model"
)

func TestUse(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Assert(errFull != nil && number == 0 && get() == other() && boxed != unused, "")
	})
}
-- c_test.go --
package p

import "testing"

func init() { number = 0 }

func TestMain(m *testing.M) { number = 1; set(2); use(boxed); m.Run() }

func use(any) {}
`

func TestVariablesThatLeadOnAreWatched(t *testing.T) {
	set := rewriteModule(t, newModule(t, watchProgram))
	text := rewrittenText(t, set, "example.com/t", "a.go")
	var names []string
	for _, m := range regexp.MustCompile(`Watched\("(\w+)"`).FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	require.Equal(t, strings.Fields("boxed either errFull table unused when word"), names)
}

func TestClosuresThatTestMainMayCallAreKept(t *testing.T) {
	require.Equal(t, hook.CalledBefore, calledBefore)
	set := rewriteModule(t, newModule(t, watchProgram))
	_, err := set.plan(context.Background(), "example.com/t", false)
	require.NoError(t, err)
	require.Len(t, set.sessions, 1)
	for _, ss := range set.sessions {
		kept := map[string]string{}
		for v, why := range ss.state.kept {
			kept[v.Name()] = why
		}
		require.Equal(t, map[string]string{
			"get": calledBefore, "set": calledBefore, "boxed": calledBefore,
		}, kept)
		for v := range ss.state.fresh {
			require.NotEqual(t, "get", v.Name())
		}
	}
}

func TestInitialisationEndsInTheLastFile(t *testing.T) {
	set := rewriteModule(t, newModule(t, watchProgram))
	const call = "func init() { sw_hook.Initialised() }"
	require.NotContains(t, rewrittenText(t, set, "example.com/t", "b_test.go"), call)
	text := rewrittenText(t, set, "example.com/t", "c_test.go")
	require.Contains(t, text, `import sw_of_time "time"`)
	require.Contains(t, text, "\nvar _ = sw_hook.State(\"time\", "+
		"sw_hook.Watched(\"Local\", \"\", &sw_of_time.Local), "+
		"sw_hook.Watched(\"UTC\", \"\", &sw_of_time.UTC))\n")
	require.Contains(t, text, `sw_hook.Watched("Default()", "", sw_of_log.Default())`)
	require.NotContains(t, text, "sw_of_flag", "no package imports it")
	require.NotContains(t, text, "sw_of_errors", "nothing of it is a variable that is mentioned")
	require.Greater(t, strings.Index(text, call), strings.Index(text, "func TestMain"))
}
