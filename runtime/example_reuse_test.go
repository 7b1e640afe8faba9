package runtime_test

import (
	"context"
	"fmt"

	"github.com/surewake/surewake/runtime"
)

// A loop whose rounds have a part that another worker may run meanwhile: the same task in each
// round, without an allocation.
func ExampleTask() {
	rt, err := runtime.New(runtime.Workers(2))
	if err != nil {
		panic(err)
	}
	defer func() { _ = rt.Close() }()
	h := runtime.Submit(rt, func(cx runtime.Cx) (int, error) {
		var odd runtime.Task[int]
		sum, from := 0, 0
		sumOfOdd := func(runtime.Cx) (int, error) { return from + 1 + from + 3, nil }
		for ; from < 12; from += 4 {
			odd.Spawn(cx, sumOfOdd)
			sum += from + from + 2
			v, err := odd.Join(cx)
			if err != nil {
				return 0, err
			}
			sum += v
		}
		return sum, nil
	})
	fmt.Println(h.Wait(context.Background()))
	// Output: 66 <nil>
}
