package runtime_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	sw "github.com/surewake/surewake/runtime"
)

// sortSome sorts in place. The smaller part is left to a task of its own, which another worker
// takes if it has nothing else to do; if nobody does, the join runs it, as a call would.
func sortSome(cx sw.Cx, values []int) (struct{}, error) {
	if len(values) < 500 {
		slices.Sort(values) // less than what it would take to share it
		return struct{}{}, nil
	}
	middle := partition(values)
	left, right := values[:middle], values[middle:]
	if len(left) > len(right) {
		left, right = right, left
	}
	smaller := sw.SpawnWith(cx, sortSome, left)
	if _, err := sortSome(cx, right); err != nil {
		return struct{}{}, err
	}
	return smaller.Join(cx)
}

// partition moves what is less than some value in front of what is greater, and returns where the
// second part begins. Both have one value at least.
func partition(values []int) int {
	pivot := values[len(values)/2]
	i, j := -1, len(values)
	for {
		for i++; values[i] < pivot; i++ {
		}
		for j--; values[j] > pivot; j-- {
		}
		if i >= j {
			return max(i, 1)
		}
		values[i], values[j] = values[j], values[i]
	}
}

// Parallel quicksort.
func Example_quicksort() {
	rt, _ := sw.New()
	defer rt.Close()
	values := rand.New(rand.NewPCG(1, 2)).Perm(200_000)
	_, err := sw.Submit(rt, func(cx sw.Cx) (struct{}, error) {
		return sortSome(cx, values)
	}).Wait(context.Background())
	fmt.Println(slices.IsSorted(values), err)
	// Output: true <nil>
}

// A tree is a binary tree of numbers.
type tree struct {
	left, right *tree
	value       int
}

func grow(depth int) *tree {
	if depth == 0 {
		return nil
	}
	return &tree{grow(depth - 1), grow(depth - 1), depth}
}

// sum adds up a tree: one task for each left branch.
func sum(cx sw.Cx, t *tree) (int, error) {
	if t == nil {
		return 0, nil
	}
	left := sw.SpawnWith(cx, sum, t.left)
	right, err := sum(cx, t.right)
	if err != nil {
		return 0, err
	}
	rest, err := left.Join(cx)
	return t.value + right + rest, err
}

// Fork and join over a tree.
func Example_forkJoin() {
	rt, _ := sw.New()
	defer rt.Close()
	t := grow(14)
	fmt.Println(
		sw.Submit(rt, func(cx sw.Cx) (int, error) { return sum(cx, t) }).
			Wait(context.Background()),
	)
	// Output: 32752 <nil>
}
