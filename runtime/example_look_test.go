package runtime_test

import (
	"context"
	"fmt"
	"time"

	sw "github.com/surewake/surewake/runtime"
)

// A worker that always has tasks of its own looks for those from outside every 4 polls at the
// latest: sooner than by default, at the price of more looks.
func ExampleInjectorInterval() {
	rt, err := sw.New(sw.Workers(1), sw.InjectorInterval(time.Millisecond, 1, 4))
	if err != nil {
		panic(err)
	}
	defer rt.Close()
	turns, err := sw.Submit(rt, func(cx sw.Cx) (int, error) {
		other := sw.Spawn(cx, func(cx sw.Cx) (int, error) { // the two of them keep the worker busy
			for cx.Err() == nil {
				cx.Yield()
			}
			return 0, cx.Err()
		})
		defer other.Cancel()
		request := sw.Submit(rt, func(sw.Cx) (int, error) { return 0, nil })
		for turns := 1; ; turns++ {
			cx.Yield()
			if _, _, ended := request.TryJoin(); ended {
				return turns, nil
			}
		}
	}).Wait(context.Background())
	fmt.Println(turns <= 4, err)
	// Output:
	// true <nil>
}

// A worker that has nothing takes so many tasks at a time from the queue that all share. Small
// batches leave more to other workers; large ones take fewer locks.
func ExampleIdleBatch() {
	for _, most := range []int{2, 10} {
		rt, err := sw.New(sw.Workers(1), sw.IdleBatch(most))
		if err != nil {
			panic(err)
		}
		begin := make(chan struct{})
		sw.SubmitBatch(rt, 1, func(sw.Cx, int) (int, error) { <-begin; return 0, nil })
		for rt.Stats().Injected > 0 { // until the worker has taken it
			time.Sleep(time.Millisecond)
		}
		sw.SubmitBatch(rt, 20, func(sw.Cx, int) (int, error) { return 0, nil })
		close(begin)
		rt.Shutdown(context.Background())
		fmt.Println("20 tasks, in batches:", rt.Stats().Workers[0].Batches-1)
	}
	// Output:
	// 20 tasks, in batches: 10
	// 20 tasks, in batches: 2
}
