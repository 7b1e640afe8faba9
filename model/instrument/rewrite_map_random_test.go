package instrument

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/stdlib"
)

// mapLoops draws loops over maps, of what is free of an order and of much that is not.
type mapLoops struct {
	*rand.Rand
	ints, keys []string // what a turn can read
	sorts      bool
}

// rangedMaps are a map each, integers that a turn has then, and what are keys of the other maps.
var rangedMaps = []struct{ name, ints, keys string }{
	{"m", "k v", "k v"},
	{"alias", "k v", "k v"},
	{"floats", "v int(k) len(floats)", "v"},
	{"words", "len(k) len(v)", "len(k)"},
	{"pointers", "k *v", "k"},
	{"boxes", "k v.n", "k v.n"},
	{"plain", "k v.n", "k"},
	{"lists", "k len(v) v[0]", "k"},
	{"anything", "v", "v"},
}

// shared makes values of a map lead to what a loop may change.
var shared = map[string]string{
	"pointers": "pointers[1], pointers[2] = &sum, &count", "boxes": "boxes[1], boxes[2] = bx, &sx",
}

func (l *mapLoops) of(from ...string) string { return from[l.IntN(len(from))] }

func (l *mapLoops) integer() string {
	switch l.IntN(16) {
	case 0:
		return l.of("sum", "count", "other", "most", "bx.n", "sx.n", "len(list)", "len(m)",
			"len(n)")
	case 1:
		return l.of("n", "m", "alias") + "[" + l.of(l.keys...) + "]"
	case 2:
		return l.integer() + l.of(" + ", " * ", " - ", " & ", " / ", " % ", " << ") +
			l.of("1", "2", "other", l.of(l.ints...))
	case 3:
		return l.of("max", "min") + "(" + l.integer() + ", " +
			l.of("0", "other", l.of(l.ints...)) + ")"
	}
	return l.of(append(l.ints, "1", "3")...)
}

func (l *mapLoops) condition() string {
	c := l.integer() + l.of(" < ", " > ", " == ", " != ") + l.integer()
	if l.IntN(4) == 0 {
		c += l.of(" && ", " || ") + l.condition()
	}
	return c
}

func (l *mapLoops) statement(depth int) string {
	key := l.of(l.keys[0], l.keys[0], l.keys[0], l.keys[0], l.of(l.keys...), "1")
	switch l.IntN(12) {
	case 0:
		return l.of("sum", "sum", "count", "bx.n", "sx.n", "pbx.n", "most") +
			l.of(" += ", " += ", " -= ", " |= ") + l.integer()
	case 1:
		return l.of("sum", "count", "bx.n", "n["+key+"]", "m["+key+"]") + "++"
	case 2:
		return l.of("n", "m", "alias", "made") + "[" + key + "]" + l.of(" = ", " += ") + l.integer()
	case 3:
		return "delete(" + l.of("n", "m", "alias", "made") + ", " + key + ")"
	case 4, 5:
		v := l.of(l.ints...)
		than, most := l.of("most", "most", "most", "sum"), l.of("most", "most", "most", "sum")
		than = v + l.of(" > ", " > ", " < ", " >= ") + than
		return "if " + than + " { " + most + " = " + v + " }"
	case 6:
		l.sorts = true
		return "list = append(list, " + l.integer() + ")"
	case 7:
		return l.of("continue", "break", "floats[1.5] = "+l.integer(), "sum = "+l.integer(),
			"return "+l.of(`"x"`, `"x"`, `"y"`, "fmt.Sprint("+l.of(l.ints...)+")"))
	case 8:
		return "if " + l.condition() + ` { return "x" }`
	case 9:
		return "count++"
	}
	if depth == 0 {
		return "count++"
	}
	s := "if " + l.condition() + " { " + l.statement(depth-1) + " }"
	if l.IntN(3) == 0 {
		s += " else { " + l.statement(depth-1) + " }"
	}
	return s
}

// loopVariables returns those of a loop that its body uses.
func loopVariables(body string) string {
	k := regexp.MustCompile(`\bk\b`).MatchString(body)
	v := regexp.MustCompile(`\bv\b`).MatchString(body)
	switch {
	case k && v:
		return "k, v := "
	case k:
		return "k := "
	case v:
		return "_, v := "
	}
	return ""
}

// function is one with a loop, on a line of its own. What it returns is all that the loop has done.
func (l *mapLoops) function(i int) string {
	r := rangedMaps[l.IntN(len(rangedMaps))]
	l.ints, l.keys, l.sorts = strings.Fields(r.ints), strings.Fields(r.keys), false
	if l.IntN(3) == 0 {
		l.ints = append(l.ints,
			l.of("sum", "count", "bx.n", "sx.n", "most", "other", "n[0]", "len(m)"))
	}
	var body []string
	for range 1 + l.IntN(3) {
		body = append(body, l.statement(2))
	}
	if r.name == "floats" && l.IntN(3) == 0 {
		body = append(body,
			l.of("floats[k] = 1", "delete(floats, k)", "counts[k]++", "counts[k] = v"))
	}
	before := l.of("", "", "", "", "", "", "lent = list[:1]", "pl = &list", "bx = &sx", "alias = n",
		"list = lent", "made = m", "lists[3] = nil")
	if more := shared[r.name]; more != "" && l.IntN(2) == 0 {
		before = more
	}
	code := fmt.Sprintf(`func f%d(order []int) (out string) {
	m, alias, n, floats, counts, words, pointers, boxes, plain, lists, anything, sum, count, most,
		other, bx, sx, made, lent := begin(order)
	list := make([]int, 0, 2)
	var pl *[]int
	pbx := &sx
	%s
	for %srange %s { %s } // loop %d
`, i, before, loopVariables(strings.Join(body, "; ")), r.name, strings.Join(body, "; "), i)
	if l.sorts && l.IntN(4) > 0 {
		code += "\tslices.Sort(list)\n"
	}
	return code + `	return end(m, alias, n, floats, counts, words, pointers, boxes, plain, lists,
		anything, sum, count, most, other, bx, sx, made, lent, list, pl, pbx)
}
`
}

const mapLoopsBegin = `
	"fmt"
	"math"
	"slices"
	"sort"
)

var _ = slices.Sort[[]int]

type box struct{ n int }

var last []any // what a loop may have changed before it returned or panicked

func begin(order []int) (m, alias, n map[int]int, floats map[float64]int, counts map[float64]int,
	words map[string]string, pointers map[int]*int, boxes map[int]*box, plain map[int]box,
	lists map[int][]int, anything map[any]int, sum, count, most, other int, bx *box, sx box,
	made map[int]int, lent []int) {
	m, n, made = map[int]int{}, map[int]int{0: 3, 2: 5}, map[int]int{}
	floats, counts, words = map[float64]int{}, map[float64]int{}, map[string]string{}
	pointers, boxes, plain = map[int]*int{}, map[int]*box{}, map[int]box{}
	lists, anything = map[int][]int{}, map[any]int{}
	bx = &box{}
	last = []any{bx, m, n, made}
	for _, k := range order {
		v := k*k%5 - 2
		m[k], pointers[k], boxes[k], plain[k], anything[k] = v, &v, &box{v}, box{v}, v
		lists[k], words["abcdefghijklmnopqrst"[:k]] = make([]int, k), "xyzuv"[k%5:]
		floats[[]float64{math.NaN(), 0, 1, math.NaN(), 2}[k%5]] = v
	}
	return m, m, n, floats, counts, words, pointers, boxes, plain, lists, anything, 0, 0, 0, 2,
		bx, box{}, made, make([]int, 4)
}

func end(all ...any) (s string) {
	for _, v := range all {
		switch v := v.(type) {
		case map[float64]int: // NaN are printed in any order
			var of []string
			for k, v := range v {
				of = append(of, fmt.Sprint(k, v))
			}
			sort.Strings(of)
			s += fmt.Sprint(of)
		case map[int]*box:
			for k := range 20 {
				s += fmt.Sprint(k, v[k])
			}
		case map[int]*int:
			for k := range 20 {
				if v[k] != nil {
					s += fmt.Sprint(k, *v[k])
				}
			}
		case *box:
			s += fmt.Sprint(*v)
		case *[]int:
			if v != nil {
				s += fmt.Sprint(*v)
			}
		default:
			s += fmt.Sprint(v)
		}
		s += " "
	}
	return s
}
`

// Loops that are taken for free of an order do the same in all of them. Those drawn are run by Go.
func TestLoopsWithoutAnOrderDoTheSame(t *testing.T) {
	seed := uint64(rand.Uint32())
	t.Logf("seed %d", seed)
	l := &mapLoops{Rand: rand.New(rand.NewPCG(seed, 0))}
	var functions []string
	for i := range 1000 {
		functions = append(functions, l.function(i))
	}
	dir := t.TempDir() // not that of newModule, which keeps what it is given
	writeFiles(t, dir, goMod(t)+goSum(t)+"-- visit/visit.go --\npackage visit\n\nimport ("+
		mapLoopsBegin+strings.Join(functions, "\n")+`-- visit/visit_test.go --
package visit

import "testing"

func TestNothing(t *testing.T) {}
`)
	set := rewriteModule(t, dir)
	named := map[string]bool{}
	for line := range strings.Lines(rewrittenText(t, set, "example.com/t/visit", "visit.go")) {
		if code, loop, ok := strings.Cut(line, " // loop "); ok {
			named[strings.TrimSpace(loop)] = strings.Contains(code, stdlib.MapOrder)
		}
	}
	require.Len(t, named, len(functions))
	program, run, free := "package main\n\nimport (\n\t\"math/rand\""+mapLoopsBegin, "", 0
	for i, f := range functions {
		if !named[fmt.Sprint(i)] {
			free++
			program += f
			run += fmt.Sprintf("\tsame(%d, f%d)\n", i, i)
		}
	}
	program += `
func same(i int, f func([]int) string) {
	var firsts [2]string // of few keys and of many
	for n := range 200 {
		first := firsts[n%2]
		got := once(f, rand.Perm(5+n%2*15))
		if n < 2 {
			firsts[n] = got
		} else if got != first {
			fmt.Println(i, first, "OR", got)
			return
		}
	}
}

func once(f func([]int) string, order []int) (s string) {
	defer func() {
		if p := recover(); p != nil {
			s = fmt.Sprint("panic ", p)
		}
		s += fmt.Sprint(" LAST", *last[0].(*box), last[1:])
	}()
	return f(order)
}

func main() {
` + run + "}\n"
	file := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(file, []byte(program), 0o666))
	out, err := exec.Command("go", "run", file).CombinedOutput()
	require.NoError(t, err, string(out))
	for line := range strings.Lines(string(out)) {
		var i int
		_, _ = fmt.Sscan(line, &i)
		t.Errorf("%s%s", functions[i], line)
	}
	t.Logf("%d of %d loops are free", free, len(functions))
	require.Greater(t, free, len(functions)/10)
}
