package maps

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/surewake/surewake/model"
)

type totals struct{ n, most int }

// What these loops do is the same in every order, too: they change what has the same key, add to
// fields, keep the largest, look at what they do not change, and give up with one constant.
//
// verdict: proved, 1 trace without assumptions
func TestMoreLoopsWithoutAnOrder(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		prices, sold := map[int]int{1: 10, 2: 20, 3: 30}, map[int]int{1: 2, 3: 1}
		all, most, factor := new(totals), 0, 2
		for k, n := range sold {
			all.n += n * prices[k] * factor
		}
		for _, p := range prices {
			if p > most {
				most = p
			}
		}
		for k, n := range sold {
			prices[k] -= n
		}
		x.Assert(all.n == 100 && most == 30, "%v %d", *all, most)
		x.Assert(prices[1] == 8 && prices[3] == 29, "%v", prices)
		x.Assert(isAbove(prices, 28) && !isAbove(prices, 29), "%v", prices)
	})
}

func isAbove(m map[int]int, limit int) bool {
	for _, v := range m {
		if v > limit {
			return true
		}
	}
	return false
}

// What the first turns append lies where somebody still looks, and not where it is sorted.
//
// verdict: said visit maps does not matter \(range
func TestASortedSliceThatGrowsOutOfAnother(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		keys := make([]int, 0, 1)
		first := keys[:1]
		for k := range map[int]bool{1: true, 2: true, 3: true} {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		x.Assert(first[0] == 1, "%d came first", first[0])
	})
}

// verdict: said visit maps does not matter \(range
func TestWhatIsSetAgainMayHaveAnotherTurn(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		m, n := map[int]int{1: 1, 2: 2}, 0
		for k := range m {
			n++
			delete(m, k)
			m[k] = 0
		}
		x.Assert(n == 2, "%d turns", n)
	})
}

// verdict: said visit maps does not matter \(maps.DeleteFunc
func TestDeleteFuncLooksAtWhatIsLeft(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		m := map[int]int{1: 1, 2: 2}
		maps.DeleteFunc(m, func(int, int) bool { return len(m) > 1 })
		x.Assert(m[2] == 2, "%v is left", m)
	})
}

// verdict: said visit maps does not matter \(maps.EqualFunc
func TestEqualFuncMayEndBeforeItPanics(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		one, two := 1, 2
		a, b := map[int]*int{1: &one, 2: nil}, map[int]*int{1: &two, 2: nil}
		x.Assert(!maps.EqualFunc(a, b, func(x, y *int) bool { return *x == *y }), "they are equal")
	})
}

// Whether a turn comes that follows a nil pointer depends on which come before.
//
// verdict: said visit maps does not matter \(range
func TestALoopMayEndBeforeItPanics(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		one := 1
		x.Assert(hasOne(map[int]*int{1: &one, 2: nil}), "there is none")
	})
}

func hasOne(m map[int]*int) bool {
	for _, v := range m {
		if *v == 1 {
			return true
		}
	}
	return false
}

// What two turns keep is the largest, unless it is changed in between.
//
// verdict: said visit maps does not matter \(range
func TestTheLargestIsLookedAtMeanwhile(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		most, sum := 0, 0
		for _, v := range map[int]int{1: 1, 2: 2} {
			if v > most {
				most = v
			}
			sum += most
		}
		x.Assert(sum == 3, "%d", sum)
	})
}

// turnsOfMany visits a map of a hundred keys without looking at them, and returns how many turns
// there were. It calls change in each.
func turnsOfMany(change func(m map[int]bool, turn int)) (n int) {
	m := map[int]bool{}
	for k := range 100 {
		m[k] = true
	}
	for range m {
		n++
		change(m, n)
	}
	return n
}

// The keys are as many in every turn, and at the end those that they were.
//
// verdict: said visit maps does not matter \(range
func TestABlankLoopThatPutsOneBack(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		n := turnsOfMany(func(m map[int]bool, n int) {
			switch n {
			case 1:
				delete(m, 50)
				m[1000] = true
			case 99:
				m[50] = true
				delete(m, 1000)
			}
		})
		x.Assert(n == 99, "%d turns", n)
	})
}

// The key that went had had its turn, and comes back.
//
// verdict: said visit maps does not matter \(range
func TestABlankLoopThatPutsBackWhatItHasVisited(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		n := turnsOfMany(func(m map[int]bool, n int) {
			switch n {
			case 1:
				delete(m, 0)
			case 99:
				m[0] = true
			}
		})
		x.Assert(n == 100, "%d turns", n)
	})
}

// Keys that no lookup finds are deleted by clear.
//
// verdict: said visit maps does not matter \(range
func TestKeysThatEqualNothingAreCleared(t *testing.T) {
	model.Check(t, func(x *model.Exec) {
		m, n := map[float64]bool{math.NaN(): true, 1: true, math.NaN(): true}, 0
		for k := range m {
			n++
			_ = k
			clear(m)
		}
		x.Assert(n == 1, "%d turns", n)
	})
}
