package runtime_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	sw "github.com/surewake/surewake/runtime"
)

func ExampleForEachErr() {
	_, err := sw.Run(context.Background(), func(cx sw.Cx) (int, error) {
		words := strings.FieldsSeq("1 2 three 4")
		return 0, sw.ForEachErr(cx, words, func(_ sw.Cx, word string) error {
			_, err := strconv.Atoi(word)
			return err
		})
	})
	fmt.Println(err)
	// Output: strconv.Atoi: parsing "three": invalid syntax
}

// MapSeq takes the values of an iterator as they come, and keeps their order.
func ExampleMapSeq() {
	v, err := sw.Run(context.Background(), func(cx sw.Cx) ([]int, error) {
		return sw.MapSeq(cx, slices.Values([]int{10, 5, 20}), nthOf)
	})
	fmt.Println(v, err)
	// Output: [55 5 6765] <nil>
}

func ExampleMapSeqErr() {
	v, err := sw.Run(context.Background(), func(cx sw.Cx) ([]int, error) {
		words := strings.FieldsSeq("1 2 3")
		return sw.MapSeqErr(cx, words, func(_ sw.Cx, word string) (int, error) {
			return strconv.Atoi(word)
		})
	})
	fmt.Println(v, err)
	// Output: [1 2 3] <nil>
}

func ExampleReduceSeq() {
	v, err := sw.Run(context.Background(), func(cx sw.Cx) (int, error) {
		return sw.ReduceSeq(cx, slices.Values([]int{10, 5, 20}), nthOf,
			func(a, b int) int { return a + b })
	})
	fmt.Println(v, err)
	// Output: 6825 <nil>
}

func ExampleReduceSeqErr() {
	v, err := sw.Run(context.Background(), func(cx sw.Cx) (int, error) {
		words := strings.FieldsSeq("1 2 x")
		return sw.ReduceSeqErr(cx, words, func(_ sw.Cx, word string) (int, error) {
			return strconv.Atoi(word)
		}, func(a, b int) int { return a + b })
	})
	fmt.Println(v, err)
	// Output: 0 strconv.Atoi: parsing "x": invalid syntax
}

func ExampleReduceErr() {
	words := strings.Fields("1 2 3 4")
	v, err := sw.Run(context.Background(), func(cx sw.Cx) (int, error) {
		return sw.ReduceErr(cx, 0, len(words), func(_ sw.Cx, lo, hi int) (sum int, err error) {
			for _, word := range words[lo:hi] {
				n, err := strconv.Atoi(word)
				if err != nil {
					return 0, err
				}
				sum += n
			}
			return sum, nil
		}, func(a, b int) int { return a + b })
	})
	fmt.Println(v, err)
	// Output: 10 <nil>
}
