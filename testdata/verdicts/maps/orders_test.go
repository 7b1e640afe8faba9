package maps

import (
	"math"
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
