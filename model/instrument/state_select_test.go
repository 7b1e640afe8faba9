package instrument

import (
	"context"
	"maps"
	"path/filepath"
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
	key      = &name{"key", errFull}
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
	opens    int
	opened   = opens + len(open())
	reopened = func() bool { opens++; return open() != nil }()
	another  = map[string]func(){"use": func() { add("another") }}
	counted  = map[string]int{"calls": add("counted")}
	errNamed = addError("named")
	errOuter = fmt.Errorf("outer: %w", errNamed)
)

func addError(s string) error { add(s); return errors.New(s) }

type name struct {
	text string
	err  error
}

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

func use(i int) (*name, error) {
	mu.Lock()
	defer mu.Unlock()
	cache["x"]++
	counts.hits += table[i] + filled[i] + next()
	add("use")
	kept["other"] = nil
	opens++
	fmt.Fprintln(out, time.Since(start), due, never(), id, size, alias["x"], *verbose)
	fmt.Fprintln(out, format(level))
	if errors.Is(errOuter, errNamed) {
		return nil, errOuter
	}
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

func TestNone(t *testing.T) {
	model.Check(t, func(x *model.Exec) { none() })
}

func TestAnother(t *testing.T) {
	model.Check(t, func(x *model.Exec) { another["use"]() })
}

func TestOrdinary(t *testing.T) { none() }
`

// stateOf chooses what takes part in the executions of the program's checks.
func stateOf(t *testing.T) *packageState {
	t.Helper()
	set := rewriteModule(t, newModule(t, stateProgram))
	_, err := set.plan(context.Background(), "example.com/t", false)
	require.NoError(t, err)
	require.Len(t, set.sessions, 1)
	for _, ss := range set.sessions {
		return ss.state
	}
	return nil
}

// parts lists the variables and steps of the program that p has, each step by its line.
func parts(p *packageState) (fresh, kept, steps []string) {
	for v := range p.fresh {
		if v.Pkg().Path() == "example.com/t" {
			fresh = append(fresh, v.Name())
		}
	}
	for v, why := range p.kept {
		kept = append(kept, v.Name()+": "+why)
	}
	for _, s := range p.steps {
		if where := p.ss.where(s.c, s.unitPos()); p.again[s] && strings.HasPrefix(where, "p.go") {
			line := p.ss.fset.Position(s.unitPos()).Line
			text := strings.Split(string(s.file.text), "\n")[line-1]
			steps = append(steps, strings.Join(strings.Fields(text), " "))
		}
	}
	slices.Sort(fresh)
	return fresh, kept, steps
}

func TestChecksMakeAnewWhatTheyCanChange(t *testing.T) {
	fresh, kept, steps := parts(stateOf(t))
	slices.Sort(kept)
	require.Equal(t, "alias another cache counted counts due errNamed errOuter id mu names next "+
		"start unused",
		strings.Join(fresh, " "))
	require.Equal(t, []string{"kept: its initialisation calls os.Open",
		"opens: its initialisation calls os.Open"}, kept)
	require.Equal(t, []string{
		`cache = map[string]int{}`, `start = time.Now()`, `due = later()`, `next = counter()`,
		`id = add("id")`, `_ = add("blank")`, `alias = cache`, `unused = map[string]int{}`,
		`another = map[string]func(){"use": func() { add("another") }}`,
		`counted = map[string]int{"calls": add("counted")}`, `errNamed = addError("named")`,
		`errOuter = fmt.Errorf("outer: %w", errNamed)`, `func init() { add("init") }`,
	}, steps)
}

func TestACheckDoesWithoutWhatOthersChange(t *testing.T) {
	p := stateOf(t)
	require.Equal(t, []string{"TestAnother", "TestNone", "TestUse"},
		slices.Sorted(maps.Keys(p.leftOut)))
	variables := func(test string) []string {
		var names []string
		for _, part := range p.leftOut[test] {
			if name, ok := strings.CutPrefix(part, "example.com/t."); ok {
				names = append(names, name)
			}
		}
		return names
	}
	require.Equal(t, []string{"another", "unused"}, variables("TestUse"))
	all := "alias another cache counted counts due errNamed errOuter id kept mu names next opens start"
	require.Equal(t, strings.Fields(all), variables("TestNone"))
	require.Equal(t, strings.Fields("alias cache counts due errOuter kept mu next opens start unused"),
		variables("TestAnother"), "a function in a table changes names")
	steps := func(test string) (n int) {
		for _, part := range p.leftOut[test] {
			if strings.HasPrefix(part, "example.com/t#") {
				n++
			}
		}
		return n
	}
	require.Equal(t, []int{2, 12, 7},
		[]int{steps("TestUse"), steps("TestNone"), steps("TestAnother")})
}

// What is changed by code that does not mention the variable is made anew, too, and init functions
// that call others by interfaces and tables are run again.
func TestChecksMakeAnewWhatOthersChange(t *testing.T) {
	for name, c := range map[string]struct{ fresh, again string }{
		"remade": {
			"assigned begins byExpression byMethod converted copied decoded direct drivers " +
				"embedded errAbout errBusy errOuter errState errTwo filled generic getLatch hook " +
				"inMap inStruct incStd lines loud mounted nested next ofTwo ops plugins ranged " +
				"ready returned sequence setLatch sliced std theLatch verbose",
			"begins direct filled hook later lines plugins setups verbose",
		},
		"handedon": {
			"argument copied drawn element errAnonymous errAround errBoth errByName " +
				"errByNumber errCalled errConverted errCounted errFirst errGiven errHeld " +
				"errJoined errKept errListed errMade errNone errOfCall errOfInit errOfLibrary " +
				"errPair errSeeded errSet errSliced errTallied errTexted errWrapped field held isBusy key listed " +
				"message namer next ofInit oneOfTwo parameter renamed result",
			"errAround errByName errConverted errConverted errConverted errConverted errGiven " +
				"errKept errOfInit errSet isBusy next ofInit",
		},
		"begun": {
			"anyone byDeclared byExpression byField byInstance byMethodValue byRange byReflection " +
				"declared expressions function instances method plugins sequence starters",
			"expressions function instances method plugins sequence starters",
		},
		"hooks":     {"called hook invoked object", ""},
		"pointed":   {"all idle last limit peer verbose", ""},
		"sentinels": {"errCrowded limit", ""},
	} {
		pkg := "github.com/surewake/surewake/testdata/verdicts/" + name
		set := rewriteModule(t, filepath.Join("..", ".."), "./testdata/verdicts/"+name)
		_, err := set.plan(context.Background(), pkg, false)
		require.NoError(t, err)
		require.Len(t, set.sessions, 1)
		fresh, again := []string{}, []string{}
		for _, ss := range set.sessions {
			for v := range ss.state.fresh {
				if v.Pkg().Path() == pkg {
					fresh = append(fresh, v.Name())
				}
			}
			for _, s := range ss.state.steps {
				if name == "begun" && s.decl != nil && s.c.pkg.Path() == pkg {
					require.True(t, s.starts, "line %d begins a goroutine",
						ss.fset.Position(s.decl.Pos()).Line)
				}
				for v := range s.unit.reads {
					if ss.state.again[s] && s.decl != nil && v.Pkg().Path() == pkg {
						again = append(again, v.Name())
					}
				}
			}
		}
		slices.Sort(fresh)
		require.Equal(t, strings.Fields(c.fresh), fresh)
		slices.Sort(again)
		require.Equal(t, strings.Fields(c.again), again)
	}
}

// Each of these tests has the error made anew that it changes, though no other type of errors has a
// state in it.
func TestErrorsThatOneTestChanges(t *testing.T) {
	const pkg = "github.com/surewake/surewake/testdata/verdicts/handedon"
	set := rewriteModule(t, filepath.Join("..", ".."), "./testdata/verdicts/handedon")
	_, err := set.plan(context.Background(), pkg, false)
	require.NoError(t, err)
	for _, ss := range set.sessions {
		for test, v := range map[string]string{
			"TestErrorWithAnEmbeddedState":    "errCounted",
			"TestErrorWithAStateOfTheLibrary": "errSeeded",
			"TestErrorWithAnEmbeddedArray":    "errTallied",
			"TestErrorOfTheLibrary":           "errOfLibrary",
			"TestErrorThatIsDecoded":          "errTexted",
			"TestErrorWithoutAName":           "errAnonymous",
			"TestErrorOfACall":                "errOfCall",
			"TestErrorsInAnotherOrder":        "errBoth",
			"TestErrorThatIsSliced":           "errSliced",
		} {
			require.Contains(t, ss.state.leftOut, test)
			require.NotContains(t, ss.state.leftOut[test], pkg+"."+v, test)
		}
	}
}

// A step says which variables it sets and changes that take part, if one of them may keep its value
// while another does not, or goroutines that it begins may hold one.
func TestStepsSayWhatTheySetTogether(t *testing.T) {
	const folder = "github.com/surewake/surewake/testdata/verdicts/"
	for name, want := range map[string][]string{
		"pairs": {`.Setting("cancel ctx")`, `.Setting("c inc")`, `.Setting("incTwo parts")`,
			`.Setting("byInit incAgain")`},
		"serversanew":    {`.Starting("anew")`, `.Starting("limit")`},
		"serversguarded": {`.Setting("inc p")`, `.Starting("guarded mu")`, `.Starting("ack c")`},
	} {
		set := rewriteModule(t, filepath.Join("..", ".."), "./testdata/verdicts/"+name)
		_, err := set.plan(context.Background(), folder+name, false)
		require.NoError(t, err)
		var got []string
		for _, ss := range set.sessions {
			for _, s := range ss.state.steps {
				text := ss.state.withText(s)
				if s.c.pkg.Path() == folder+name && ss.state.again[s] && text != "" {
					got = append(got, strings.ReplaceAll(text, folder+name+".", ""))
				}
			}
		}
		require.ElementsMatch(t, want, got)
	}
}

// A pipe reaches no network, though net.Pipe is of package net.
func TestPipesOfPackagesAreMadeAnew(t *testing.T) {
	const pkg = "github.com/surewake/surewake/testdata/verdicts/pipes"
	set := rewriteModule(t, filepath.Join("..", ".."), "./testdata/verdicts/pipes")
	_, err := set.plan(context.Background(), pkg, false)
	require.NoError(t, err)
	for _, ss := range set.sessions {
		var fresh []string
		for v := range ss.state.fresh {
			if v.Pkg().Path() == pkg {
				fresh = append(fresh, v.Name())
			}
		}
		require.Subset(t, fresh, []string{"left", "right"})
	}
}
