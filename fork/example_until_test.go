package fork_test

import (
	"fmt"
	"sync/atomic"

	"github.com/surewake/surewake/fork"
)

// A loop that is over leaves out what has not begun, and says so.
func ExampleForUntil() {
	p := newPool(1)
	defer p.Close()
	var calls atomic.Int64
	over := func(*worker) bool { return calls.Load() == 3 }
	p.Do(func(w *worker) {
		all := fork.ForUntil(w, 0, 10, over, func(*worker, int) { calls.Add(1) })
		fmt.Println(calls.Load(), all)
	})
	// Output: 3 false
}

// A map that is over has no results.
func ExampleMapUntil() {
	p := newPool(2)
	defer p.Close()
	var stop atomic.Bool
	over := func(*worker) bool { return stop.Load() }
	double := func(_ *worker, i int) int { return 2 * i }
	p.Do(func(w *worker) {
		fmt.Println(fork.MapUntil(w, []int{1, 2, 3}, over, double))
		stop.Store(true)
		fmt.Println(fork.MapUntil(w, []int{1, 2, 3}, over, double))
	})
	// Output:
	// [2 4 6] true
	// [] false
}

// The iterator need not have an end.
func ExampleForEachUntil() {
	p := newPool(1)
	defer p.Close()
	sum := 0
	over := func(*worker) bool { return sum >= 10 }
	p.Do(func(w *worker) {
		naturals := func(yield func(int) bool) {
			for i := 1; yield(i); i++ {
			}
		}
		all := fork.ForEachUntil(w, naturals, over, func(_ *worker, i int) { sum += i })
		fmt.Println(sum, all)
	})
	// Output: 10 false
}

// A reduction that is over has no result.
func ExampleReduceUntil() {
	p := newPool(2)
	defer p.Close()
	var stop atomic.Bool
	over := func(*worker) bool { return stop.Load() }
	leaf := func(_ *worker, lo, hi int) (sum int) {
		for i := lo; i < hi; i++ {
			sum += i
		}
		return sum
	}
	add := func(a, b int) int { return a + b }
	p.Do(func(w *worker) {
		fmt.Println(fork.ReduceUntil(w, 0, 101, over, leaf, add))
		stop.Store(true)
		fmt.Println(fork.ReduceUntil(w, 0, 101, over, leaf, add))
	})
	// Output:
	// 5050 true
	// 0 false
}
