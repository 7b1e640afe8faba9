package instrument

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const stateProgram = `
-- p.go --
package p

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"sync"
	"time"
)

var (
	mu       sync.Mutex
	cache    = map[string]int{}
	table    = []int{1, 2, 3}
	filled   [4]int
	errFull  = errors.New("full")
	key      = &name{"key"}
	start    = time.Now()
	due      = later()
	never    = func() any { return due }
	next     = counter()
	names    []string
	id       = add("id")
	_        = add("blank")
	alias    = cache
	size     = len(cache)
	unused   = map[string]int{}
	verbose  = flag.Bool("p.verbose", false, "")
	level    int
	out      = os.Stdout
	format   = func(n int) string { return fmt.Sprint(n, limit) }
	limit    = 3
	counts   struct{ hits, misses int }
	kept     = open()
)

type name struct{ text string }

func init() {
	for i := range filled {
		filled[i] = i
	}
}

func init() { add("init") }

func init() { level = *flag.Int("p.level", 1, "") }

func open() map[string]*os.File {
	f, _ := os.Open("/dev/null")
	return map[string]*os.File{"null": f}
}

func later() time.Time { return start.Add(time.Second) }

func counter() func() int { n := 0; return func() int { n++; return n } }

func add(s string) int { names = append(names, s); return len(names) }

func use(i int) (any, error) {
	mu.Lock()
	defer mu.Unlock()
	cache["x"]++
	counts.hits += table[i] + filled[i] + next()
	add("use")
	kept["other"] = nil
	fmt.Fprintln(out, time.Since(start), due, never(), id, size, alias["x"], *verbose)
	fmt.Fprintln(out, format(level))
	return key, errFull
}

func none() { unused["x"]++ }
-- p_test.go --
package p

import (
	"testing"

	"github.com/surewake/surewake/model"
)

func TestUse(t *testing.T) {
	model.Check(t, func(x *model.Exec) { _, _ = use(1) })
}

func TestOrdinary(t *testing.T) { none() }
`

func TestChecksMakeAnewWhatTheyCanChange(t *testing.T) {
	set := rewriteModule(t, newModule(t, stateProgram))
	_, err := set.plan(context.Background(), "example.com/t", false)
	require.NoError(t, err)
	var fresh, kept, steps []string
	for _, ss := range set.sessions {
		for v := range ss.state.fresh {
			if v.Pkg().Path() == "example.com/t" {
				fresh = append(fresh, v.Name())
			}
		}
		for v, why := range ss.state.kept {
			kept = append(kept, v.Name()+": "+why)
		}
		for _, s := range ss.state.steps {
			if where := ss.where(s.c, s.unitPos()); s.again && strings.HasPrefix(where, "p.go") {
				line := ss.fset.Position(s.unitPos()).Line
				steps = append(steps, strings.Split(string(s.file.text), "\n")[line-1])
			}
		}
	}
	slices.Sort(fresh)
	require.Equal(t, "alias cache counts due id mu names next start", strings.Join(fresh, " "))
	require.Equal(t, []string{"kept: its initialisation calls os.Open"}, kept)
	for i := range steps {
		steps[i] = strings.Join(strings.Fields(steps[i]), " ")
	}
	require.Equal(t, []string{
		`cache = map[string]int{}`, `start = time.Now()`, `due = later()`, `next = counter()`, `id = add("id")`,
		`_ = add("blank")`, `alias = cache`, `func init() { add("init") }`,
	}, steps)
}
