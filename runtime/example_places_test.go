package runtime_test

import (
	"context"
	"fmt"

	sw "github.com/surewake/surewake/runtime"
)

// With a limit, whoever submits faster than tasks end waits: here there are never more than 8 tasks
// from outside. What a task starts itself is not counted.
func ExampleMaxTasks() {
	rt, _ := sw.New(sw.MaxTasks(8))
	defer rt.Close()
	sum := sw.NewChannel[int](1000)
	for i := range 1000 {
		sw.Submit(rt, func(cx sw.Cx) (int, error) {
			half := sw.Spawn(cx, func(sw.Cx) (int, error) { return i / 2, nil })
			n, err := half.Join(cx)
			_ = sum.TrySend(n)
			return 0, err
		}).Detach()
	}
	_ = rt.Shutdown(context.Background())
	_ = sum.Close()
	total := 0
	for n := range sum.AllContext(context.Background()) {
		total += n
	}
	fmt.Println(total)
	// Output: 249500
}

// A server that has enough to do says so, and does not let work pile up.
func ExampleTrySubmit() {
	rt, _ := sw.New(sw.MaxTasks(1))
	defer rt.Close()
	request := sw.NewChannel[string](0)
	serve := func(cx sw.Cx) (string, error) { return request.Receive(cx) }
	h, err := sw.TrySubmit(rt, serve)
	fmt.Println(err)
	_, err = sw.TrySubmit(rt, serve)
	fmt.Println(err)
	_ = request.SendContext(context.Background(), "GET /")
	fmt.Println(h.Wait(context.Background()))
	_, err = sw.TrySubmit(rt, serve) // the first has ended
	fmt.Println(err)
	// Output:
	// <nil>
	// surewake: it would have to wait
	// GET / <nil>
	// <nil>
}
