package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/internal/commandtest"
)

// Many mutants of a package share a build, and each has the verdict that it has alone: those whom
// it does not fit, whose killer is another one, and who are killed by nobody included.
func TestManyMutantsShareABuild(t *testing.T) {
	commandtest.NeedRace(t)
	t.Parallel()
	dir := t.TempDir()
	write := anotherModule(t, dir)
	write("counter/counter.go", `package counter

import (
	"runtime"
	"sync/atomic"
)

const start = 5

var keep *[]int

type Counter struct{ n atomic.Int64 }

func (c *Counter) Add() { c.n.Add(1) }

func (c *Counter) Odd() bool { return c.n.Load()%2 == 1 }

func (c *Counter) Reset() int64 {
	c.n.Store(start)
	return start
}

func Caller() string {
	name := asked()
	return name
}

func Sum(numbers ...int) (sum int) {
	for _, n := range numbers {
		sum += n
	}
	return sum
}

func asked() string {
	pc, _, _, _ := runtime.Caller(2)
	return runtime.FuncForPC(pc).Name()
}
`)
	write("counter/counter_test.go", `package counter

import (
	"os"
	"strings"
	"testing"

	"github.com/surewake/surewake/model"
)

func TestAdd(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var c Counter
		x.Go("one", c.Add)
		x.Go("two", c.Add)
		x.Join()
		x.Assert(c.n.Load() == 2, "%d instead of 2", c.n.Load())
	})
}

func note(t *testing.T, name string) {
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	_, _ = file.WriteString(os.Getenv("SUREWAKE_MUTANT") + "\n")
}

func TestOdd(t *testing.T) {
	note(t, "../seen")
	var c Counter
	c.Add()
	if !c.Odd() {
		t.Error("1 is odd")
	}
}

func TestReset(t *testing.T) {
	var c Counter
	if c.Reset() != 5 {
		t.Error("not 5")
	}
}

func TestSum(t *testing.T) {
	note(t, "../counted")
	if n := testing.AllocsPerRun(10, func() { Sum(1, 2, 3) }); n > 1 {
		t.Error(n)
	}
}

func TestCaller(t *testing.T) {
	if got := Caller(); !strings.HasSuffix(got, ".TestCaller") {
		t.Error(got)
	}
}
`)
	for id, text := range map[string]string{
		"1-lost":    "TestAdd Counter.Add - c.n.Add(1)\n+ c.n.Store(c.n.Load() + 1)",
		"2-even":    "TestOdd Counter.Odd - == 1\n+ == 0",
		"3-const":   "TestReset start - 5\n+ 6",
		"4-wrong":   "TestReset Counter.Reset - return start\n+ return begin",
		"5-another": "TestAdd Counter.Reset - return start\n+ return 7",
		"6-same":    "TestReset Counter.Reset - return start\n+ return 5",
		"7-caller":  "TestCaller Caller - return name\n+ return \"\" + name",
		"8-caller":  "TestCaller Caller - return name\n+ return name[:1]",
		"9-box":     "TestSum Sum - return sum\n+ keep = &numbers\n+ return sum",
	} {
		killer, rest, _ := strings.Cut(text, " ")
		declaration, edit, _ := strings.Cut(rest, " ")
		write("counter/testdata/mutants/"+id+".mutant", "A bug.\nKilled by "+killer+
			"\n\n-- counter/counter.go: "+declaration+" --\n"+edit+"\n")
	}
	a := surewake(t, dir, "mutants", "./counter")
	require.Equal(t, 1, a.Code, "%s", a)
	require.Regexp(t, `(?s)^1-lost \.\.\. killed by TestAdd  [^\n]*\n`+
		`2-even \.\.\. killed by TestOdd  [^\n]*\n`+
		`3-const \.\.\. killed by TestReset  [^\n]*\n`+
		`4-wrong \.\.\. ERROR does not compile:\n[^\n]*\n[^\n]*undefined: begin.*\n`+
		`5-another \.\.\. killed by TestReset  [^\n]*\n`+
		`6-same \.\.\. SURVIVED  [^\n]*\n`+
		`7-caller \.\.\. SURVIVED  [^\n]*\n`+
		`8-caller \.\.\. killed by TestCaller  [^\n]*\n`+
		`9-box \.\.\. killed by TestSum  [^\n]*\n`+
		`9 mutants: 6 killed, 2 survived, 1 in error\n$`, a.Stdout)
	seen, err := os.ReadFile(filepath.Join(dir, "seen"))
	require.NoError(t, err)
	require.Contains(t, string(seen), "\n-1\n", "who objects is asked about copies without edits")
	require.Regexp(t, `(?m)^[1-9]$`, string(seen), "no build has several mutants")
	counted, err := os.ReadFile(filepath.Join(dir, "counted"))
	require.NoError(t, err)
	require.Empty(t, strings.TrimSpace(string(counted)), "who counts is asked about copies")
}
