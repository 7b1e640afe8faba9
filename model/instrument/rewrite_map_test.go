package instrument

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLoopsOverMapsThatHaveNoOrder(t *testing.T) {
	for loop, free := range map[string]bool{
		"for range m { g() }":                                true,
		"for _ = range m { g() }":                            true,
		"for k := range m { delete(m, k) }":                  true,
		"for k, v := range m { n[k] = v + 1 }":               true,
		"for _, v := range m { sum += v; count++ }":          true,
		"for k, v := range m { if v > k { bits |= k } }":     true,
		"for k := range m { if k == 0 { continue }; sum-- }": true,
		"for k := range m { count = k }":                     false,
		"for k := range m { if k == 1 { break } }":           false,
		"for k := range m { return k }":                      false,
		"for _, v := range m { f += float64(v) }":            false,
		"for _, v := range m { text += s[v] }":               false,
		"for k := range m { n[sum] = k }":                    false,
		"for k := range m { n[k] = sum }":                    false,
		"for k := range m { list = append(list, k) }":        false,
		"for k := range m { g(); sum += k }":                 false,
		"for k := range m { sum += g() + k }":                false,
		"for k = range m { sum++ }":                          false,
		"for k := range m { c <- k }":                        false,
		"for k := range m { delete(next(), k) }":             false,
		"for k := range m { next()[k] = k }":                 false,
		"for k, v := range m { k &= 1; n[k] = v }":           false,
		"for k := range m { sum += k; sum -= k; sum++ }":     true,
		"for k := range m { sum += k; sum &= k }":            false,
		"for k := range m { sum |= k; sum ^= k }":            false,
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
)
func g() int { return 1 }
func next() map[int]int { return n }
func visit() int { `+loop+`; return 0 }`, parser.SkipObjectResolution)
		require.NoError(t, err, loop)
		info := &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{},
			Defs:  map[*ast.Ident]types.Object{},
			Uses:  map[*ast.Ident]types.Object{},
		}
		_, err = new(types.Config).Check("p", fset, []*ast.File{file}, info)
		require.NoError(t, err, loop)
		ast.Inspect(file, func(node ast.Node) bool {
			if r, ok := node.(*ast.RangeStmt); ok {
				judge := orderFree{info: info, by: map[types.Object]token.Token{}}
				judge.key, _ = r.Key.(*ast.Ident)
				judge.value, _ = r.Value.(*ast.Ident)
				assert.Equal(t, free, judge.loop(r), loop)
			}
			return true
		})
	}
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
