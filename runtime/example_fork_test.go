package runtime_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	sw "github.com/surewake/surewake/runtime"
)

// nthOf is a Fibonacci number. It forks one half of the work, and does the other.
func nthOf(cx sw.Cx, n int) int {
	if n < 2 {
		return n
	}
	f := sw.Fork(cx, nthOf, n-1)
	b := nthOf(cx, n-2)
	return f.Join(cx) + b
}

func ExampleFork() {
	v, err := sw.Run(context.Background(), func(cx sw.Cx) (int, error) {
		return nthOf(cx, 20), nil
	})
	fmt.Println(v, err)
	// Output: 6765 <nil>
}

func ExampleBoth() {
	v, err := sw.Run(context.Background(), func(cx sw.Cx) (string, error) {
		a, b := sw.Both(cx,
			func(cx sw.Cx) int { return nthOf(cx, 10) },
			func(cx sw.Cx) string { return fmt.Sprint(nthOf(cx, 11)) })
		return fmt.Sprint(a, " ", b), nil
	})
	fmt.Println(v, err)
	// Output: 55 89 <nil>
}

func ExampleFor() {
	v, err := sw.Run(context.Background(), func(cx sw.Cx) ([]int, error) {
		out := make([]int, 8)
		return out, sw.For(cx, 0, len(out), func(cx sw.Cx, i int) { out[i] = nthOf(cx, i) })
	})
	fmt.Println(v, err)
	// Output: [0 1 1 2 3 5 8 13] <nil>
}

func ExampleRange() {
	v, err := sw.Run(context.Background(), func(cx sw.Cx) ([]int, error) {
		out := make([]int, 8)
		return out, sw.Range(cx, 0, len(out), func(_ sw.Cx, lo, hi int) {
			for i := lo; i < hi; i++ {
				out[i] = i * i
			}
		})
	})
	fmt.Println(v, err)
	// Output: [0 1 4 9 16 25 36 49] <nil>
}

func ExampleReduce() {
	v, err := sw.Run(context.Background(), func(cx sw.Cx) (int, error) {
		return sw.Reduce(cx, 0, 1001, func(_ sw.Cx, lo, hi int) (sum int) {
			for i := lo; i < hi; i++ {
				sum += i
			}
			return sum
		}, func(a, b int) int { return a + b })
	})
	fmt.Println(v, err)
	// Output: 500500 <nil>
}

func ExampleMap() {
	v, err := sw.Run(context.Background(), func(cx sw.Cx) ([]int, error) {
		return sw.Map(cx, []int{10, 5, 20}, nthOf)
	})
	fmt.Println(v, err)
	// Output: [55 5 6765] <nil>
}

// ForEach takes the values of an iterator as they come.
func ExampleForEach() {
	v, err := sw.Run(context.Background(), func(cx sw.Cx) (int64, error) {
		var sum atomic.Int64
		words := strings.FieldsSeq("some words and numbers")
		err := sw.ForEach(cx, words, func(cx sw.Cx, word string) {
			sum.Add(int64(nthOf(cx, len(word))))
		})
		return sum.Load(), err
	})
	fmt.Println(v, err)
	// Output: 23 <nil>
}

// A task that is about to compute for long without a fork lets idle workers see all that it has
// forked.
func ExampleCx_Forks() {
	v, err := sw.Run(context.Background(), func(cx sw.Cx) (int, error) {
		f := sw.Fork(cx, nthOf, 15)
		cx.Forks().Share()
		b := plainFib(15) // no fork in it
		return f.Join(cx) + b, nil
	})
	fmt.Println(v, err)
	// Output: 1220 <nil>
}

// The first error ends the loop.
func ExampleForErr() {
	_, err := sw.Run(context.Background(), func(cx sw.Cx) (int, error) {
		return 0, sw.ForErr(cx, 0, 1000, func(_ sw.Cx, i int) error {
			if i == 7 {
				return fmt.Errorf("%d is not even", i)
			}
			return nil
		})
	})
	fmt.Println(err)
	// Output: 7 is not even
}

func ExampleMapErr() {
	v, err := sw.Run(context.Background(), func(cx sw.Cx) ([]int, error) {
		return sw.MapErr(cx, []string{"12", "34"},
			func(_ sw.Cx, s string) (int, error) { return strconv.Atoi(s) })
	})
	fmt.Println(v, err)
	// Output: [12 34] <nil>
}

// The calls of a loop are those of one task. Calls that wait, and that are to be cancelled when one
// of them fails, are tasks of a scope.
func ExampleForErr_waiting() {
	do(func(cx sw.Cx) error {
		waits := []time.Duration{time.Hour, time.Millisecond, time.Hour}
		err := sw.Scope(cx, func(cx sw.Cx, s *sw.TaskScope) error {
			for i, d := range waits {
				sw.SpawnIn(cx, s, func(cx sw.Cx) (int, error) {
					if err := cx.Sleep(d); err != nil {
						return 0, err // it is cancelled
					}
					return 0, fmt.Errorf("number %d has failed", i)
				}).Detach()
			}
			return nil
		})
		fmt.Println(err)
		return nil
	})
	// Output: number 1 has failed
}

func ExampleSort() {
	v, err := sw.Run(context.Background(), func(cx sw.Cx) ([]string, error) {
		words := []string{"park", "idle", "deque"}
		return words, sw.Sort(cx, words)
	})
	fmt.Println(v, err)
	// Output: [deque idle park] <nil>
}

func ExampleSortFunc() {
	v, err := sw.Run(context.Background(), func(cx sw.Cx) ([]string, error) {
		words := []string{"park", "idle", "deque", "fork"}
		err := sw.SortFunc(cx, words, func(a, b string) int { return len(b) - len(a) })
		return words, err
	})
	fmt.Println(v, err)
	// Output: [deque park idle fork] <nil>
}
