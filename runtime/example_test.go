package runtime_test

import (
	"context"
	"fmt"

	"github.com/surewake/surewake/runtime"
)

// sum is the function of the package documentation.
func sum(cx runtime.Cx, values []int) (int, error) {
	if len(values) <= 100 {
		total := 0
		for _, v := range values {
			total += v
		}
		return total, nil
	}
	half := len(values) / 2
	left := runtime.SpawnWith(cx, sum, values[:half])
	right, err := sum(cx, values[half:])
	if err != nil {
		return 0, err
	}
	total, err := left.Join(cx)
	return total + right, err
}

func Example() {
	values := make([]int, 10_000)
	for i := range values {
		values[i] = i
	}
	rt, err := runtime.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer rt.Close()
	total, err := runtime.Submit(rt, func(cx runtime.Cx) (int, error) { return sum(cx, values) }).Wait(context.Background())
	fmt.Println(total, err)
	// Output: 49995000 <nil>
}
