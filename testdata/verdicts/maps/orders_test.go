package maps

import (
	"maps"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/surewake/surewake/model"
)

// verdict: FAILED 3 came first
func TestFirstKeyInAllOrders(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		for k := range map[int]bool{1: true, 2: true, 3: true, 4: true} {
			x.Assert(k != 3, "3 came first")
			break
		}
	}, model.MapOrders())
}

// verdict: FAILED deadlock
func TestLocksOfAMapInAllOrders(t *testing.T) {
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
	}, model.MapOrders())
}

// A key that is deleted before its turn is not visited: 1 and 2 in two orders, 3 by itself.
//
// verdict: proved, 3 traces without assumptions
func TestDeletedInAllOrders(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		m := map[int]int{1: 1, 2: 1, 3: 2}
		sum := 0
		for k, v := range m {
			sum += v
			if k == 3 {
				clear(m)
			} else {
				delete(m, 3)
			}
		}
		x.Assert(sum == 2, "%d", sum)
	}, model.MapOrders())
}

// verdict: proved, 6 traces without assumptions
func TestThreeInAllOrders(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var seen []float64
		for k := range map[float64]bool{math.NaN(): true, 1: true, 2: true} {
			seen = append(seen, k)
		}
		x.Assert(len(seen) == 3, "%v", seen)
	}, model.MapOrders())
}

// Seven entries have more orders than are explored.
//
// verdict: said visit maps does not matter
func TestTooManyForAllOrders(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		m := map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: true}
		for k := range m {
			x.Assert(k > 0, "%d", k)
		}
	}, model.MapOrders())
}

// Go may visit what a loop adds, or not.
//
// verdict: said visit maps does not matter
func TestAddedInAllOrders(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		m := map[int]bool{1: true, 2: true}
		for k := range m {
			m[k+2] = true
		}
	}, model.MapOrders())
}

// verdict: FAILED backwards
func TestFunctionsInAllOrders(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		m := map[string]int{"a": 1, "b": 2, "c": 3}
		for k, v := range maps.All(m) {
			x.Assert((k == "b") == (v == 2), "%s is %d", k, v)
			break
		}
		for v := range maps.Values(m) {
			x.Assert(v > 0, "%d", v)
			break
		}
		keys := slices.Collect(maps.Keys(m))
		x.Assert(!slices.Equal(keys, []string{"c", "b", "a"}), "backwards")
	}, model.MapOrders())
}

// verdict: FAILED 1 came last
func TestAssignedInAllOrders(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		var last struct{ k, v int }
		for last.k, last.v = range map[int]int{1: 10, 2: 20} {
			x.Assert(last.v == 10*last.k, "%v", last)
		}
		x.Assert(last.k == 2, "1 came last")
	}, model.MapOrders())
}

// Keys without an order of their own are known by where they stand in a literal, and have their
// order in a copy.
//
// verdict: FAILED the second came first
func TestCopyOfALiteralInAllOrders(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		a, b := new(int), new(int)
		m := map[any]bool{a: true, b: true}
		dst := map[any]bool{}
		maps.Copy(dst, m)
		for k := range dst {
			x.Assert(k == a, "the second came first")
			break
		}
	}, model.MapOrders())
}

// A loop that only sets keys without an order of their own gives them one: that of the loop.
//
// verdict: proved
func TestCopyOfPointers(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		m, dst := map[*sync.Mutex]int{}, map[*sync.Mutex]int{}
		for i := range 6 {
			m[new(sync.Mutex)] = i
		}
		for k, v := range m {
			dst[k] = v
		}
		last := 0
		for k, v := range dst {
			x.Go("user", func() {
				k.Lock()
				defer k.Unlock()
			})
			if k.Lock(); v == 3 {
				last = v
			}
			k.Unlock()
		}
		x.Join()
		x.Assert(last == 3, "%d", last)
	})
}

// A loop that leaves by a panic has done what came before.
//
// verdict: FAILED nothing was added
func TestSumThatPanicsInAllOrders(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		sum := 0
		func() {
			defer func() { _ = recover() }()
			for _, v := range map[int]int{1: 1, 2: 0} {
				sum += 10 / v
			}
		}()
		x.Assert(sum > 0, "nothing was added")
	}, model.MapOrders())
}
