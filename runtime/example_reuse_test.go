package runtime_test

import (
	"context"
	"fmt"

	sw "github.com/surewake/surewake/runtime"
)

// A loop whose rounds have a part that another worker may run meanwhile: the same task in each
// round, without an allocation.
func ExampleTask() {
	rt, err := sw.New(sw.Workers(2))
	if err != nil {
		panic(err)
	}
	defer func() { _ = rt.Close() }()
	h := sw.Submit(rt, func(cx sw.Cx) (int, error) {
		var odd sw.Task[int]
		sum, from := 0, 0
		sumOfOdd := func(sw.Cx) (int, error) { return from + 1 + from + 3, nil }
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
