// Package maps has programs that visit maps, which Go does in any order.
package maps

import (
	"iter"
	"maps"
	"math"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"text/template"

	"github.com/surewake/surewake/model"
)

// The check sees the order of one run: it may find the failure, or not, and says so.
//
// verdict: said visit maps does not matter \(range \S*maps_test.go:24\)|came first
func TestFirstKey(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		m := map[int]bool{1: true, 2: true, 3: true, 4: true}
		for k := range m {
			x.Assert(k != 3, "3 came first")
			break
		}
	})
}

// The goroutines take two locks, each in an order of its own.
//
// verdict: said visit maps does not matter|waits? for ever|same schedule
func TestLocksOfAMap(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		locks := map[string]*sync.Mutex{"a": {}, "b": {}}
		for range 2 {
			x.Go("both", func() {
				for _, mu := range locks {
					mu.Lock()
					defer mu.Unlock()
				}
			})
		}
		x.Join()
	})
}

// verdict: proved, 2 traces without assumptions
func TestLocksOfAMapInOrder(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		locks := map[string]*sync.Mutex{"a": {}, "b": {}}
		for range 2 {
			x.Go("both", func() {
				var keys []string
				for k := range locks {
					keys = append(keys, k)
				}
				slices.Sort(keys)
				for _, k := range keys {
					locks[k].Lock()
					defer locks[k].Unlock()
				}
			})
		}
		x.Join()
	})
}

// What these loops do is the same in every order.
//
// verdict: proved, 1 trace without assumptions
func TestLoopsWithoutAnOrder(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		type registry map[int]int
		m, n, sum, odd := registry{1: 10, 2: 20, 3: 30}, 0, 0, 0
		for range m {
			n++
		}
		copied := map[int]int{}
		for k, v := range m {
			copied[k] = v + 1
			if k%2 == 0 {
				sum += v
				continue
			}
			odd++
		}
		x.Assert(n == 3 && sum == 20 && odd == 2, "%d %d %d", n, sum, odd)
		for k, v := range copied {
			if v > 30 {
				delete(m, k)
			}
		}
		x.Assert(len(m) == 2, "%v", m)
		one := map[string]int{"only": 1}
		for k := range one {
			x.Assert(k == "only", "%s", k)
		}
	})
}

// The last of several stays.
//
// verdict: said the order in which loops visit maps
func TestLastValue(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		last := 0
		for _, v := range map[int]int{1: 1, 2: 2} {
			last = v
		}
		x.Assert(last > 0, "%d", last)
	})
}

func firstKey[M ~map[K]V, K comparable, V any](m M) (k K) {
	for k = range m {
		break
	}
	return k
}

// verdict: said the order in which loops visit maps does not matter \(range \S*maps_test.go:117\)
func TestFirstKeyOfAnyMap(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		x.Assert(firstKey(map[int]bool{1: true, 2: true}) < 3, "none of them")
	})
}

// verdict: said the order in which loops visit maps
func TestCollectedWithoutSorting(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var keys []int
		for k := range map[int]bool{1: true, 2: false} {
			keys = append(keys, k)
		}
		x.Assert(len(keys) == 2, "%v", keys)
	})
}

// verdict: FAILED data race
func TestVisitedWhileItIsWritten(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		m := map[int]int{1: 1, 2: 2}
		x.Go("writer", func() { m[1] = 2 })
		x.Go("reader", func() {
			sum := 0
			for _, v := range m {
				sum += v
			}
			x.Assert(sum > 0, "%d", sum)
		})
		x.Join()
	})
}

// verdict: FAILED data race
func TestEmptyMapVisitedWhileItIsWritten(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		m := map[int]int{}
		x.Go("writer", func() { m[1] = 2 })
		x.Go("reader", func() {
			for k, v := range m {
				x.Assert(k < v, "%d %d", k, v)
			}
		})
		x.Join()
	})
}

// verdict: said visit maps does not matter \(maps.Keys .*maps_test.go
func TestFirstOfKeys(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		m := map[int]bool{1: true, 2: true, 3: true, 4: true}
		for k := range maps.Keys(m) {
			x.Assert(k < 5, "%d came first", k)
			break
		}
	})
}

// verdict: said visit maps does not matter \(maps.Values .*maps_test.go
func TestFirstOfValues(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		m := map[int]int{1: 1, 2: 2, 3: 3, 4: 4}
		x.Assert(slices.Collect(maps.Values(m))[0] < 5, "none of them")
	})
}

// verdict: said visit maps does not matter \(reflect.Value.MapKeys .*maps_test.go
func TestFirstByReflection(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		m := map[int]bool{1: true, 2: true, 3: true, 4: true}
		x.Assert(reflect.ValueOf(m).MapKeys()[0].Int() < 5, "none of them")
	})
}

// verdict: said visit maps does not matter \(reflect.Value.MapRange .*maps_test.go
func TestFirstOfMapRange(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		visit := reflect.ValueOf(map[int]bool{1: true, 2: true, 3: true, 4: true}).MapRange()
		x.Assert(visit.Next() && visit.Key().Int() < 5, "none of them")
	})
}

// verdict: proved without assumptions
func TestSortedKeys(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		m := map[int]bool{1: true, 2: true, 3: true, 4: true}
		x.Assert(slices.Sorted(maps.Keys(m))[0] == 1, "1 comes first")
	})
}

// verdict: said visit maps does not matter \(maps.Keys .*maps_test.go
func TestFirstByAFunctionValue(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		keys := maps.Keys[map[int]bool]
		for k := range keys(map[int]bool{1: true, 2: true, 3: true, 4: true}) {
			x.Assert(k < 5, "%d came first", k)
			break
		}
	})
}

// verdict: said visit maps does not matter \(maps.Keys .*maps_test.go
func TestFunctionOfMapsThatIsPassed(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		first := func(keys func(map[int]bool) iter.Seq[int]) int {
			for k := range keys(map[int]bool{1: true, 2: true, 3: true, 4: true}) {
				return k
			}
			return 0
		}
		x.Assert(first(maps.Keys) < 5, "none of them")
	})
}

// verdict: proved without assumptions
func TestOneKey(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		for k := range maps.Keys(map[int]bool{1: true}) {
			x.Assert(k == 1, "%d came first", k)
		}
	})
}

type place struct {
	name string
	at   [2]int8
}

// All executions visit the same order, that of the keys.
//
// verdict: proved
func TestStepsInTheOrderOfAMap(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		words := map[place]*atomic.Int32{}
		for i := range int8(8) {
			words[place{"a", [2]int8{-i, 1}}] = new(atomic.Int32)
		}
		var first place
		for k, w := range words {
			if w.Add(1) > 0 && first.name == "" {
				first = k
				delete(words, place{"a", [2]int8{0, 1}})
			}
			words[place{"b", k.at}] = w
		}
		n := 0
	loop:
		for _, w := range words {
			for range 2 {
				n++
				if w.Add(1) > 0 && n > 4 {
					break loop
				}
				continue loop
			}
		}
		x.Assert(first.at[0] == -7 && n == 5 && len(words) == 14, "%v, %d", first, n)
	})
}

// verdict: proved
func TestKeysThatEqualNothing(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		m := map[float64]int{math.NaN(): 1, math.Inf(-1): 2, 0: 3}
		var values []int
		for _, v := range m {
			values = append(values, v)
		}
		x.Assert(slices.Equal(values, []int{1, 2, 3}), "%v", values)
	})
}

// A function that sees in which turn it is called.
//
// verdict: said visit maps does not matter \(maps.DeleteFunc
func TestDeleteFuncCounts(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		n, m := 0, map[int]int{3: 3, 1: 1, 2: 2}
		maps.DeleteFunc(m, func(int, int) bool { n++; return n == 1 })
		_, has := m[3]
		x.Assert(has && len(m) == 2, "3 was first")
	})
}

// verdict: proved without assumptions
func TestDeleteFuncOfTheEntry(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		m := map[int]int{3: 3, 1: 1, 2: 2}
		maps.DeleteFunc(m, func(k, v int) bool { return k != v || k == 2 })
		x.Assert(len(m) == 2, "%v", m)
		same := maps.EqualFunc(m, maps.Clone(m), func(a, b int) bool { return a == b })
		x.Assert(same, "%v is not itself", m)
	})
}

// verdict: said visit maps does not matter \(maps.EqualFunc
func TestEqualFuncStopsAtTheFirst(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var seen []int
		m := map[int]int{3: 3, 1: 1, 2: 2}
		maps.EqualFunc(m, m, func(a, _ int) bool { seen = append(seen, a); return false })
		x.Assert(len(seen) == 1 && seen[0] == 1, "%v", seen)
	})
}

// verdict: FAILED 3 was first
func TestDeleteFuncInAllOrders(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		n, m := 0, map[int]int{3: 3, 1: 1, 2: 2}
		maps.DeleteFunc(m, func(int, int) bool { n++; return n == 1 })
		_, has := m[3]
		x.Assert(has, "3 was first")
	}, model.MapOrders())
}

// verdict: said visit maps does not matter \(template.Template.Templates
func TestTemplatesComeFromAMap(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		all := template.Must(template.New("p").Parse(`{{define "q"}}1{{end}}2`))
		x.Assert(len(all.Templates()) == 2, "lost")
	})
}
