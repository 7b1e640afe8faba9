package instrument

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/surewake/surewake/model/stdlib"
)

func TestLoopsOverMapsThatHaveNoOrder(t *testing.T) {
	for loop, free := range map[string]bool{
		"for range m { sum++ }":                                       true,
		"for _ = range m { sum++ }":                                   true,
		"for range m { g() }":                                         false,
		"for range m { delete(m, 1) }":                                false,
		"for k := range m { delete(m, k) }":                           true,
		"for k, v := range m { n[k] = v + 1 }":                        true,
		"for _, v := range m { sum += v; count++ }":                   true,
		"for k, v := range m { if v > k { bits |= k } }":              true,
		"for k := range m { if k == 0 { continue }; sum-- }":          true,
		"for k := range m { count = k }":                              false,
		"for k := range m { if k == 1 { break } }":                    false,
		"for k := range m { return k }":                               false,
		"for _, v := range m { f += float64(v) }":                     false,
		"for _, v := range m { text += s[v] }":                        false,
		"for k := range m { n[sum] = k }":                             false,
		"for k := range m { n[k] = sum }":                             false,
		"for k := range m { list = append(list, k) }":                 false,
		"for k := range m { g(); sum += k }":                          false,
		"for k := range m { sum += g() + k }":                         false,
		"for k = range m { sum++ }":                                   false,
		"for k := range m { c <- k }":                                 false,
		"for k := range m { delete(next(), k) }":                      false,
		"for k := range m { next()[k] = k }":                          false,
		"for k, v := range m { k &= 1; n[k] = v }":                    false,
		"for k := range m { sum += k; sum -= k; sum++ }":              true,
		"for k := range m { sum += k; sum &= k }":                     false,
		"for k := range m { sum |= k; sum ^= k }":                     false,
		"for k := range m { sum += 7 / k }":                           false,
		"for k := range m { sum += k / 7 }":                           true,
		"for k := range m { sum += 1 << k }":                          false,
		"for _, v := range lists { sum += v[0] }":                     false,
		"for _, v := range lists { sum += len(v[1:]) }":               false,
		"for _, v := range lists { sum += len(v) }":                   true,
		"for _, v := range tables { sum += v[0] }":                    true,
		"for _, v := range boxes { sum += v.(int) }":                  false,
		"for k, v := range boxes { if v == 7 { n[k] = k } }":          true,
		"for _, v := range boxes { if v != nil { sum++ } }":           true,
		"for _, v := range boxes { if v == v { sum++ } }":             false,
		"for _, v := range pairs { if v.x == v.y { sum++ } }":         false,
		"for _, v := range pairs { if v.x.a == nil { sum++ } }":       true,
		"for k, v := range lists { arrays[k] = [1]int(v) }":           false,
		"for k, v := range m { arrays[k] = [1]int{v} }":               true,
		"for k, v := range tables { n[k] = len(v) }":                  false,
		"for k, v := range tables { if v[0] > 0 { n[k]++ } }":         false,
		"for k, v := range tables { if len(v) > 0 { delete(n, k) } }": false,
		"for _, v := range tables { sum += len(v) }":                  true,
		"for _, v := range pointers { sum += *v }":                    true,
		"for _, v := range pointers { other += *v }":                  false,
		"for k, v := range m { other += k + v }":                      true,
		"for _, v := range nodes { sum += v.n }":                      true,
		"for _, v := range nodes { other += v.n }":                    false,
	} {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, "", `package p
var (
	m, n          map[int]int
	k, sum, count int
	bits          int
	f             float64
	text          string
	s             []string
	list          []int
	c             chan int
	lists         map[int][]int
	tables        map[int]map[int]int
	boxes         map[int]any
	pairs         map[int]struct{ x, y struct{ a any } }
	arrays        map[int][1]int
	pointers      map[int]*int
	nodes         map[int]*struct{ n int }
	other         int
)
func g() int { return 1 }
func next() map[int]int { return n }
func visit() int { `+loop+`; return 0 }`, parser.SkipObjectResolution)
		require.NoError(t, err, loop)
		info := &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{},
			Defs:  map[*ast.Ident]types.Object{},
			Uses:  map[*ast.Ident]types.Object{},

			Selections: map[*ast.SelectorExpr]*types.Selection{},
		}
		_, err = new(types.Config).Check("p", fset, []*ast.File{file}, info)
		require.NoError(t, err, loop)
		ast.Inspect(file, func(node ast.Node) bool {
			if r, ok := node.(*ast.RangeStmt); ok {
				judge := &orderFree{info: info, by: map[types.Object]token.Token{}}
				judge.named = func(v types.Object) bool { return v.Name() != "other" }
				judge.key, _ = r.Key.(*ast.Ident)
				judge.value, _ = r.Value.(*ast.Ident)
				assert.Equal(t, free, judge.loop(r), loop)
			}
			return true
		})
	}
}

// A line is marked exactly where its comment says so.
func TestCallsThatVisitMapsAreNamed(t *testing.T) {
	set := rewriteModule(t, newModule(t, `-- visit/visit.go --
package visit

import (
	"bytes"
	"errors"
	"iter"
	"maps"
	"slices"
)

type own map[int]bool

func f(m own, visit func(func(own) iter.Seq[int])) {
	type local map[int]bool
	_ = slices.Sorted(maps.Keys(m)) // no
	_ = slices.Collect(maps.Keys(m)) // named
	_ = slices.Collect((maps.Values[own])(m)) // named
	for range maps.All(m) { // named
	}
	keys := maps.Keys[own] // named
	_ = slices.Sorted(keys(m)) // no
	visit(maps.Keys) // named
	visit(maps.Keys[own]) // named
	visit(maps.Keys[own, int]) // named
	var of func(local) iter.Seq[int] = maps.Keys // named
	_ = of
	n, other := 0, own{}
	maps.DeleteFunc(m, func(k int, v bool) bool { n++; return n == k }) // named
	maps.DeleteFunc(m, func(k int, v bool) bool { return k > 3 && !v }) // no
	_ = maps.EqualFunc(m, other, func(a, b bool) bool { n++; return a == b }) // named
	_ = maps.EqualFunc(m, other, func(a, b bool) bool { return a == b }) // no
	bytesOf := map[int][]byte{}
	_ = maps.EqualFunc(bytesOf, bytesOf, bytes.Equal) // no
	errs, floats := map[int]error{}, map[int]float64{}
	_ = maps.EqualFunc(errs, errs, errors.Is) // named
	_ = slices.Sorted(maps.Values(floats)) // named
	_ = slices.Sorted(maps.Values(map[int]string{})) // no
}
-- visit/visit_test.go --
package visit

import "testing"

func TestNothing(t *testing.T) {}
`))
	text := rewrittenText(t, set, "example.com/t/visit", "visit.go")
	named, others := 0, 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		is := strings.Contains(line, stdlib.MapOrder)
		switch {
		case strings.HasSuffix(line, "// named"):
			named++
			assert.True(t, is, line)
		case strings.HasSuffix(line, "// no"):
			others++
			assert.False(t, is, line)
		}
	}
	require.Equal(t, []int{12, 6}, []int{named, others})
	require.NoError(t, set.Build(t.Context(), "example.com/t/visit", false, t.TempDir()+"/bin"))
}

func TestMapsOfTypeParametersAreMaps(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", `package p
type own map[int]int
func f[M ~map[K]V, K comparable, V any, N interface{ own }, S ~[]int](m M, n N, s S, o own, i int) {
}`, parser.SkipObjectResolution)
	require.NoError(t, err)
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}}
	_, err = new(types.Config).Check("p", fset, []*ast.File{file}, info)
	require.NoError(t, err)
	want := map[string]bool{"m": true, "n": true, "s": false, "o": true, "i": false}
	for id, obj := range info.Defs {
		if is, ok := want[id.Name]; ok {
			assert.Equal(t, is, isMap(obj.Type()), id.Name)
			delete(want, id.Name)
		}
	}
	require.Empty(t, want)
}

// A loop visits its map in a fixed order where the order can matter, and where it gives one to keys
// that have none of their own. It is named where the order can matter.
func TestLoopsOverMapsThatHaveAFixedOrder(t *testing.T) {
	set := rewriteModule(t, newModule(t, `-- visit/visit.go --
package visit

import (
	"slices"
	"sort"
)

type T struct{ k, v int }

func f(m, n map[int]int, p, q map[*T]int, use func(int)) (t T) {
	var a []int
	for k := range m { a = append(a, k) } // free
	slices.Sort(a)
	b, other := make([]int, 0, 4), a[:0]
	for k := range m { b = append(b, k) } // free
	sort.Ints(b)
	for k := range m { other = append(other, k) } // fixed, named
	slices.Sort(other)
	var lent []int
	lent = b
	c := lent[:0]
	for k := range m { c = append(c, k) } // fixed, named
	slices.Sort(c)
	for k := range m { lent = append(lent, k) } // fixed, named
	slices.Sort(lent)
	d := []float64{}
	for k := range m { d = append(d, float64(k)) } // fixed, named
	slices.Sort(d)
	e := []string(nil)
	for k := range m { e = append(e, string(rune(k))) } // free
	slices.Sort(e)
	one, two := 0, 0
	for k, v := range m { one += k; two |= v } // free
	for _, v := range map[int]*int{1: &two} { two |= *v } // fixed, named
	for _, v := range map[int]*int{1: &two} { one += *v } // free
	for range m { use(1) } // fixed, named
	for range m { one++ } // free
	for k, v := range m { n[k] = v } // free
	for k, v := range p { q[k] = v } // fixed
	for k := range m { use(k) } // fixed, named
	for _, v := range p { use(v) } // fixed, named
	for t.k = range m { } // fixed, named
	for _, t.v = range p { } // fixed, named
	for t.k, t.v = range m { } // fixed, named
	for *new(int) = range m { } // named
	return t
}
-- visit/visit_test.go --
package visit

import "testing"

func TestNothing(t *testing.T) {}
`))
	text := rewrittenText(t, set, "example.com/t/visit", "visit.go")
	loops := 0
	for line := range strings.Lines(text) {
		code, says, ok := strings.Cut(line, " // ")
		if !ok {
			continue
		}
		loops++
		for word, text := range map[string]string{
			"fixed": "hook.RangeMap", "named": stdlib.MapOrder,
		} {
			require.Equal(t, strings.Contains(says, word), strings.Contains(code, text), line)
		}
	}
	require.Equal(t, 20, loops)
}
