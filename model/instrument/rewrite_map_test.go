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
		"for range m { sum++ }":                                                   true,
		"for _ = range m { sum++ }":                                               true,
		"for range m { g() }":                                                     false,
		"for range m { delete(m, 1) }":                                            false,
		"for k := range m { delete(m, k) }":                                       true,
		"for k, v := range m { n[k] = v + 1 }":                                    true,
		"for _, v := range m { sum += v; count++ }":                               true,
		"for k, v := range m { if v > k { bits |= k } }":                          true,
		"for k := range m { if k == 0 { continue }; sum-- }":                      true,
		"for k := range m { count = k }":                                          false,
		"for k := range m { if k == 1 { break } }":                                false,
		"for k := range m { return k }":                                           false,
		"for _, v := range m { f += float64(v) }":                                 false,
		"for _, v := range m { text += s[v] }":                                    false,
		"for k := range m { n[sum] = k }":                                         false,
		"for k := range m { n[k] = sum }":                                         true,
		"for k := range m { n[k] = sum; sum++ }":                                  false,
		"for k := range m { if sum < 3 { sum += k } }":                            false,
		"for k := range m { if count < 3 { sum += k } }":                          true,
		"for k, v := range m { n[k] += v }":                                       true,
		"for k := range m { n[k]++; n[k] |= k }":                                  true,
		"for _, v := range m { n[v]++ }":                                          false,
		"for k := range m { n[k] += len(n) }":                                     false,
		"for k := range m { n[k] += n[0] }":                                       false,
		"for k := range m { sum += n[k] }":                                        true,
		"for k := range m { sum += n[k]; delete(n, k) }":                          false,
		"for k := range m { n[k] *= 2 }":                                          false,
		"for k := range words { words[k] += text }":                               true,
		"for _, v := range m { box.n += v }":                                      true,
		"for _, v := range m { box.n += v; box.m -= v }":                          true,
		"for _, v := range m { box.n += v; box.m |= v }":                          false,
		"for _, v := range m { box.n += v * box.m }":                              false,
		"for _, v := range m { box.n += v * sum }":                                true,
		"for _, v := range m { sum += v * box.m }":                                true,
		"for _, v := range m { box.f += float64(v) }":                             false,
		"for _, v := range nodes { v.n++ }":                                       true,
		"for _, v := range nodes { v.n++; sum += v.n }":                           false,
		"for _, v := range m { if v > sum { sum = v } }":                          true,
		"for _, v := range m { if sum < v { sum = v } }":                          true,
		"for _, v := range m { if sum <= v { sum = v } }":                         true,
		"for _, v := range m { if v > sum { sum = v }; count = sum }":             false,
		"for _, v := range m { if v > sum { sum = v }; count += sum}":             false,
		"for k, v := range m { if v > sum { sum = v; count = k } }":               false,
		"for k, v := range m { if v > sum { sum = k } }":                          false,
		"for _, v := range m { if v > count { sum = v } }":                        false,
		"for _, v := range m { if v != sum { sum = v } }":                         false,
		"for _, v := range m { if v > sum { sum = v }; sum++ }":                   false,
		"for k, v := range m { if v > sum { sum = v }; if k < sum { sum = k } }":  false,
		"for k, v := range m { if v > sum { sum = v }; if k >= sum { sum = k } }": true,
		"for _, v := range floats { if v > f { f = v } }":                         false,
		"for _, v := range m { sum += max(v, 0) }":                                true,
		"for _, v := range m { if v < 0 { return 1 } }":                           true,
		"for _, v := range m { if v < sum { return 1 } }":                         true,
		"for _, v := range m { if v < 0 { return 1 }; return 2 }":                 false,
		"for _, v := range m { if v < 0 { return 1 }; sum++ }":                    false,
		"for _, v := range m { if v < 0 { return v } }":                           false,
		"for _, v := range m { if v < 0 && v < sum { return 1 } }":                false,
		"for _, v := range m { if v < 0 { if v < sum { return 1 } } }":            false,
		"for _, v := range m { if v < 0 { return 1 }; if v < sum { return 1 } }":  false,
		"for _, v := range m { if v < n[v] { return 1 } }":                        true,
		"for _, v := range m { if v > 0 { if n[v] > 1 { return 1 } } }":           false,
		"for _, v := range pointers { if *v < 0 { return 1 } }":                   false,
		"for k := range m { delete(m, k); m[k] = 1 }":                             false,
		"for k := range m { delete(n, k); m[k] = 1 }":                             false,
		"for k := range m { if k > 1 { delete(m, k) } else { same(n)[k] = k } }":  false,
		"for k := range m { delete(tables, k); m[k] = 1 }":                        true,
		"for k := range floats { floats[k] = 1 }":                                 false,
		"for k := range floats { floats[k]++ }":                                   false,
		"for k := range floats { counts[k] = 1 }":                                 true,
		"for k := range floats { delete(floats, k) }":                             true,
		"for k := range anything { anything[k] = 1 }":                             false,
		"for k := range composed { composed[k] = 1 }":                             false,
		"for k := range m { tables[k] = map[int]int{k: 1} }":                      false,
		"for k, v := range m { pointers[k] = &v }":                                false,
		"for k, v := range m { nodes[k] = &struct{ n int }{v} }":                  true,
		"for _, v := range channels { sum += len(v) }":                            false,
		"for _, v := range channels { sum += cap(v) }":                            false,
		"for k := range m { list = append(list, k) }":                             false,
		"for k := range m { g(); sum += k }":                                      false,
		"for k := range m { sum += g() + k }":                                     false,
		"for k = range m { sum++ }":                                               false,
		"for k := range m { c <- k }":                                             false,
		"for k := range m { delete(next(), k) }":                                  false,
		"for k := range m { next()[k] = k }":                                      false,
		"for k, v := range m { k &= 1; n[k] = v }":                                false,
		"for k := range m { sum += k; sum -= k; sum++ }":                          true,
		"for k := range m { sum += k; sum &= k }":                                 false,
		"for k := range m { sum |= k; sum ^= k }":                                 false,
		"for k := range m { sum += 7 / k }":                                       false,
		"for k := range m { sum += k / 7 }":                                       true,
		"for k := range m { sum += 1 << k }":                                      false,
		"for _, v := range lists { sum += v[0] }":                                 false,
		"for _, v := range lists { sum += len(v[1:]) }":                           false,
		"for _, v := range lists { sum += len(v) }":                               true,
		"for _, v := range tables { sum += v[0] }":                                true,
		"for _, v := range boxes { sum += v.(int) }":                              false,
		"for k, v := range boxes { if v == 7 { n[k] = k } }":                      true,
		"for _, v := range boxes { if v != nil { sum++ } }":                       true,
		"for _, v := range boxes { if v == v { sum++ } }":                         false,
		"for _, v := range pairs { if v.x == v.y { sum++ } }":                     false,
		"for _, v := range pairs { if v.x.a == nil { sum++ } }":                   true,
		"for k, v := range lists { arrays[k] = [1]int(v) }":                       false,
		"for k, v := range m { arrays[k] = [1]int{v} }":                           true,
		"for k, v := range tables { n[k] = len(v) }":                              false,
		"for k, v := range tables { if v[0] > 0 { n[k]++ } }":                     false,
		"for k, v := range tables { if len(v) > 0 { delete(n, k) } }":             false,
		"for _, v := range tables { sum += len(v) }":                              true,
		"for _, v := range pointers { sum += *v }":                                true,
		"for _, v := range pointers { other += *v }":                              false,
		"for k, v := range m { other += k + v }":                                  true,
		"for _, v := range nodes { sum += v.n }":                                  true,
		"for _, v := range nodes { other += v.n }":                                false,
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
	words         map[int]string
	floats        map[float64]float64
	counts        map[float64]int
	anything      map[any]int
	composed      map[struct{ f [1]float64 }]int
	channels      map[int]chan int
	box           struct { n, m int; f float64 }
)
func same(m map[int]int) map[int]int { return m }
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
				judge.apart = func(ast.Expr) bool { return false }
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
	_ = maps.EqualFunc(m, other, func(a, b bool) bool { return a == b || other[0] }) // named
	_ = maps.EqualFunc(m, other, func(a, b bool) bool { return a == b || n > 1 }) // named
	maps.DeleteFunc(m, func(k int, v bool) bool { return k > n }) // no
	maps.DeleteFunc(m, func(k int, v bool) bool { return len(m) > k }) // named
	maps.DeleteFunc(m, func(k int, v bool) bool { return m[k+1] }) // named
	at := map[int]*int{}
	_ = maps.EqualFunc(at, at, func(a, b *int) bool { return *a == *b }) // named
	maps.DeleteFunc(at, func(k int, v *int) bool { return *v == k }) // no
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
	require.Equal(t, []int{17, 8}, []int{named, others})
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

var late []int

func f(m, n map[int]int, p, q map[*T]int, use func(int), in []int) (t T, out []int) {
	var a, outer, kept, closed []int
	for k := range m { a = append(a, k) } // free
	slices.Sort(a)
	b, other := make([]int, 0, 4), a[:0]
	for k := range m { b = append(b, k) } // free
	sort.Ints(b)
	for k := range m { a = append(a, k) } // fixed, named
	slices.Sort(a)
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
	for k := range m { out = append(out, k) } // free
	slices.Sort(out)
	for k := range m { in = append(in, k) } // fixed, named
	slices.Sort(in)
	for k := range m { late = append(late, k) } // fixed, named
	slices.Sort(late)
	grown := append(in, 1)
	for k := range m { grown = append(grown, k) } // fixed, named
	slices.Sort(grown)
	for range 2 {
		var inner []int
		for k := range m { inner = append(inner, k) } // free
		slices.Sort(inner)
		late = inner
		for k := range m { outer = append(outer, k) } // fixed, named
		slices.Sort(outer)
		for k := range m { kept = append(kept, k) } // free
		slices.Sort(kept)
	}
	late = outer
	use(kept[0] + len(kept))
	for i := range kept { use(i) }
	var taken, given, split []int
	p1 := &taken
	for k := range m { taken = append(taken, k) } // fixed, named
	slices.Sort(*p1)
	given = append(given, 1)
	late = append(given, 2)
	for k := range m { given = append(given, k) } // fixed, named
	slices.Sort(given)
	split, late = nil, split
	for k := range m { split = append(split, k) } // fixed, named
	slices.Sort(split)
	element := []int{1}
	use(*&element[0])
	for k := range m { element = append(element, k) } // fixed, named
	slices.Sort(element)
	last := []int{}
	for k := range m { last = append(last, k) } // free
	slices.Sort(last)
	use(*&last[0])
	late = last
	set := map[float64]bool{}
	for k := range set { set[k] = true } // fixed, named
	func() {
		for k := range m { closed = append(closed, k) } // fixed, named
		slices.Sort(closed)
	}()
	late = closed
	for t.k, t.v = range m { } // fixed, named
	for *new(int) = range m { } // named
	return t, out
}

func generic[M ~map[K]V, K comparable, V any](m M, n map[int]int, v V) {
	for k := range m { m[k] = v } // fixed, named
	for k := range n { delete(n, k) } // free
	made, given, set := make(M), make(M), map[K]V{}
	for k, v := range m { made[k] = v } // fixed
	given = m
	for k, v := range m { given[k] = v } // fixed, named
	for k, v := range m { set[k] = v } // fixed, named
	for _, set = range []map[K]V{m} { }
}

func jumps(m map[int]int) {
	again := []int{}
back:
	again = append(again, 0)
	for k := range m { again = append(again, k) } // fixed, named
	slices.Sort(again)
	if late = again; len(late) == 0 { goto back }
}

func sets[K comparable, V any](m map[K]V) map[K]V {
	copied := map[K]V{}
	for k, v := range m { copied[k] = v } // fixed
	return copied
}

func other[K comparable, V any](m map[K]V) {
	made := map[K]V{}
	m = made
	for k, v := range m { made[k] = v } // fixed, named
}

func taken[K comparable, V any](m map[K]V) {
	made := map[K]V{}
	*&made = m
	for k, v := range m { made[k] = v } // fixed, named
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
	require.Equal(t, 44, loops)
}
