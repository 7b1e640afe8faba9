package maps

import (
	"errors"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/surewake/surewake/model"
)

// A new key may be visited or not, also if there was one before.
//
// verdict: said visit maps does not matter \(range
func TestALoopThatAddsToOneKey(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		m, n := map[int]int{1: 1}, 0
		for k := range m {
			if n++; n < 3 {
				m[k+1] = 1
			}
		}
		x.Assert(n < 3, "all were visited")
	})
}

// verdict: said visit maps does not matter \(maps.DeleteFunc
func TestACallbackThatAddsToOneKey(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		m, n := map[int]int{1: 1}, 0
		maps.DeleteFunc(m, func(k, v int) bool {
			if n++; n < 3 {
				m[k+1] = 1
			}
			return false
		})
		x.Assert(n < 3, "all were visited")
	})
}

// Without variables the turns are alike, unless the loop changes which there are.
//
// verdict: said visit maps does not matter \(range
func TestABlankLoopThatDeletes(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		m, n := map[int]bool{1: true, 2: true}, 0
		for range m {
			n++
			delete(m, 1)
		}
		x.Assert(n != 1, "2 came first")
	})
}

// verdict: said visit maps does not matter \(range
func TestABlankLoopOfManyThatDeletes(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		m, n := map[int]bool{}, 0
		for k := range 100 {
			m[k] = true
		}
		for range m {
			delete(m, 99-n)
			if n++; n == 99 {
				break
			}
		}
		x.Assert(n < 99, "each deleted one that had been visited")
	})
}

// verdict: said visit maps does not matter \(range
func TestABlankLoopThatReplaces(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		m, n := map[int]bool{1: true, 2: true}, 0
		for _ = range m {
			n++
			delete(m, n)
			m[n+10] = true
		}
		x.Assert(n < 3, "a new one came")
	})
}

// verdict: proved, 1 trace without assumptions
func TestBlankLoopsThatChangeNothing(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		m, n := map[int]bool{1: true, 2: true}, 0
		for range m {
			func() { n++ }()
		}
		for range map[string]int{"a": 1} {
			n++
			clear(m)
		}
		for k := range map[int]bool{7: true} {
			delete(m, k)
			n += k
			func() { n++ }()
		}
		x.Assert(n == 11, "%d", n)
	})
}

// What a turn reads, another one has changed.
//
// verdict: said visit maps does not matter \(range
func TestAValueIsTheMapThatIsSet(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		g := map[int]int{}
		for k, v := range map[int]map[int]int{1: g, 2: g} {
			g[k] = len(v)
		}
		x.Assert(g[2] != 0, "2 came first")
	})
}

// verdict: said visit maps does not matter \(range
func TestAValuePointsToTheSum(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		n, y := 1, 1
		for _, v := range map[int]*int{1: &n, 2: &y} {
			n += *v
		}
		x.Assert(n == 3, "%d", n)
	})
}

// verdict: proved, 1 trace without assumptions
func TestValuesPointElsewhere(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		n, a, b := 0, 1, 2
		for _, v := range map[int]*int{1: &a, 2: &b} {
			n += *v
		}
		x.Assert(n == 3, "%d", n)
	})
}

// Some conversions and comparisons panic, and what came before them depends on the order.
//
// verdict: said visit maps does not matter \(range
func TestAConversionThatPanics(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		g := map[int][2]int{}
		defer func() { x.Assert(recover() != nil && len(g) == 1, "2 came first") }()
		for k, v := range map[int][]int{1: {1, 2}, 2: {}} {
			g[k] = [2]int(v)
		}
	})
}

type boxed struct{ x any }

// verdict: said visit maps does not matter \(range
func TestAComparisonThatPanics(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		n := 0
		defer func() { x.Assert(recover() != nil && n == 1, "2 came first") }()
		for _, v := range map[int]struct{ x, y boxed }{
			1: {boxed{1}, boxed{1}}, 2: {boxed{[]int{}}, boxed{[]int{}}},
		} {
			if v.x == v.y {
				n++
			}
		}
	})
}

type asked struct {
	id    int
	first *int
}

func (asked) Error() string { return "asked" }

func (a asked) Is(error) bool {
	if *a.first == 0 {
		*a.first = a.id
	}
	return true
}

// A function of the library calls a method.
//
// verdict: said visit maps does not matter \(maps.EqualFunc
func TestAFunctionOfTheLibraryThatCallsBack(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		first := 0
		a := map[int]error{1: asked{1, &first}, 2: asked{2, &first}}
		maps.EqualFunc(a, map[int]error{1: errors.ErrUnsupported, 2: errors.ErrUnsupported}, errors.Is)
		x.Assert(first == 1, "%d came first", first)
	})
}

// Zeros are equal, and not the same.
//
// verdict: said visit maps does not matter \(range
func TestZerosThatAreSorted(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var list []float64
		for _, v := range map[int]float64{1: 0, 2: math.Copysign(0, -1)} {
			list = append(list, v)
		}
		slices.Sort(list)
		x.Assert(!math.Signbit(list[0]), "-0 came first")
	})
}

// verdict: said visit maps does not matter \(maps.Values
func TestZerosThatAreSortedAtOnce(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		list := slices.Sorted(maps.Values(map[int]float64{1: 0, 2: math.Copysign(0, -1)}))
		x.Assert(!math.Signbit(list[0]), "-0 came first")
	})
}

// What is sorted lies in memory of others.
//
// verdict: said visit maps does not matter \(range
func TestASortedSliceOfAnother(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		base := make([]int, 1, 2)
		list := base[:0]
		for k := range map[int]bool{1: true, 2: true, 3: true} {
			list = append(list, k)
		}
		slices.Sort(list)
		x.Assert(base[0] < 3, "3 came first")
	})
}
